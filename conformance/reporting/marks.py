"""How each verdict is marked, and which is the gravest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from conformance.results import Verdict


class Mark(NamedTuple):
    """How a verdict looks: never by colour alone."""

    symbol: str
    ascii: str
    letter: str
    colour: str
    verb: str
    """What a target does that earns it, in the plural: "12 violate"."""


MARKS: dict[Verdict, Mark] = {
    Verdict.CONFORMS: Mark("✓", "+", "C", "green", "conform"),
    Verdict.VIOLATES: Mark("✗", "X", "V", "bold red", "violate"),
    Verdict.DIVERGES: Mark("≠", "~", "D", "yellow", "diverge"),
    Verdict.UNSUPPORTED: Mark("–", "-", "U", "blue", "unsupported"),  # noqa: RUF001
    Verdict.CRASHED: Mark("!", "!", "X", "bold magenta", "crashed"),
    Verdict.TIMED_OUT: Mark("⧖", "T", "T", "magenta", "timed out"),
    Verdict.NOT_RUN: Mark("○", "o", "R", "dim", "not run"),
    Verdict.NOT_APPLICABLE: Mark("·", ".", "N", "dim", "not applicable or not run"),
}
GRAVEST_FIRST: tuple[Verdict, ...] = tuple(reversed(Verdict))
BROKEN: tuple[Verdict, ...] = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.TIMED_OUT)
"""The verdicts that are listed one by one."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The gravest of the verdicts; `not applicable` if there are none."""
    return min(verdicts, key=GRAVEST_FIRST.index, default=Verdict.NOT_APPLICABLE)
