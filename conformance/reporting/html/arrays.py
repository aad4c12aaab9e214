"""Expected and got as text whose differing elements are marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import UNSET

from conformance.reporting.failures import differing, part_shown, row_length
from conformance.results import Array, Failure

ROWS = 12
ROW_WIDTH = 12
Element = int | float | bool | str


class Piece(NamedTuple):
    """Some text, and whether it is marked as a difference."""

    text: str
    marked: bool = False


class PageValue(NamedTuple):
    """One side of a comparison."""

    title: str
    head: list[Piece]
    """The dtype and the shape of an array, else nothing."""
    lines: list[list[Piece]]


def compared_values(failure: Failure, limit_ulp: float | None) -> Iterator[PageValue]:
    """Expected and got, where the failure has them."""
    marks = differing(failure.expected, failure.got, limit_ulp or 0.0)
    for title, side in (("expected", failure.expected), ("got", failure.got)):
        if isinstance(side, Array):
            other = failure.got if side is failure.expected else failure.expected
            yield shown_array(title, side, marks, other if isinstance(other, Array) else side)
        elif side is not None:
            yield PageValue(title, [], [[Piece(side)]])


def shown_array(title: str, value: Array, marks: set[int], other: Array | None = None) -> PageValue:
    """An array, a line for each row; rows with differences are kept if there are too many.

    Its shape is marked where `other` has another.
    """
    shape = ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "")
    differs = other is not None and other.shape != value.shape
    head = [Piece(f"{value.dtype} "), Piece(f"({shape})", differs)]
    head += [Piece(part_shown(value))] if value.truncated else []
    cells = [f"{v:.9g}" if isinstance(v, float) else str(v) for v in value.data]
    length = row_length(value)
    starts = range(0, len(cells), length)
    kept = _kept(starts, length, marks)
    width = max(map(len, cells), default=0)
    lines = [_row(value, cells, slice(s, s + length), marks, width) for s in kept]
    if len(starts) > len(kept):
        lines.append([Piece(f"and {len(starts) - len(kept)} more rows")])
    return PageValue(title, head, lines)


def _kept(starts: Sequence[int], length: int, marks: set[int]) -> list[int]:
    differ = {i // length * length for i in marks}
    ordered = sorted(starts, key=lambda s: s not in differ)
    return sorted(ordered[:ROWS])


def _row(
    value: Array, cells: Sequence[str], part: slice, marks: set[int], width: int
) -> list[Piece]:
    whole = value.start is UNSET and row_length(value) == max(value.shape[-1:], default=1)
    pieces = [Piece(_index(value.shape, part.start))] if len(value.shape) > 1 and whole else []
    for index in range(part.start, min(part.stop, len(cells)))[:ROW_WIDTH]:
        pieces += [
            Piece(" " * (width - len(cells[index]) + 1)),
            Piece(cells[index], index in marks),
        ]
    left = min(part.stop, len(cells)) - part.start - ROW_WIDTH
    return [*pieces, Piece(f"  and {left} more")] if left > 0 else pieces


def _index(shape: Sequence[int], flat: int) -> str:
    """`[1, 0]`: where a row stands."""
    place, row = [], flat // max(shape[-1], 1)
    for size in reversed(shape[:-1]):
        row, index = divmod(row, max(size, 1))
        place.append(str(index))
    return f"[{', '.join(reversed(place))}]"


def ulp(value: float | None) -> str:
    """An error in ULP for people."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:.3g}" if value < 1000 else f"{value:.1e}"
