"""Calls of `unique`: elements or slices, with their places and counts, and in a fixed size.

What the docstring leaves open is not looked at: the shape of the inverse, which is compared in a
row; the order of slices that are no vectors; what stands for first places where the result was
filled up, and for counts unless it was filled up with zeros; the inverse where it was cut off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, is_array, only, shown
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_shape,
    exact,
    families,
    shaped,
    small,
)

X = Ref("x")
_DTYPES = ("float32", "float64", "int32")
_PLACES, _INVERSE, _COUNTS = "return_index", "return_inverse", "return_counts"
_ALL = (_PLACES, _INVERSE, _COUNTS)


@dataclass(frozen=True)
class _Right:
    """What there is of x: each slice along the axis once, in ascending order."""

    x: Array
    axis: int | None

    @cached_property
    def rows(self) -> list[tuple[Any, ...]]:
        """The slices along the axis, or all elements, each as a tuple."""
        return rows_along(self.x, self.axis)

    @cached_property
    def ordered(self) -> list[tuple[Any, ...]]:
        """Each of these once, in ascending order: by their first elements, then by the next."""
        return sorted({*self.rows})

    @cached_property
    def values(self) -> Array:
        """The elements, or the slices, each once."""
        whole = self.x.reshape(-1) if self.axis is None else self.x
        return whole.take(self.parts[_PLACES], self.axis or 0)

    @cached_property
    def parts(self) -> Mapping[str, Array]:
        """What else may come, by the argument that asks for it."""
        told = (
            (_PLACES, [self.rows.index(row) for row in self.ordered]),
            (_INVERSE, [self.ordered.index(row) for row in self.rows]),
            (_COUNTS, [self.rows.count(row) for row in self.ordered]),
        )
        return {name: np.asarray(numbers) for name, numbers in told}


def rows_along(x: Array, axis: int | None) -> list[tuple[Any, ...]]:
    """The slices along an axis, or all elements without one, as tuples of numbers."""
    slices = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0)
    return [*map(tuple, slices.reshape(len(slices), -1).tolist())]


def _given(draw: DrawFn, axis: int | None, rank: int = 3, longest: int = 4) -> Array:
    """Few different numbers in up to so many axes; of slices so few that some are equal."""
    dtype = draw(st.sampled_from(_DTYPES))
    if axis is None:
        return small(draw, a_shape(draw, 1, rank, longest), dtype)
    shape = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(max(2, axis + 1), rank)))]
    shape[axis] = draw(st.integers(2, 6))
    return small(draw, shape, dtype, 1)


def in_a_row(wanted: Array) -> Test:
    """The test of one array whose elements, in whatever shape, are these."""
    same = is_array(wanted)
    fault = f"np.ravel(first).tolist() != {wanted.tolist()!r}"

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        problem = same((replace(values[0], array=got.reshape(-1)),))
        return problem and replace(problem, fault=fault, expected=None)

    return test


def begins_with(wanted: Array, size: int) -> Test:
    """The test of one row of `size` elements, of which the first are these."""
    same = is_array(wanted)
    fault = f"first.shape != {(size,)} or first[:{wanted.size}].tolist() != {wanted.tolist()!r}"

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        problem = (
            same((replace(values[0], array=got[: wanted.size]),))
            if got.shape == (size,)
            else Problem(f"gives shape {got.shape}", "shape", got=got)
        )
        return problem and replace(problem, fault=fault, expected=None)

    return test


def _call(x: Array, results: Sequence[Result], given: Mapping[str, Argument], **said: Any) -> Call:
    return Call({"x": x}, (X,), given, results=(*results,), several=len(results) > 1, **said)


def _asked(names: Sequence[str]) -> dict[str, Argument]:
    return dict.fromkeys(names, True)


def _along(axis: int | None) -> dict[str, Argument]:
    return {} if axis is None else {"axis": axis}


def _part(right: _Right, name: str) -> Result:
    wanted = right.parts[name]
    if name != _INVERSE:
        return exact(wanted)
    shape = right.x.shape if right.axis is None else wanted.shape
    return Result(shape, in_a_row(wanted), demands=shown(wanted))


_FORMS: tuple[tuple[str, bool, tuple[str, ...]], ...] = (
    ("", False, ()),
    ("with first places", False, (_PLACES,)),
    ("with the inverse", False, (_INVERSE,)),
    ("with counts", False, (_COUNTS,)),
    ("with everything", False, _ALL),
    ("along an axis", True, ()),
    ("along an axis with everything", True, _ALL),
)


def _unique(draw: DrawFn) -> Call:
    about, along, names = draw(st.sampled_from(_FORMS))
    axis = draw(st.integers(0, 1)) if along else None
    right = _Right(_given(draw, axis, 2 if along else 3), axis)
    given = {**_along(axis), **_asked(names)}
    if draw(st.booleans()):
        given["sorted"] = True
    values = exact(right.values, right.x.dtype.name)
    return _call(right.x, [values, *(_part(right, name) for name in names)], given, about=about)


def are_in_some_order(right: _Right, names: Sequence[str]) -> Any:
    """The test that values are each once, in any order, and the other parts in the same one."""
    wanted = right.parts

    def test(values: Array, *parts: Array) -> Problem | None:
        found = rows_along(values, right.axis)
        if sorted(found) != right.ordered:
            return Problem("gives other values", "values", got=values, expected=right.values)
        order = np.asarray([right.ordered.index(row) for row in found])
        for name, part in zip(names, parts, strict=True):
            told = part.reshape(-1)
            same = (order[told], wanted[name]) if name == _INVERSE else (told, wanted[name][order])
            if not np.array_equal(*same):
                return Problem(f"gives other numbers for {name}", name, got=part)
        return None

    return test


def _unsorted(draw: DrawFn) -> Call:
    along = draw(st.booleans())
    axis = draw(st.integers(0, 2)) if along else None
    x = _given(draw, axis)
    right, names = _Right(x, axis), draw(st.sampled_from(((), _ALL)))
    said = f"{shown(right.values)} in any order, and what belongs to each"
    count = (len(right.ordered),)
    row = x.reshape(-1).shape if axis is None else (x.shape[axis],)
    shapes = {_PLACES: count, _COUNTS: count, _INVERSE: row}
    values = shaped(right.values.shape, said, x.dtype.name)
    parts = [Result(shapes[name], in_a_row_of(shapes[name]), demands="") for name in names]
    return _call(
        x,
        [values, *parts],
        {"sorted": False, **_along(axis), **_asked(names)},
        whole=are_in_some_order(right, names),
        demands=said,
        about="not sorted, along an axis" if along else "not sorted",
    )


def in_a_row_of(shape: Sequence[int]) -> Test:
    """The test of one array of whole numbers from 0 on, as many as this shape has."""
    count = int(np.prod(shape))

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        if got.size == count and got.dtype.kind in "iu":
            return None
        fault = f"first.size != {count} or first.dtype.kind not in 'iu'"
        return Problem(f"gives {got.dtype} of shape {got.shape}", "shape", got=got, fault=fault)

    return test


_FILLS: tuple[tuple[str, dict[str, Argument]], ...] = (
    ("filled up", {}),
    ("filled up with zeros", {"fill_value": 0}),
    ("filled up with another number", {"fill_value": 7}),
)


def _of_size(draw: DrawFn) -> Call:
    """A size that is given, and so known before the numbers are."""
    axis = draw(st.sampled_from((None, None, 0, 1)))
    right = _Right(_given(draw, axis, 1 if axis is None else 2, 9), axis)
    count, names = len(right.ordered), draw(st.sampled_from(((), (_PLACES,), (_COUNTS,), _ALL)))
    fill: dict[str, Argument] = {}
    about, size = "cut off", draw(st.integers(1, count))
    if draw(st.booleans()):
        about, fill = draw(st.sampled_from(_FILLS))
        size = count + draw(st.integers(1, 3))
    kept = [name for name in names if name != _INVERSE or size >= count]
    results = [_values_of_size(right, size, fill), *(_sized(right, n, size, fill) for n in kept)]
    given = {"size": size, **fill, **_along(axis), **_asked(kept)}
    return _call(right.x, results, given, about=about if axis is None else f"{about} along an axis")


def _values_of_size(right: _Right, size: int, fill: Mapping[str, Argument]) -> Result:
    axis = right.axis or 0
    kept = right.values.take(range(min(size, len(right.ordered))), axis)
    widths = [(0, size - kept.shape[axis]) if n == axis else (0, 0) for n in range(kept.ndim)]
    number: Any = fill.get("fill_value", 0)
    return exact(np.pad(kept, widths, constant_values=number), right.x.dtype.name)


def _sized(right: _Right, name: str, size: int, fill: Mapping[str, Argument]) -> Result:
    """Counts are filled up with zeros, as an example shows."""
    if name == _INVERSE:
        return _part(right, name)
    wanted = right.parts[name][:size]
    if name == _COUNTS and not fill.get("fill_value", 0):
        wanted = np.pad(wanted, (0, size - wanted.size))
    return Result((size,), begins_with(wanted, size), demands=f"{size} that begin {shown(wanted)}")


def _ops(draw: Any, **others: Any) -> Function:
    return Function("keras.ops.unique", draw, section="Args", keeps_dtype=True, inner=0, **others)


FUNCTIONS: tuple[Function, ...] = (
    _ops(_unique, symbolic=False),
    _ops(_unsorted, symbolic=False),
    _ops(_of_size),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
