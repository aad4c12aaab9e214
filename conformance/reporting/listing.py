"""The failures of results in a list, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.safe_text import clean
from conformance.results import AspectResult, Failure, FunctionResult, Verdict
from conformance.results.scores import TakenReading, readings, readings_of


class ListedFailure(NamedTuple):
    """One failure with its place; `failure` is None where an aspect gives a note only."""

    function: str
    aspect: AspectResult
    failure: Failure | None

    @property
    def verdict(self) -> Verdict:
        """The failure's own verdict, or that of the aspect."""
        return self.failure.verdict if self.failure else self.aspect.verdict

    @property
    def message(self) -> str:
        """One line, with citation and row of a mapping if the words do not hold them already."""
        if self.failure is None:
            note = self.aspect.note
            return note if isinstance(note, str) else str(self.aspect.verdict)
        message = self.failure.message
        places = [str(p) for p in (self.failure.citation, self.failure.replacement) if p]
        unsaid = [p for p in places if not self._says(p)]
        return f"{message} ({'; '.join(unsaid)})" if unsaid else message

    def _says(self, place: str) -> bool:
        """Whether the message has the citation, which may be short for the function's own text."""
        assert self.failure is not None
        short = place.replace(f"{self.function}: ", "docstring: ", 1)
        words = "|".join(map(re.escape, (place, short)))
        return bool(re.search(rf"(?<!\w)(?:{words})(?!\w)", self.failure.message))


def listed_failures(functions: Iterable[FunctionResult], *verdicts: Verdict) -> list[ListedFailure]:
    """The failures with one of the verdicts, gravest first, else in the order of the results."""
    failures = [f for f in _unordered(functions) if f.verdict in verdicts]
    return sorted(failures, key=lambda f: GRAVEST_FIRST.index(f.verdict))


def suite_failures(functions: Iterable[FunctionResult]) -> list[ListedFailure]:
    """For each function in which the suite itself failed its first aspect, which says how."""
    failures = {f.function: f for f in reversed(listed_failures(functions, Verdict.ERROR))}
    return list(reversed(failures.values()))


def earlier_alone(function: FunctionResult) -> FunctionResult:
    """The function with those failures alone that only cases kept from earlier runs show."""
    aspects = [
        replace(aspect, failures=aspect.earlier_failures, earlier_failures=[])
        for aspect in function.aspects
        if aspect.earlier_failures
    ]
    return replace(function, aspects=aspects)


def _unordered(functions: Iterable[FunctionResult]) -> Iterator[ListedFailure]:
    for function in functions:
        for aspect in function.aspects:
            if not aspect.failures:
                yield ListedFailure(function.function, aspect, None)
            for failure in aspect.failures:
                yield ListedFailure(function.function, aspect, failure)


ANOTHER = "another reading"
"""The text for a reading without a name."""

Takers = dict[TakenReading, dict[str, list[str]]]
"""For each reading the targets that take it, and in which functions."""


def takers(targets: Iterable[tuple[str, Iterable[FunctionResult]]]) -> Takers:
    """The targets that take each reading, by name; by convention, then by reading."""
    grouped: Takers = {}
    for target, functions in targets:
        for function in functions:
            for reading in readings(function.aspects):
                grouped.setdefault(reading, {}).setdefault(target, []).append(function.function)
    return dict(sorted(grouped.items()))


def reading_name(reading: TakenReading) -> str:
    """The reading alone, on one line."""
    return clean(reading.name) or ANOTHER


def readings_text(taken: Iterable[TakenReading]) -> str:
    """Readings on one line: `kernel-layout: th, empty`; nothing for none."""
    return ", ".join(clean(str(reading)) for reading in taken)


def failure_readings(failures: Sequence[Failure]) -> str:
    """The readings that failures take, each once."""
    return readings_text(dict.fromkeys(r for failure in failures for r in readings_of(failure)))
