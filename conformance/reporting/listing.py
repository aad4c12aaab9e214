"""The failures of results in a list, the gravest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from conformance.reporting.marks import GRAVEST_FIRST
from conformance.results import AspectResult, Failure, FunctionResult, Verdict


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
        said = self.failure.message
        places = [str(p) for p in (self.failure.citation, self.failure.replacement) if p]
        unsaid = [p for p in places if not re.search(rf"(?<!\w){re.escape(p)}(?!\w)", said)]
        return f"{said} ({'; '.join(unsaid)})" if unsaid else said


def listed_failures(functions: Iterable[FunctionResult], *verdicts: Verdict) -> list[ListedFailure]:
    """The failures with one of the verdicts, gravest first, else in the order of the results."""
    found = [f for f in _unordered(functions) if f.verdict in verdicts]
    return sorted(found, key=lambda f: GRAVEST_FIRST.index(f.verdict))


def suite_failures(functions: Iterable[FunctionResult]) -> list[ListedFailure]:
    """For each function in which the suite itself failed its first aspect, which says how."""
    found = {f.function: f for f in reversed(listed_failures(functions, Verdict.ERROR))}
    return list(reversed(found.values()))


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
