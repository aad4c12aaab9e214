"""Calls that make tensors of numbers of other dtypes, or of none, and places of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, has_shape, only, shown
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations.calls import (
    FLOATS,
    Call,
    Function,
    Result,
    a_dtype,
    a_shape,
    distinct,
    exact,
    families,
    one,
    small,
)

X = Ref("x")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8",)
"""Without those of more bits, which torch holds as wider integers whatever the function."""
WHOLE = (*SIGNED, *UNSIGNED)
NARROW = ("int8", "uint8", "int16")
"""Integers that float32 has all of."""


def of_dtype(expected: Any) -> Result:
    """A result that is settled to the last bit, and in its dtype."""
    wanted = np.asarray(expected)
    return exact(wanted, wanted.dtype.name)


def _common(draw: DrawFn, shape: Sequence[int], *dtypes: str) -> Array:
    """Whole numbers that all the dtypes have."""
    low = 0 if {*UNSIGNED} & {*dtypes} else -128
    high = 256 if "uint8" in dtypes and "int8" not in dtypes else 128
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    return generator.integers(low, high, (*shape,))


def _cast(draw: DrawFn) -> Call:
    """No number is between two that the dtype has, or beyond them: nothing is said of those.

    What a float has beside a whole number is so little that it can only be dropped; that it is, an
    example of `saturate_cast` shows.
    """
    dtype = draw(st.sampled_from((*WHOLE, "bool")))
    given = draw(st.sampled_from((*FLOATS, *WHOLE, "bool")))
    shape = a_shape(draw)
    if "bool" in {dtype, given}:
        x = np.abs(small(draw, shape, "int32", 1)).astype(given)
    else:
        x = _common(draw, shape, dtype, given).astype(given)
        x = x + np.sign(x) / 4 if given in FLOATS else x
    return one({"x": x.astype(given)}, X, dtype, gives=of_dtype(x.astype(dtype)))


def _saturated(x: Array, dtype: str) -> Array:
    info = np.iinfo(dtype)
    return np.clip(np.trunc(x), info.min, info.max).astype(dtype)


def _saturate_cast(draw: DrawFn) -> Call:
    """Numbers on both sides of the range, and in it."""
    dtype, shape = draw(st.sampled_from(NARROW)), a_shape(draw)
    given = draw(st.sampled_from((*FLOATS, "int32", "int64")))
    info = np.iinfo(dtype)
    width = int(info.max) - int(info.min)
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    x = generator.integers(int(info.min) - width, int(info.max) + width, shape).astype(given)
    x = x + np.where(x > 0, 0.75, 0) if given in FLOATS else x
    x = x.astype(given)
    return one({"x": x}, X, dtype, gives=of_dtype(_saturated(x, dtype)))


def _nearly(wanted: Array) -> Test:
    """The numbers, of which the outermost may be the float32 next to them."""

    def tested(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        low, high = wanted - (wanted > 0) * 128, wanted + (wanted < 0) * 128
        right = got.shape == wanted.shape and ((got >= low) & (got <= high)).all()
        problem = Problem(f"gives {shown(got)}", "value", got=got, expected=wanted)
        return None if right else problem

    return tested


def _saturate_far(draw: DrawFn) -> Call:
    """Numbers beyond int32, whose ends float32 does not have."""
    far = np.array([3e9, -3e9, 2.0**31, -(2.0**31), 1e20, -1e20, 0.0], draw(_FLOAT))
    x = far[draw(st.permutations(range(far.size)))]
    wanted = np.clip(x.astype(float), -(2.0**31), 2.0**31 - 1).astype("int64")
    demands = f"{shown(wanted)}, or what float32 has next to it"
    gives = Result(x.shape, _nearly(wanted), demands=demands, dtype="int32")
    return replace(one({"x": x}, X, "int32", gives=gives), about="beyond the integers")


_FLOAT = st.sampled_from(FLOATS)


def _saturate_floats(draw: DrawFn) -> Call:
    """Numbers beyond a float of fewer bits, which has no infinity for them then."""
    dtype = draw(st.sampled_from(("float32", "float16")))
    far = np.array([1e300, -1e300, 3e39, -3e39, 0.5, 0.0])
    x = far[draw(st.permutations(range(far.size)))]
    info = np.finfo(dtype)
    gives = of_dtype(np.clip(x, info.min, info.max).astype(dtype))
    return replace(one({"x": x}, X, dtype, gives=gives), about="to a float of fewer bits")


_SATURATING = (_saturate_cast, _saturate_cast, _saturate_floats, _saturate_far)


def _saturating(draw: DrawFn) -> Call:
    return draw(st.sampled_from(_SATURATING))(draw)


def _uninitialised(shape: Sequence[int], dtype: str | None) -> Result:
    return Result((*shape,), has_shape(shape), demands=f"the shape {(*shape,)}", dtype=dtype)


def _empty(draw: DrawFn) -> Call:
    shape, dtype = a_shape(draw), draw(st.sampled_from((None, *FLOATS, "int32", "bool")))
    given: dict[str, Argument] = {} if dtype is None else {"dtype": dtype}
    return one({}, shape, gives=_uninitialised(shape, dtype), **given)


def _empty_like(draw: DrawFn) -> Call:
    x = distinct(draw, a_shape(draw), draw(st.sampled_from((*FLOATS, "int32"))))
    dtype = draw(st.sampled_from((None, *FLOATS, "int32")))
    given: dict[str, Argument] = {} if dtype is None else {"dtype": dtype}
    return one({"x": x}, X, gives=_uninitialised(x.shape, dtype or x.dtype.name), **given)


def _filled(draw: DrawFn, fill: float | None = None) -> Call:
    """A tensor like another one, in a dtype of its own; all dtypes have the number in it."""
    x = distinct(draw, a_shape(draw), draw(st.sampled_from((*FLOATS, "int32", "int8"))))
    dtype = draw(st.sampled_from((*FLOATS, "int8", "int32", "int64")))
    number = draw(st.sampled_from((2, 0, -3, 100))) if fill is None else fill
    args = (X, number) if fill is None else (X,)
    made = one({"x": x}, *args, dtype=dtype, gives=of_dtype(np.full(x.shape, number, dtype)))
    kinds = ("integers" if "int" in name else "floats" for name in (x.dtype.name, dtype))
    return replace(made, about=" to ".join(kinds))


def _places(wanted: Array) -> Test:
    """Indices along each axis, one after the other or as rows or columns of one tensor, in any
    order: the docstring does not say how they are given."""

    def tested(values: Values) -> Problem | None:
        arrays = [value.array for value in values]
        found = _in_columns(arrays, len(wanted))
        right = found is not None and sorted(map(tuple, found.T)) == sorted(map(tuple, wanted.T))
        shapes = [getattr(a, "shape", None) for a in arrays]
        told = f"gives {shapes}" if found is None else f"gives {found.tolist()}"
        problem = Problem(told, "places", got=told, expected=shown(wanted))
        return None if right else problem

    return tested


def _in_columns(arrays: Sequence[Any], rank: int) -> Array | None:
    """A row of indices for each axis; None if the arrays are no such thing."""
    if any(a is None or a.dtype.kind not in "iu" for a in arrays):
        return None
    if len(arrays) == 1 and arrays[0].ndim == 2:
        (whole,) = arrays
        return np.asarray(whole if whole.shape[0] == rank else whole.T)
    same = len(arrays) == rank and len({a.shape for a in arrays}) == 1 and arrays[0].ndim == 1
    return np.stack(arrays) if same else None


def _nonzero(draw: DrawFn) -> Call:
    """As many elements that are not zero as there are axes would leave open which is which."""
    x = small(draw, a_shape(draw), a_dtype(draw), 1)
    wanted = np.stack(np.nonzero(x))
    if wanted.shape[0] == wanted.shape[1]:
        x = np.ones_like(x) if x.size != x.ndim else np.zeros_like(x)
        wanted = np.stack(np.nonzero(x))
    return Call({"x": x}, (X,), results=(), test=_places(wanted), demands=shown(wanted))


def _like(name: str, draw: Callable[[DrawFn], Call]) -> Function:
    return Function(f"keras.ops.{name}", draw, section="Args", names_dtype=True, inner=0)


FUNCTIONS: tuple[Function, ...] = (
    Function("keras.ops.cast", _cast, names_dtype=True),
    Function("keras.ops.saturate_cast", _saturating, section="Summary", names_dtype=True),
    Function("keras.ops.empty", _empty, section="Summary", names_dtype=True, symbolic=False),
    Function("keras.ops.empty_like", _empty_like, names_dtype=True),
    _like("full_like", _filled),
    _like("zeros_like", lambda draw: _filled(draw, 0)),
    _like("ones_like", lambda draw: _filled(draw, 1)),
    Function("keras.ops.nonzero", _nonzero, symbolic=False),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
