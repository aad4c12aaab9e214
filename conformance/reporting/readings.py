"""Who takes which of the readings that the documents leave open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.reporting.safe_text import clean
from conformance.results import Failure, FunctionResult
from conformance.results.scores import TakenReading, readings, readings_of

ANOTHER = "another reading"
"""What stands for a reading without a name."""

Takers = dict[TakenReading, dict[str, list[str]]]
"""For each reading the targets that take it, and in which functions."""


def takers(targets: Iterable[tuple[str, Iterable[FunctionResult]]]) -> Takers:
    """Who takes which reading, by the targets' names; by convention, then by reading."""
    found: Takers = {}
    for target, functions in targets:
        for function in functions:
            for reading in readings(function.aspects):
                found.setdefault(reading, {}).setdefault(target, []).append(function.function)
    return dict(sorted(found.items()))


def reading_name(reading: TakenReading) -> str:
    """The reading alone, on one line."""
    return clean(reading.name) or ANOTHER


def told(taken: Iterable[TakenReading]) -> str:
    """Readings on one line: `kernel-layout: th, empty`; nothing for none."""
    return ", ".join(clean(str(reading)) for reading in taken)


def told_of(failures: Sequence[Failure]) -> str:
    """The readings that failures take, each once."""
    return told(dict.fromkeys(r for failure in failures for r in readings_of(failure)))
