"""Failures of composition from earlier runs, run again by `--again` and `conformance replay`.

The suite makes the program of each failure and runs it again. The present outcome takes the place
of the failure: another failure, a call that fails by itself, or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import UNSET
from msgspec.structs import replace

from conformance.adapters.session import Session
from conformance.editions import Edition
from conformance.engine.verdicts.origins import unpacked
from conformance.fuzz.blame.calls import all_tried
from conformance.fuzz.blame.explaining import shapeless
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.programs import plain
from conformance.fuzz.records.failures import failure
from conformance.fuzz.records.tally import FiledFailure, ProgramTally
from conformance.fuzz.shrinking.reduction import planned
from conformance.program import from_json
from conformance.results import Failure, Replacement
from conformance.results.composed import number_of
from conformance.scripts import Prelude
from conformance.specs.rules import RuleError


@dataclass(slots=True)
class OnceMore:
    """The failures that are still to be looked at, and what those show that were."""

    waiting: list[FiledFailure] = field(default_factory=list)
    seen: list[tuple[FiledFailure, ProgramTally]] = field(default_factory=list)

    def settle(self, tally: ProgramTally) -> None:
        """Replace the failures that were repeated by the new observations."""
        for old, _ in self.seen:
            _take_away(tally, old)
        for old, shown in self.seen:
            _replace(tally, shown, old.failure.count)
        self.seen = []


def program_of(filed: FiledFailure) -> int:
    """The number of the program that a failure was found in."""
    assert filed.failure.origin is not UNSET
    return number_of(filed.failure.origin.trial)


def _take_away(tally: ProgramTally, old: FiledFailure) -> None:
    """Later programs that were counted at the failure meanwhile stay."""
    now = tally.failures.pop(old.failure.id)
    left = now.failure.count - old.failure.count
    if left:
        tally.failures[old.failure.id] = FiledFailure(
            now.function, replace(now.failure, count=left)
        )


def _replace(tally: ProgramTally, shown: ProgramTally, count: int) -> None:
    """A call that fails by itself beside a failure of the rest was counted before."""
    for function in shown.blamed if not shown.failures else ():
        tally.blamed[function] += count
        tally.reasons.setdefault(function, shown.reasons.get(function, ""))
    for filed in shown.failures.values():
        tally.add(filed.function, replace(filed.failure, count=count))
    if not shown.blamed and not shown.failures:
        tally.counts["unrepeated"] += count


DAMAGED = (ValueError, KeyError, IndexError, TypeError, EOFError, RuleError)
"""Exceptions for a failure that is damaged, or that another version wrote."""


def repeated(
    worker: Session,
    stored: Failure,
    edition: Edition,
    prelude: Prelude,
    replacements: Mapping[str, Replacement] | None = None,
) -> Failure | None:
    """How the program fails now; None if it does not.

    Raises:
        ValueError: the results lack the program, or another of `DAMAGED`.
        WorkerStartError: the target does not start.
    """
    origin = stored.origin
    if stored.program is None or origin is UNSET:
        raise ValueError("the results do not hold the program")
    arrays = {name: unpacked(text) for name, text in origin.arrays.items()}
    program, way = plain(from_json(stored.program), edition)
    question = planned(Question(program, [arrays], edition, way=way))
    differences = judged(question, worker.run_batch(question.batch)).differences
    if not differences:
        return None
    again = failure(
        question,
        differences[0],
        prelude,
        seed=origin.seed,
        number=number_of(origin.trial),
        shapeless=shapeless(worker, question, differences[0]),
        tried=all_tried(question),
        replacements=replacements,
    )
    return replace(again, count=stored.count)
