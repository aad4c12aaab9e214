"""How every target fares with one function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from conformance.reporting.failures import Quote, failure_lines, nothing
from conformance.reporting.listing import earlier_alone, listed_failures
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.matrix import MatrixColumn, column, grid, legend
from conformance.reporting.paint import Paint
from conformance.results import ASPECTS, AspectResult, FunctionResult, Results, Verdict
from conformance.results.composed import is_composed
from conformance.results.scores import diverges, standing

_DETAILED = [v for v in GRAVEST_FIRST if v not in (Verdict.CONFORMS, Verdict.NOT_APPLICABLE)]


def function_lines(
    results: Sequence[Results],
    function: str,
    paint: Paint,
    width: int,
    quote: Quote = nothing,
    *,
    whole: bool = True,
) -> Iterator[Text]:
    """Verdicts by aspect and target, largest errors, then each target's failures in full.

    Unless `whole`, the results are a part of the function's, and have a row for each aspect in it.
    """
    columns = [column(target) for target in results]
    tested = [c for c in columns if function in c.functions]
    absent = [c.name for c in columns if function not in c.functions]
    if tested:
        there = {a.aspect for c in tested for a in c.functions[function].aspects}
        aspects = [str(aspect) for aspect in ASPECTS if whole or aspect in there]
        yield from _verdicts(tested, function, aspects, paint, width)
    if absent:
        yield paint.text(f"Not run on: {', '.join(absent)}")
    for entry in tested:
        own = entry.functions[function]
        yield from _aspect_lines(f"{entry.name} ({entry.edition})", own, paint, quote)
        head = f"{entry.name} ({entry.edition}), failures of kept cases from earlier runs alone"
        yield from _aspect_lines(head, earlier_alone(own), paint, quote)


def _aspect_lines(
    head: str, function: FunctionResult, paint: Paint, quote: Quote
) -> Iterator[Text]:
    """The failures in full, under a heading; nothing if there are none."""
    failures = listed_failures([function], *_DETAILED)
    if failures:
        yield Text()
        yield paint.text(head, "bold")
    for failure in failures:
        yield from failure_lines(failure, paint, quote)


def _verdicts(
    columns: Sequence[MatrixColumn],
    function: str,
    aspects: Sequence[str],
    paint: Paint,
    width: int,
) -> Iterator[Text]:
    def cell(entry: MatrixColumn, aspect: str) -> Text:
        return _cell(_aspect(entry, function, aspect), paint)

    yield from legend(columns, paint, width)
    yield Text("Cells: cases that follow the documents / all cases")
    yield from grid(columns, {"": aspects}, cell, paint, width)
    for entry in columns:
        for aspect in entry.functions[function].aspects:
            if aspect.max_ulp is not None:
                yield paint.text(f"{entry.name}: {aspect.aspect} {accuracy(aspect)}")


def _aspect(entry: MatrixColumn, function: str, aspect: str) -> AspectResult | None:
    aspects = entry.functions[function].aspects
    return next((a for a in aspects if a.aspect == aspect), None)


def _cell(aspect: AspectResult | None, paint: Paint) -> Text:
    if aspect is None:
        return paint.mark(Verdict.NOT_APPLICABLE)
    cell = paint.mark(standing(aspect), case_counts(aspect))
    return paint.with_reading(cell) if diverges(aspect) else cell


def case_counts(aspect: AspectResult) -> str:
    """How many of the cases follow the documents: all but those of faults and refusals.

    Where a composed program fails, which may be one of another function, how many were run.
    """
    if not aspect.cases:
        return ""
    if any(map(is_composed, aspect.failures)):
        return f"{aspect.cases} run"
    right, cases = kept_cases(aspect)
    return f"{right}/{cases}"


def kept_cases(aspect: AspectResult) -> tuple[int, int]:
    """How many cases follow the documents, and how many there are."""
    failed = sum(f.count for f in aspect.failures if f.verdict is not Verdict.DIVERGES)
    return max(aspect.cases - failed, 0), aspect.cases


def accuracy(aspect: AspectResult) -> str:
    """The largest error that was seen, beside the limit, in ULP."""
    limit = "no limit in ULP" if aspect.limit_ulp is None else f"limit {aspect.limit_ulp:g}"
    return f"is off by {aspect.max_ulp:.4g} ULP at most ({limit})"
