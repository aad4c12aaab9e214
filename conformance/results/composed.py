"""Failures of composed programs: where they come from, and which one of an id is shown."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from conformance.results.kinds import FindingKind
from conformance.results.model import Composed, Failure, Verdict

PROFILE = "fuzz"
"""The name in place of a profile in the results of composed programs."""
TRIAL = "program "
"""How the origin of a failure begins, before the number of the program."""
_GRAVITY = list(Verdict)


def number_of(trial: str) -> int:
    """The number of the program that an origin names.

    Raises:
        ValueError: it names no program.
    """
    return int(trial.removeprefix(TRIAL))


def how_often(failure: Failure, cases: int) -> str:
    """How many of the cases show a failure; of composed programs, whichever function they call, how
    many do. A lack that a probe shows has no case."""
    if not cases and not is_composed(failure):
        return "no case ran"
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
    """The order of failures with one id: reports show the least.

    The least error is from the first program, which explains later errors. The least among other
    failures has the fewest steps, then the fewest inputs.
    """
    number = program_of(failure) or 0
    if failure.kind == FindingKind.EXCEPTION:
        return (number,)
    program = failure.program or {}
    return (_length(program.get("steps")), _length(program.get("inputs")), number)


def _length(items: Any) -> int:
    """The number of items; 0 if another version of the suite wrote something else, or nothing."""
    return len(items) if isinstance(items, list) else 0


def verdict_of(failures: Iterable[Failure], programs: int) -> Verdict:
    """That of a function: the gravest of its failures; without any, whether a program has it."""
    usual = Verdict.CONFORMS if programs else Verdict.NOT_RUN
    return max((f.verdict for f in failures), key=_GRAVITY.index, default=usual)


def packed(places: Iterable[int]) -> str:
    """Numbers of pairs as a text: a bit for each."""
    bits = sum(1 << place for place in set(places))
    return base64.b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little")).decode()


def unpacked(text: str) -> set[int]:
    """The numbers of a text that `packed` made; none of another text."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        return set()
    return {8 * n + bit for n, byte in enumerate(data) for bit in range(8) if byte >> bit & 1}


def coverage(composed: Composed) -> str:
    """How many pairs were covered, in words."""
    return f"covered {len(unpacked(composed.covered)):,} of {composed.pairs:,} pairs"
