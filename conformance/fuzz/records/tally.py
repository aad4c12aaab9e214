"""The counts and failures of one target's programs so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from conformance.fuzz.bounds.sessions import graph
from conformance.fuzz.judging import Judged, Question
from conformance.fuzz.making.growth import ComposedProgram as Program
from conformance.fuzz.making.growth import Plan
from conformance.fuzz.making.pairs import Pair, due, edges, existing, places, selected
from conformance.fuzz.programs import ProgramCall, Special, calls_of
from conformance.results import Composed, Failure, Results
from conformance.results.composed import coverage, packed, precedence, unpacked
from conformance.specs import load

REASON = " programs fail because it fails by itself: "
"""The text between the number of programs that were put down to a function, and its first
failure."""
BINS = 11
"""Shares of the digits that are lost, in tenths: from none to all of them."""


@dataclass(slots=True)
class FiledFailure:
    """A failure of a composition: where it is filed, and how often it was found."""

    function: str
    failure: Failure


@dataclass(slots=True)
class ProgramTally:
    """Counts of the programs that were run, and the failures of composition by their ids."""

    counts: Counter[str] = field(default_factory=Counter)
    """The counts that `Composed` has."""
    digits: list[int] = field(default_factory=lambda: [0] * BINS)
    blamed: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)
    """How a function that is to blame failed, first."""
    themes: Counter[str] = field(default_factory=Counter)
    depths: dict[str, list[int]] = field(default_factory=dict)
    cases: Counter[str] = field(default_factory=Counter)
    """For each function how many programs have it, without those put down to a single call."""
    failures: dict[str, FiledFailure] = field(default_factory=dict)
    covered: set[Pair] = field(default_factory=set)
    """The pairs of functions in programs that were judged."""

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
        if not judged.differences:
            self.covered |= edges(calls, program.edition)

    def spread(self, calls: list[ProgramCall | Special]) -> None:
        """Count which theme feeds which, and how far each call is away from the inputs."""
        depths: dict[str, int] = {}
        themes: dict[str, str] = {}
        for call in calls:
            name, theme = call.spec.name, load().theme(call.spec.name)
            fed = [n for n in call.references() if n in depths]
            depth = 1 + max((depths[n] for n in fed), default=0)
            depths[call.result], themes[call.result] = depth, theme
            self.themes.update({f"{theme} < {themes[n]}" for n in fed})
            row = self.depths.setdefault(name, [])
            row += [0] * (depth - len(row))
            row[depth - 1] += 1
        self.cases.update({call.spec.name for call in calls})

    def blame(self, program: Program, function: str, says: str) -> None:
        """Count a program that fails because of one call: it says nothing of the others."""
        self.blamed[function] += 1
        self.cases.subtract({call.spec.name for call in program.calls})
        self.reasons.setdefault(function, says)

    def credit(self, question: Question) -> None:
        """Note that what is left of a program agrees."""
        calls = list(calls_of(graph(question.program), question.edition))
        self.cases.update({call.spec.name for call in calls})
        self.covered |= edges(calls, question.edition)

    def cover(self, question: Question) -> None:
        """Note the pairs of a program that fails though each of its calls conforms."""
        calls = list(calls_of(graph(question.program), question.edition))
        self.covered |= edges(calls, question.edition)

    def add(self, function: str, failure: Failure) -> None:
        """Note a failure of composition; of two with one id one is shown."""
        both = [*filter(None, [self.failures.get(failure.id)]), FiledFailure(function, failure)]
        shown = min(both, key=lambda filed: precedence(filed.failure))
        count = sum(filed.failure.count for filed in both)
        self.failures[failure.id] = FiledFailure(
            shown.function, replace(shown.failure, count=count)
        )

    def count_alike(self, function: str, failure: Failure) -> None:
        """Count a program at a failure that was filed of another one."""
        self.add(function, replace(failure, count=1))
        self.counts["alike"] += 1

    def merge(self, other: ProgramTally) -> None:
        """Add the counts and failures of other programs."""
        self.counts.update(other.counts)
        self.digits = [a + b for a, b in zip(self.digits, other.digits, strict=True)]
        self.blamed.update(other.blamed)
        self.reasons = {**other.reasons, **self.reasons}
        self.themes.update(other.themes)
        self.cases.update(other.cases)
        self.covered |= other.covered
        for name, row in other.depths.items():
            mine = self.depths.setdefault(name, [])
            mine += [0] * (len(row) - len(mine))
            for place, number in enumerate(row):
                mine[place] += number
        for filed in other.failures.values():
            self.add(filed.function, filed.failure)

    def composed(self, plan: Plan, numbers: Iterable[int]) -> Composed:
        """The counts, as results hold them, of the programs of a plan with these numbers."""
        pairs, known = {*selected(plan)}, places(plan.edition)
        counted: dict[str, Any] = {name: self.counts[name] for name in _COUNTED}
        return Composed(
            **counted,
            digits=list(self.digits),
            blamed=dict(sorted(self.blamed.items())),
            themes=dict(sorted(self.themes.items())),
            depths=dict(sorted(self.depths.items())),
            size=list(plan.size),
            pairs=len(pairs),
            covered=packed(known[pair] for pair in self.covered & pairs),
            missed=len(due(plan, numbers) - self.covered),
        )


_COUNTED = ("programs", "calls", "compared", "unjudged", "cut", "failed", "unrepeated", "alike")


def tally_of(results: Results) -> ProgramTally:
    """The tally that results were made of."""
    record = results.composed
    tally = ProgramTally()
    if record is UNSET:
        return tally
    tally.counts = Counter({name: getattr(record, name) for name in _COUNTED})
    tally.digits = list(record.digits)
    tally.blamed, tally.themes = Counter(record.blamed), Counter(record.themes)
    known = existing(results.target.edition)
    tally.covered = {known[n] for n in unpacked(record.covered) if n < len(known)}
    tally.depths = {name: list(row) for name, row in record.depths.items()}
    for function in results.functions:
        for aspect in function.aspects:
            tally.cases[function.function] = aspect.cases
            if isinstance(aspect.note, str) and REASON in aspect.note:
                tally.reasons[function.function] = aspect.note.split(REASON, 1)[1]
            for failure in aspect.failures:
                tally.add(function.function, failure)
    return tally


MOST = 8
"""Functions that are named."""


def summary_lines(results: Results) -> Iterator[str]:
    """The number of programs that were run and compared, the tightness of the bounds, and the
    blamed functions."""
    counts, name = results.composed, results.target.name
    if counts is UNSET:
        return
    speed = counts.programs / results.run.seconds if results.run.seconds else 0.0
    yield (
        f"{name}: {counts.programs} programs of {counts.calls} calls, {speed:.1f} a second; "
        f"{counts.compared} results compared, {counts.unjudged} unknown; "
        f"{counts.cut} programs cut"
    )
    yield f"    the bounds leave open {_tightness(counts.digits)}"
    if counts.pairs:
        others = f"; {counts.missed:,} others were tried" if counts.missed else ""
        yield f"    {coverage(counts)} of functions{others}"
    if counts.failed:
        yield (
            f"    {counts.failed} programs differ: {sum(counts.blamed.values())} because of a call "
            f"that fails by itself{_most_blamed(counts.blamed)}; "
            f"{_composition(results)} failures of composition, "
            "some of them in programs without that call"
            + (f"; {counts.alike} with a known error" if counts.alike else "")
            + (f"; {counts.unrepeated} not again, or not always" if counts.unrepeated else "")
        )


def _composition(results: Results) -> int:
    return sum(x.count for f in results.functions for a in f.aspects for x in a.failures)


def _most_blamed(blamed: dict[str, int]) -> str:
    ordered = sorted(blamed.items(), key=lambda pair: (-pair[1], pair[0]))
    named = ", ".join(f"{name} {count}" for name, count in ordered[:MOST])
    return f" ({named}{', ...' if len(ordered) > MOST else ''})" if named else ""


def _tightness(digits: list[int]) -> str:
    """The shares of digits that half, nine of ten and all but one of a hundred results lose."""
    total = sum(digits)
    if not total:
        return "no digits, because no result is floating"
    parts = []
    for share, words in ((0.5, "half"), (0.9, "nine of ten"), (0.99, "99 of 100")):
        seen = 0
        for place, number in enumerate(digits):
            seen += number
            if seen >= share * total:
                parts.append(f"less than {min(1.0, (place + 1) / 10):.0%} of the digits in {words}")
                break
    return ", ".join(parts) + " of the results"
