"""What the programs of one target have shown so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from conformance.fuzz.bounds.sessions import graph
from conformance.fuzz.calls import Call, Special, calls_of
from conformance.fuzz.judging import Judged, Question
from conformance.fuzz.making.growth import Composed as Program
from conformance.results import Composed, Failure, Results
from conformance.results.composed import precedence
from conformance.specs import load

REASON = " programs fail because it fails by itself: "
"""What stands between how many programs were put down to a function, and how it failed first."""
BINS = 11
"""Shares of the digits that are lost, in tenths: from none to all of them."""


@dataclass(slots=True)
class Found:
    """A failure of a composition: where it is filed, and how often it was found."""

    function: str
    failure: Failure


@dataclass(slots=True)
class Tally:
    """Counts of the programs that were run, and the failures of composition by their ids."""

    counts: Counter[str] = field(default_factory=Counter)
    """Of what `Composed` counts."""
    digits: list[int] = field(default_factory=lambda: [0] * BINS)
    blamed: Counter[str] = field(default_factory=Counter)
    said: dict[str, str] = field(default_factory=dict)
    """How a function that is to blame failed, first."""
    themes: Counter[str] = field(default_factory=Counter)
    depths: dict[str, list[int]] = field(default_factory=dict)
    cases: Counter[str] = field(default_factory=Counter)
    """For each function how many programs have it, without those put down to a single call."""
    failures: dict[str, Found] = field(default_factory=dict)

    def count(self, program: Program, judged: Judged) -> None:
        """Count a program and how it was judged."""
        calls = program.calls
        self.counts["programs"] += 1
        self.counts["calls"] += len(calls)
        self.counts["compared"] += judged.compared
        self.counts["unjudged"] += judged.unjudged
        self.counts["cut"] += bool(program.cuts)
        self.counts["failed"] += bool(judged.differences)
        for lost in judged.lost:
            self.digits[min(BINS - 1, max(0, int(lost * (BINS - 1))))] += 1
        self.spread(calls)

    def spread(self, calls: list[Call | Special]) -> None:
        """Count which theme feeds which, and how far each call is away from the inputs."""
        depths: dict[str, int] = {}
        themes: dict[str, str] = {}
        for call in calls:
            name, theme = call.spec.name, load().theme(call.spec.name)
            given = [n for n in call.references() if n in depths]
            depth = 1 + max((depths[n] for n in given), default=0)
            depths[call.result], themes[call.result] = depth, theme
            self.themes.update({f"{theme} < {themes[n]}" for n in given})
            row = self.depths.setdefault(name, [])
            row += [0] * (depth - len(row))
            row[depth - 1] += 1
        self.cases.update({call.spec.name for call in calls})

    def blame(self, program: Program, function: str, says: str) -> None:
        """Count a program that fails because of one call: it says nothing of the others."""
        self.blamed[function] += 1
        self.cases.subtract({call.spec.name for call in program.calls})
        self.said.setdefault(function, says)

    def credit(self, question: Question) -> None:
        """Note that what is left of a program agrees."""
        calls = calls_of(graph(question.program), question.edition)
        self.cases.update({call.spec.name for call in calls})

    def add(self, function: str, failure: Failure) -> None:
        """Note a failure of composition; of two with one id one is shown."""
        both = [*filter(None, [self.failures.get(failure.id)]), Found(function, failure)]
        shown = min(both, key=lambda found: precedence(found.failure))
        count = sum(found.failure.count for found in both)
        self.failures[failure.id] = Found(shown.function, replace(shown.failure, count=count))

    def count_alike(self, function: str, failure: Failure) -> None:
        """Count a program at a failure that was filed of another one."""
        self.add(function, replace(failure, count=1))
        self.counts["alike"] += 1

    def merge(self, other: Tally) -> None:
        """Add the counts and failures of other programs."""
        self.counts.update(other.counts)
        self.digits = [a + b for a, b in zip(self.digits, other.digits, strict=True)]
        self.blamed.update(other.blamed)
        self.said = {**other.said, **self.said}
        self.themes.update(other.themes)
        self.cases.update(other.cases)
        for name, row in other.depths.items():
            mine = self.depths.setdefault(name, [])
            mine += [0] * (len(row) - len(mine))
            for place, number in enumerate(row):
                mine[place] += number
        for found in other.failures.values():
            self.add(found.function, found.failure)

    @property
    def composed(self) -> Composed:
        """The counts, as results hold them."""
        counted: dict[str, Any] = {name: self.counts[name] for name in _COUNTED}
        return Composed(
            **counted,
            digits=list(self.digits),
            blamed=dict(sorted(self.blamed.items())),
            themes=dict(sorted(self.themes.items())),
            depths=dict(sorted(self.depths.items())),
        )


_COUNTED = ("programs", "calls", "compared", "unjudged", "cut", "failed", "unrepeated", "alike")


def tally_of(results: Results) -> Tally:
    """The tally that results were made of."""
    told = results.composed
    found = Tally()
    if told is UNSET:
        return found
    found.counts = Counter({name: getattr(told, name) for name in _COUNTED})
    found.digits = list(told.digits)
    found.blamed, found.themes = Counter(told.blamed), Counter(told.themes)
    found.depths = {name: list(row) for name, row in told.depths.items()}
    for function in results.functions:
        for aspect in function.aspects:
            found.cases[function.function] = aspect.cases
            if isinstance(aspect.note, str) and REASON in aspect.note:
                found.said[function.function] = aspect.note.split(REASON, 1)[1]
            for failure in aspect.failures:
                found.add(function.function, failure)
    return found
