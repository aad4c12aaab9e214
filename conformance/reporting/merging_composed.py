"""Results of composed programs of one target that were run in parts, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from msgspec import UNSET
from msgspec.structs import replace

from conformance.results import AspectResult, Composed, Failure, FunctionResult, Results
from conformance.results.composed import precedence, verdict_of

_COUNTS = ("programs", "calls", "compared", "unjudged", "cut", "failed", "unrepeated", "alike")


def counts_together(parts: Sequence[Results]) -> Composed:
    """The sums of what each part counted."""
    listed = [part.composed for part in parts if part.composed is not UNSET]
    sums = {name: sum(getattr(one, name) for one in listed) for name in _COUNTS}
    return replace(
        listed[0],
        **sums,
        digits=_columns([one.digits for one in listed]),
        blamed=_together([one.blamed for one in listed]),
        themes=_together([one.themes for one in listed]),
        depths={
            name: _columns([one.depths.get(name, []) for one in listed])
            for name in sorted({name for one in listed for name in one.depths})
        },
    )


def _columns(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip_longest(*rows, fillvalue=0)]


def _together(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return dict(sorted(found.items()))


def functions_together(parts: Sequence[Results]) -> list[FunctionResult]:
    """One result for each function: programs and failures of all parts.

    Failures with one id, of whatever functions, are filed where the one is that is shown.
    """
    aspects: dict[str, list[AspectResult]] = {}
    themes: dict[str, str] = {}
    for function in (function for part in parts for function in part.functions):
        aspects.setdefault(function.function, []).extend(function.aspects)
        themes[function.function] = function.theme
    filed = _filed(aspects)
    return [
        FunctionResult(name, theme, [_aspect(aspects[name], filed.get(name, []))])
        for name, theme in themes.items()
    ]


def _filed(aspects: Mapping[str, Sequence[AspectResult]]) -> dict[str, list[Failure]]:
    """The failures that are shown, by the functions that they are filed under."""
    by_id: dict[str, list[tuple[str, Failure]]] = {}
    for name, listed in aspects.items():
        for failure in (failure for aspect in listed for failure in aspect.failures):
            by_id.setdefault(failure.id, []).append((name, failure))
    found: dict[str, list[Failure]] = {}
    for _, alike in sorted(by_id.items()):
        name, shown = min(alike, key=lambda one: precedence(one[1]))
        count = sum(failure.count for _, failure in alike)
        found.setdefault(name, []).append(replace(shown, count=count))
    return found


def _aspect(parts: Sequence[AspectResult], failures: list[Failure]) -> AspectResult:
    cases = sum(part.cases for part in parts)
    notes = [part.note for part in parts if isinstance(part.note, str)]
    return replace(
        parts[0],
        verdict=verdict_of(failures, cases),
        cases=cases,
        failures=failures,
        note="; ".join(notes) or UNSET,
    )
