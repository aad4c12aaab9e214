"""One failure in full: what was expected, the answer, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import UNSET
from rich.text import Text

from conformance.reporting.listing import ListedFailure, failure_readings
from conformance.reporting.paint import Paint
from conformance.reporting.safe_text import clean
from conformance.results import Array, AspectResult, Failure
from conformance.results.composed import how_often

Quote = Callable[[str, int], str | None]
"""Gives a line of a document; None where the text is not at hand."""


def nothing(document: str, line: int) -> str | None:  # noqa: ARG001 - as a Quote is called
    """The quotation of whoever has no document."""
    return None


def cited(failure: Failure, quote: Quote) -> str:
    """`ko-2.2:2787: the line`, the place alone where the text is not at hand; empty without one."""
    place = failure.citation
    if place is None:
        return ""
    line = quote(place.document, place.line) if isinstance(place.line, int) else None
    return str(place) if line is None else f"{place}: {line.strip()}"


ROWS = 8
"""Rows of an array that are shown before it is cut."""
ROW_WIDTH = 12
"""Elements of a row that are shown before it is cut."""
Element = int | float | bool | str


def failure_lines(entry: ListedFailure, paint: Paint, quote: Quote = nothing) -> Iterator[Text]:
    """The lines on one failure: message, what it cites, accuracy, expected and got, output."""
    yield Text.assemble(
        paint.mark(entry.verdict, entry.aspect.aspect), "  ", paint.text(entry.message)
    )
    failure = entry.failure
    if failure is None:
        return
    yield from _indented(_facts(entry, failure, paint, quote), 4)
    yield from _indented(_flow(failure, paint), 4)
    limit = exceeded_limit(failure, entry.aspect) or 0.0
    yield from _indented(comparison(failure.expected, failure.got, paint, limit), 4)
    if failure.output:
        yield Text("    output of the call:")
        for line in paint.block(failure.output).rstrip("\n").split("\n"):
            yield Text(f"      {line}", "dim")


def exceeded_limit(failure: Failure, aspect: AspectResult) -> float | None:
    """The aspect's limit in ULP, unless the failure's error is within it.

    Then the aspect has wider bounds than the failing case, of which the results say nothing.
    """
    limit, error = aspect.limit_ulp, failure.max_ulp
    return limit if limit is None or error is None or error > limit else None


def error_text(failure: Failure, aspect: AspectResult, written: Callable[[float], str]) -> str:
    """The error of a failure in ULP, and the limit that it exceeds; nothing where it has none."""
    if failure.max_ulp is None:
        return ""
    limit = exceeded_limit(failure, aspect)
    if limit is not None:
        against = f"the limit is {written(limit)} ULP"
    elif aspect.limit_ulp is None:
        against = "no limit in ULP"
    else:
        against = "more than the bound of this case"
    return f"error {written(failure.max_ulp)} ULP; {against}"


def place_text(failure: Failure, most: int = 5) -> str:
    """`raised at keras/src/ops/nn.py:12, in relu`; for a wrong answer `suspect lines: ` and at most
    so many lines with their scores. Empty where the results have no place."""
    if isinstance(failure.place, str):
        return f"raised at {clean(failure.place)}"
    if failure.suspect_lines is UNSET or not failure.suspect_lines:
        return ""
    lines = [f"{clean(s.place)} ({s.score:.2f})" for s in failure.suspect_lines[:most]]
    return f"suspect line{'s' * (len(lines) > 1)}: {'; '.join(lines)}"


def _indented(lines: Iterator[Text], by: int) -> Iterator[Text]:
    for line in lines:
        yield Text.assemble(" " * by, line)


def _facts(entry: ListedFailure, failure: Failure, paint: Paint, quote: Quote) -> Iterator[Text]:
    scripted = ", has a script" if failure.script else ""
    yield paint.text(
        f"{failure.id}: {failure.kind}, {how_often(failure, entry.aspect.cases)}{scripted}"
    )
    if failure.citation:
        yield paint.text(f"demanded by {cited(failure, quote)}")
    if failure.replacement:
        row = failure.replacement
        yield paint.text(f"replaced ({row}) by {' '.join(row.call.split())}")
    if failure.convention:
        yield paint.text(f"the documents are silent; the suite's convention: {failure.convention}")
    if failure.readings:
        yield paint.text(f"allowed reading: {failure_readings([failure])}")
    if failure.max_ulp is not None:
        yield Text(error_text(failure, entry.aspect, "{:.4g}".format))
    if text := place_text(failure):
        yield paint.text(text)
    for name, array in failure.inputs.items():
        yield from array_lines(f"input {name}", array, set(), paint)


def _flow(failure: Failure, paint: Paint) -> Iterator[Text]:
    """The flow of values in the program of a failure of composition."""
    # a failure without a program need not wait for programs
    from conformance.reporting.flow import composed_program, flow_lines  # noqa: PLC0415

    program = composed_program(failure)
    if program is not None:
        yield Text("program, each step indented under its sources:")
        for layer, line in flow_lines(program):
            yield Text.assemble("  " * (1 + layer), paint.block(line))


def comparison(
    expected: Array | str | None, got: Array | str | None, paint: Paint, limit_ulp: float = 0.0
) -> Iterator[Text]:
    """Both answers; elements that differ by more than `limit_ulp` stand between stars."""
    marks = differing(expected, got, limit_ulp)
    for title, side in (("expected", expected), ("got", got)):
        if isinstance(side, Array):
            yield from array_lines(title, side, marks, paint)
        elif side is not None:
            yield paint.text(f"{title}: {side}")
    if marks:
        yield Text(f"{len(marks)} of {_shown_elements(got)} elements differ (between stars)")


def _shown_elements(side: Array | str | None) -> int:
    return len(side.data) if isinstance(side, Array) else 0


def differing(
    expected: Array | str | None, got: Array | str | None, limit_ulp: float = 0.0
) -> set[int]:
    """The flat indices at which two arrays of one shape differ by more than `limit_ulp`.

    A unit in the last place is that of the expected value in the dtype of the answer. NaN equals
    NaN. Arrays of different shapes are not compared by element: the set is empty.
    """
    if not isinstance(expected, Array) or not isinstance(got, Array):
        return set()
    if expected.shape != got.shape or expected.start != got.start:
        return set()
    pairs = zip(expected.data, got.data, strict=False)
    unit = _unit(got.dtype)
    return {i for i, (want, have) in enumerate(pairs) if _differs(want, have, unit, limit_ulp)}


def _unit(dtype: str) -> str | None:
    return dtype if dtype in ("bfloat16", "float16", "float32", "float64") else None


def _differs(want: Element, have: Element, unit: str | None, limit: float) -> bool:
    # a failure without an array need not wait for NumPy
    import numpy as np  # noqa: PLC0415

    from conformance.dtypes import rounded, spacing  # noqa: PLC0415

    if want == have or unit is None:
        return want != have
    expected, had = float(want), float(have)
    with np.errstate(over="ignore", invalid="ignore"):
        near, step = float(rounded(expected, unit)), spacing(expected, unit)
    if not (np.isfinite(near) and np.isfinite(had)):
        return near != had and not (np.isnan(near) and np.isnan(had))
    # at least half a unit: the oracle's float64 value is seldom one of the dtype's numbers
    return bool(abs(expected - had) > max(limit, 0.5) * step)


def array_lines(title: str, array: Array, marks: set[int], paint: Paint) -> Iterator[Text]:
    """An array with a title, cut if it is long; elements in `marks`, flat indices, are marked."""
    shape = ", ".join(map(str, array.shape)) + ("," if len(array.shape) == 1 else "")
    yield paint.text(f"{title}: {array.dtype} ({shape}){part_shown(array)}")
    cells = [_element(value, i in marks) for i, value in enumerate(array.data)]
    width = max(map(len, cells), default=0)
    length = row_length(array)
    starts = range(0, len(cells), length)
    for start in _chosen(starts, length, marks):
        row = cells[start : start + length]
        yield _array_row(row, width, paint)
    if len(starts) > ROWS:
        yield Text(f"  {len(starts) - ROWS} more rows")


def part_shown(array: Array) -> str:
    """Which elements of the array are shown, if not all."""
    if array.start is not UNSET:
        return f", elements {array.start} to {array.start + len(array.data) - 1} in C order"
    return ", cut" if array.truncated else ""


def row_length(array: Array) -> int:
    """The number of elements in a row: those along the last axis. It is as many as fit if the array
    has a long axis or does not begin with the first row."""
    length = max(array.shape[-1] if array.shape else 1, 1)
    return ROW_WIDTH if array.truncated and (array.start is not UNSET or length > 64) else length


def _chosen(starts: Sequence[int], length: int, marks: set[int]) -> list[int]:
    """The rows to show: those with differences first, in their order."""
    marked = [s for s in starts if any(s <= i < s + length for i in marks)]
    plain = [s for s in starts if s not in set(marked)]
    return sorted([*marked, *plain][:ROWS])


def _array_row(row: Sequence[str], width: int, paint: Paint) -> Text:
    parts = [Text(" ")]
    for cell in row[:ROW_WIDTH]:
        parts.append(Text(paint.plain(cell).rjust(width + 1), "bold red" if cell[0] == "*" else ""))
    if len(row) > ROW_WIDTH:
        parts.append(Text(f"  and {len(row) - ROW_WIDTH} more"))
    return Text.assemble(*parts)


def _element(value: Element, marked: bool) -> str:
    shown = f"{value:.9g}" if isinstance(value, float) else str(value)
    return f"*{shown}*" if marked else shown
