"""Failures of composed programs: where they come from, and which one of an id is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from conformance.results.kinds import FindingKind
from conformance.results.model import Failure, Verdict

PROFILE = "fuzz"
"""What stands in the place of a profile in the results of composed programs."""
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
    return failure.origin is not UNSET and failure.origin.profile == PROFILE


def program_of(failure: Failure) -> int | None:
    """The number of the program that a failure was found in; None if its origin names none."""
    trial = "" if failure.origin is UNSET else failure.origin.trial
    number = trial.removeprefix(TRIAL)
    return int(number) if number.isdecimal() else None


def precedence(failure: Failure) -> tuple[int, ...]:
    """The least of several failures with one id is the one that is shown.

    Of errors that is the one of the first program, by which later ones are explained; of others
    one with the fewest steps, and the fewest inputs.
    """
    number = program_of(failure) or 0
    if failure.kind == FindingKind.EXCEPTION:
        return (number,)
    program = failure.program or {}
    return (_length(program.get("steps")), _length(program.get("inputs")), number)


def _length(listed: Any) -> int:
    """How many there are; 0 of what another version wrote, or nobody did."""
    return len(listed) if isinstance(listed, list) else 0


def verdict_of(failures: Iterable[Failure], programs: int) -> Verdict:
    """That of a function: the gravest of its failures; without any, whether a program has it."""
    usual = Verdict.CONFORMS if programs else Verdict.NOT_RUN
    return max((f.verdict for f in failures), key=_GRAVITY.index, default=usual)
