"""Expected and got as text whose differing elements are marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET

from conformance.reporting.failures import differing, part_shown, row_length
from conformance.reporting.targets import TargetView
from conformance.results import Array, AspectResult, Failure, FindingKind, Verdict

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
    places = _shown_places(starts, length, marks)
    width = max(map(len, cells), default=0)
    lines = [_row(value, cells, slice(s, s + length), marks, width) for s in places]
    if len(starts) > len(places):
        lines.append([Piece(f"and {len(starts) - len(places)} more rows")])
    return PageValue(title, head, lines)


def _shown_places(starts: Sequence[int], length: int, marks: set[int]) -> list[int]:
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


STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Up to which share of the bound each shade goes; what is beyond the last breaks the bound."""


BROKEN = 1e9
"""More than any share of a bound that is kept."""


class Share(NamedTuple):
    """The largest error of one function on one target, as a share of its bound."""

    value: float
    error: float
    bound: float
    broken: bool = False
    """Whether another answer violates the documents by more than its bound."""

    @property
    def shade(self) -> int:
        """The number of the first of `STEPS` that it does not exceed; their number if `broken`."""
        return len(STEPS) if self.broken else sum(self.value > step for step in STEPS)

    @property
    def key(self) -> float:
        """The sorting key of cells: broken bounds before all others."""
        return self.value + (BROKEN if self.broken else 0.0)

    @property
    def figure(self) -> str:
        """Three figures at most; a share within the bound is never rounded up to 1."""
        if self.value in (0.0, 1.0):
            return f"{self.value:.0f}"
        if 0.995 <= self.value < 1:
            return "<1"
        if self.value < 0.005:
            return "<.01"
        return f"{self.value:.2f}" if self.value < 10 else f"{self.value:.2g}"

    @property
    def words(self) -> str:
        """Error and bound in units in the last place."""
        text = f"error {ulp(self.error) or '∞'} ULP, bound {ulp(self.bound)}"
        return f"{text}; another answer is beyond its bound" if self.broken else text


class AccuracyRow(NamedTuple):
    """One aspect of a function on all targets."""

    function: str
    aspect: str
    shares: list[Share | None]

    @property
    def largest(self) -> Share:
        """The largest share of all targets."""
        return max((s for s in self.shares if s), key=lambda share: share.key)


def accuracy_view(
    targets: Sequence[TargetView], order: Mapping[str, Sequence[str]]
) -> Mapping[str, Any]:
    """The template's values: rows, the largest share first, and the measured targets."""
    names = [name for section in order.values() for name in section]
    rows = [row for name in names for row in _rows(name, targets)]
    measured = [any(row.shares[i] for row in rows) for i in range(len(targets))]
    shown = [
        row._replace(shares=[s for s, there in zip(row.shares, measured, strict=True) if there])
        for row in sorted(rows, key=lambda row: -row.largest.key)
    ]
    columns = [t for t, there in zip(targets, measured, strict=True) if there]
    return {"rows": shown, "columns": columns, "steps": STEPS}


def _rows(function: str, targets: Sequence[TargetView]) -> list[AccuracyRow]:
    shares: dict[str, dict[int, Share]] = {}
    for index, target in enumerate(targets):
        for aspect, result in target.aspects(function).items():
            if share := share_of(result):
                shares.setdefault(aspect, {})[index] = share
    every = range(len(targets))
    return [AccuracyRow(function, a, [of.get(i) for i in every]) for a, of in shares.items()]


def share_of(result: AspectResult) -> Share | None:
    """The largest error by its bound; None where one of them is not known."""
    error, bound = result.max_ulp, result.limit_ulp
    if error is None or bound is None or not math.isfinite(bound):
        return None
    broken = any(map(_breaks, result.failures))
    if bound == 0:
        return Share(0.0 if error == 0 else math.inf, error, bound, broken)
    return Share(error / bound, error, bound, broken)


def _breaks(failure: Failure) -> bool:
    return failure.kind == FindingKind.ACCURACY and failure.verdict is Verdict.VIOLATES
