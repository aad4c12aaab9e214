"""How each verdict is marked, and which is the gravest."""

from __future__ import annotations

from typing import NamedTuple

from conformance.results import Verdict


class Mark(NamedTuple):
    """How a verdict looks: never by colour alone."""

    symbol: str
    ascii: str
    letter: str
    colour: str
    verb: str
    """The verb for the targets that earn it, in the plural: "12 violate"."""


MARKS: dict[Verdict, Mark] = {
    Verdict.CONFORMS: Mark("✓", "+", "C", "green", "follow the documents"),
    Verdict.VIOLATES: Mark("✗", "X", "V", "bold red", "violate"),
    Verdict.CHANGED: Mark("≠", "c", "M", "yellow", "changed"),
    Verdict.CRASHED: Mark("!", "!", "X", "bold magenta", "crashed"),
    Verdict.TIMED_OUT: Mark("⧖", "T", "T", "magenta", "timed out"),
    Verdict.UNSUPPORTED: Mark("–", "-", "U", "blue", "unsupported"),  # noqa: RUF001
    Verdict.NOT_RUN: Mark("○", "o", "R", "dim", "not run"),
    Verdict.ERROR: Mark("?", "?", "E", "bold yellow", "not judged: an error in the suite"),
    Verdict.NOT_APPLICABLE: Mark("·", ".", "N", "dim", "not applicable or not run"),
    Verdict.DIVERGES: Mark("≈", "~", "D", "cyan", "take another reading"),
}
READING = MARKS[Verdict.DIVERGES]
"""The quiet mark beside a verdict: an answer takes an allowed reading other than the suite's."""
GRAVEST_FIRST: tuple[Verdict, ...] = tuple(reversed(Verdict))
