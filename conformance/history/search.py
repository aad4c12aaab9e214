"""Search for the releases at which a failure begins and ends, with few runs.

The search tests the oldest release, the newest and a release known to fail. Between two that
differ it tests the middle, as `git bisect` does. It passes over releases that cannot be tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct


class CaseOutcome(StrEnum):
    """The outcome of a failing case in one release."""

    FAILS = "fails"
    OTHERWISE = "fails in another way"
    PASSES = "passes"
    NOT_PROMISED = "not promised"
    """The release has no such function, parameter or section."""
    UNTESTABLE = "cannot be tested"


class Probe(Struct, frozen=True):
    """One run of the case: the release, its answer, and the reason in a clause."""

    version: str
    answer: CaseOutcome
    why: str = ""

    @property
    def fails(self) -> bool:
        """Whether the release shows this failure, and not another one."""
        return self.answer is CaseOutcome.FAILS

    def __str__(self) -> str:
        return f"{self.version} {self.answer}" + (f": {self.why}" if self.why else "")


class Boundary(Struct, frozen=True):
    """Two tested releases: one fails, and no release between them can be tested."""

    before: Probe
    after: Probe
    untestable: tuple[str, ...] = ()
    """The releases between the two."""

    @property
    def fixed(self) -> bool:
        """Whether the failure ends here."""
        return self.before.fails


class Search:
    """The tests of one failure, each release once.

    Args:
        versions: the releases, the oldest first, each once.
        test: runs the case on a release.
    """

    def __init__(self, versions: Sequence[str], test: Callable[[str], Probe]) -> None:
        self.versions = list(versions)
        self.probes: dict[str, Probe] = {}
        self._probe = test

    def boundaries(self, known: str | None = None) -> list[Boundary]:
        """The boundaries between the oldest and the newest release that can be tested.

        `known` is a release that is expected to fail. A failure that begins several times
        between two tested releases is found once.
        """
        anchors = [self._first(range(len(self.versions)))]
        if known in self.versions:
            anchors.append(self._first([self.versions.index(known)]))
        anchors.append(self._first(range(len(self.versions) - 1, -1, -1)))
        places = sorted({place for place in anchors if place is not None})
        return [
            self._between(low, high)
            for low, high in pairwise(places)
            if self._at(low).fails != self._at(high).fails
        ]

    def _at(self, place: int) -> Probe:
        version = self.versions[place]
        if version not in self.probes:
            self.probes[version] = self._probe(version)
        return self.probes[version]

    def _testable(self, place: int) -> bool:
        return self._at(place).answer is not CaseOutcome.UNTESTABLE

    def _first(self, places: Sequence[int]) -> int | None:
        return next((place for place in places if self._testable(place)), None)

    def _between(self, low: int, high: int) -> Boundary:
        inside = list(range(low + 1, high))
        while inside:
            middle = inside[len(inside) // 2]
            if not self._testable(middle):
                inside.remove(middle)
            elif self._at(middle).fails == self._at(low).fails:
                low, inside = middle, [place for place in inside if place > middle]
            else:
                high, inside = middle, [place for place in inside if place < middle]
        return Boundary(self._at(low), self._at(high), tuple(self.versions[low + 1 : high]))
