"""Failures of composition that an earlier start filed, looked at once more.

The program that each was found in is made and run again, and what it shows now takes the failure's
place: another failure, a call that fails by itself, or nothing. The programs that were counted at
the failure go with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import UNSET
from msgspec.structs import replace

from conformance.fuzz.tally import Found, Tally
from conformance.results.composed import number_of


@dataclass(slots=True)
class OnceMore:
    """The failures that are still to be looked at, and what those show that were."""

    waiting: list[Found] = field(default_factory=list)
    seen: list[tuple[Found, Tally]] = field(default_factory=list)

    def settle(self, tally: Tally) -> None:
        """Put what was seen in the place of the failures that were looked at."""
        for old, _ in self.seen:
            _take_away(tally, old)
        for old, shown in self.seen:
            _replace(tally, shown, old.failure.count)
        self.seen = []


def program_of(found: Found) -> int:
    """The number of the program that a failure was found in."""
    assert found.failure.origin is not UNSET
    return number_of(found.failure.origin.trial)


def _take_away(tally: Tally, old: Found) -> None:
    """Later programs that were counted at the failure meanwhile stay."""
    now = tally.failures.pop(old.failure.id)
    left = now.failure.count - old.failure.count
    if left:
        tally.failures[old.failure.id] = Found(now.function, replace(now.failure, count=left))


def _replace(tally: Tally, shown: Tally, count: int) -> None:
    """A call that fails by itself beside a failure of what is left was counted before."""
    for function in shown.blamed if not shown.failures else ():
        tally.blamed[function] += count
        tally.said.setdefault(function, shown.said.get(function, ""))
    for found in shown.failures.values():
        tally.add(found.function, replace(found.failure, count=count))
    if not shown.blamed and not shown.failures:
        tally.counts["unrepeated"] += count
