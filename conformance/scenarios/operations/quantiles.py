"""Quantiles and percentiles, in each way that there is between two elements.

The elements are whole numbers and the quantiles eighths, so that the place of a quantile is
computed without rounding: it lies on an element, or clearly between two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.model import Array, Family
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    a_shape,
    distinct,
    families,
    one,
    small,
)
from conformance.scenarios.operations.matrices import close_to

X = Ref("x")
EIGHTHS, HALF = 8, 0.5
ROUNDINGS = 8
"""Of two products with the parts of the way and their sum, or of a difference besides."""
METHODS: Mapping[str, Callable[[float, float, float], float]] = {
    "linear": lambda low, high, way: low + (high - low) * way,
    "lower": lambda low, high, way: low,  # noqa: ARG005
    "higher": lambda low, high, way: high,  # noqa: ARG005
    "midpoint": lambda low, high, way: (low + high) / 2,  # noqa: ARG005
    "nearest": lambda low, high, way: high if way > HALF else low,
}
"""What is between two elements, of which the place is so much of the way from one to the other."""


def _place(line: Array, eighths: int) -> float:
    """Where the quantile lies among the elements of a line that are numbers."""
    return (int(np.isfinite(line).sum()) - 1) * eighths / EIGHTHS


def _quantile(line: Array, eighths: int, method: str) -> float:
    ordered, place = np.sort(line[np.isfinite(line)]), _place(line, eighths)
    low, high = (ordered[int(end)] for end in (np.floor(place), np.ceil(place)))
    return METHODS[method](float(low), float(high), place % 1)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The elements of a tensor, in lines along some of its axes."""

    x: Array
    axis: int | tuple[int, ...] | None
    keeps: bool
    """Whether these axes stay, with length 1; never all of them: `kept-axes` is open there."""

    @property
    def axes(self) -> tuple[int, ...]:
        """Those that are reduced."""
        if self.axis is None:
            return (*range(self.x.ndim),)
        return self.axis if isinstance(self.axis, tuple) else (self.axis,)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the results."""
        kept = (*((axis, self.x.shape[axis]) for axis in range(self.x.ndim)),)
        if self.keeps:
            return tuple(1 if axis in self.axes else length for axis, length in kept)
        return tuple(length for axis, length in kept if axis not in self.axes)

    @property
    def rows(self) -> Array:
        """A row for each result."""
        last = np.moveaxis(self.x, self.axes, range(-len(self.axes), 0))
        length = int(np.prod([self.x.shape[axis] for axis in self.axes]))
        return last.reshape(-1, length)

    @property
    def given(self) -> dict[str, Argument]:
        """The keywords that say so."""
        kept: dict[str, Argument] = {"keepdims": True} if self.keeps else {}
        return kept if self.axis is None else {"axis": self.axis, **kept}


def _lines(draw: DrawFn, *, missing: bool) -> Lines:
    x = distinct(draw, a_shape(draw), a_dtype(draw))
    order = tuple(draw(st.permutations(range(x.ndim))))
    axis = draw(st.sampled_from((None, order[0], order[0], order[:2])))
    found = Lines(x, axis, axis is not None and draw(st.booleans()))
    return replace(found, x=_missing(draw, x, found.axes)) if missing else found


def _missing(draw: DrawFn, x: Array, axes: tuple[int, ...]) -> Array:
    """The numbers without some of them; the first along the axes is there."""
    behind = np.any(np.indices(x.shape)[[*axes]] > 0, axis=0)
    gone = (small(draw, x.shape) > 1) & behind
    return np.where(gone, np.nan, x).astype(x.dtype)


def _asked(draw: DrawFn, rows: Array, method: str) -> list[int]:
    """Some quantiles; the nearest of two elements is nowhere half of the way."""
    listed = [
        eighths
        for eighths in range(EIGHTHS + 1)
        if method != "nearest" or all(_place(row, eighths) % 1 != HALF for row in rows)
    ]
    return draw(st.lists(st.sampled_from(listed), min_size=1, max_size=3, unique=True))


def _of(whole: int, *, missing: bool) -> Callable[[DrawFn], Call]:
    """Parts of 1 or of 100: one, or several, whose results are along the first axis.

    Whether one in a list has that axis, the docstrings do not say.
    """

    def drawn(draw: DrawFn) -> Call:
        lines, method = _lines(draw, missing=missing), draw(st.sampled_from([*METHODS]))
        asked = _asked(draw, lines.rows, method)
        found = [[_quantile(row, eighths, method) for row in lines.rows] for eighths in asked]
        value = np.array(found).reshape(len(asked), *lines.shape)
        parts = [whole * eighths / EIGHTHS for eighths in asked]
        several = len(asked) > 1
        q, value = (parts, value) if several else (parts[0], value[0, ...])
        gives = _close(value, lines.x)
        made = one({"x": lines.x}, X, q, method=method, gives=gives, **lines.given)
        return replace(made, about=f"{method}, {'a list' if several else 'a number'}")

    return drawn


def _close(value: Array, x: Array) -> Result:
    dtype = x.dtype.name
    largest = float(np.abs(x[np.isfinite(x)]).max(initial=0))
    bound = np.full(value.shape, gamma(ROUNDINGS, dtype) * largest)
    return close_to(Expectation(value, bound, dtype))


def _ops(name: str, draw: Callable[[DrawFn], Call]) -> Function:
    return Function(f"keras.ops.{name}", draw, section="Args", inner=0)


FUNCTIONS: tuple[Function, ...] = (
    _ops("quantile", _of(1, missing=False)),
    _ops("nanquantile", _of(1, missing=True)),
    _ops("percentile", _of(100, missing=False)),
    _ops("nanpercentile", _of(100, missing=True)),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
