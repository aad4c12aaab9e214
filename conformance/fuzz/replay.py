"""A failure of composition in results, run again."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET
from msgspec.structs import replace

from conformance.adapters.session import Session
from conformance.editions import Edition
from conformance.engine.verdicts.origins import unpacked
from conformance.fuzz.explaining import shapeless
from conformance.fuzz.failures import failure
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.reduction import planned
from conformance.fuzz.single import all_tried
from conformance.program import Prelude, from_json
from conformance.results import Failure, Replacement
from conformance.results.composed import number_of
from conformance.specs.rules import RuleError

DAMAGED = (ValueError, KeyError, IndexError, TypeError, EOFError, RuleError)
"""What a failure may raise that is damaged, or that another version wrote."""


def repeated(
    worker: Session,
    stored: Failure,
    edition: Edition,
    prelude: Prelude,
    replacements: Mapping[str, Replacement] | None = None,
) -> Failure | None:
    """How the program fails now; None if it does not.

    One of `DAMAGED`: the program cannot be made from the results. WorkerStartError.
    """
    origin = stored.origin
    if stored.program is None or origin is UNSET:
        raise ValueError("the results do not hold the program")
    arrays = {name: unpacked(text) for name, text in origin.arrays.items()}
    question = planned(Question(from_json(stored.program), [arrays], edition))
    differences = judged(question, worker.run_batch(question.batch)).differences
    if not differences:
        return None
    found = failure(
        question,
        differences[0],
        prelude,
        seed=origin.seed,
        number=number_of(origin.trial),
        shapeless=shapeless(worker, question, differences[0]),
        tried=all_tried(question),
        replacements=replacements,
    )
    return replace(found, count=stored.count)
