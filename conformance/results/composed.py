"""Failures of composed programs: where they come from, and which one of an id is shown."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET

from conformance.results.kinds import FindingKind
from conformance.results.model import Failure, Verdict

TRIAL = "program "
"""How the origin of a failure begins, before the number of the program."""
_GRAVITY = list(Verdict)


def number_of(trial: str) -> int:
    """The number of the program that an origin names; ValueError if it names none."""
    return int(trial.removeprefix(TRIAL))


def how_often(failure: Failure, cases: int) -> str:
    """How many of the cases show a failure; of composed programs, whichever function they call, how
    many do."""
    if not is_composed(failure):
        return f"{failure.count} of {cases} cases"
    return f"{failure.count} program{'s' * (failure.count != 1)}"


def is_composed(failure: Failure) -> bool:
    """Whether it is the failure of a composed program."""
    return failure.origin is not UNSET and failure.origin.trial.startswith(TRIAL)


def precedence(failure: Failure) -> tuple[int, ...]:
    """The least of several failures with one id is the one that is shown.

    Of errors that is the one of the first program, by which later ones are explained; of others
    one with the fewest steps, and the fewest inputs.
    """
    number = 0 if failure.origin is UNSET else number_of(failure.origin.trial)
    if failure.kind == FindingKind.EXCEPTION:
        return (number,)
    program = failure.program or {"steps": (), "inputs": ()}
    return (len(program["steps"]), len(program["inputs"]), number)


def verdict_of(failures: Iterable[Failure], programs: int) -> Verdict:
    """That of a function: the gravest of its failures; without any, whether a program has it."""
    usual = Verdict.CONFORMS if programs else Verdict.NOT_RUN
    return max((f.verdict for f in failures), key=_GRAVITY.index, default=usual)
