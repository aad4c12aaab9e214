"""Sums and products in a dtype, the largest or smallest with one number besides, and decimals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.model import Array, Family
from conformance.scenarios.operations.calls import (
    FLOATS,
    Call,
    Function,
    a_dtype,
    a_shape,
    distinct,
    exact,
    families,
    one,
    small,
)
from conformance.scenarios.operations.matrices import close_to

X = Ref("x")
GIVEN = (*FLOATS, "int32", "int8")
ASKED = (*FLOATS, "int32", "int64")
TWOS = 6
"""How many numbers of a product are two: all dtypes have it then."""


def _axis(draw: DrawFn, rank: int, *, several: bool) -> int | tuple[int, ...] | None:
    """No axis, one, or two of them."""
    order = tuple(draw(st.permutations(range(rank))))
    return draw(st.sampled_from((None, order[0], order[:2] if several else order[0])))


def _factors(draw: DrawFn, shape: tuple[int, ...]) -> Array:
    """Ones of both signs, and a few twos."""
    x = np.where(small(draw, shape) > 0, 1, -1)
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    x.flat[generator.permutation(x.size)[:TWOS]] *= 2
    return x


def _terms(draw: DrawFn, shape: tuple[int, ...]) -> Array:
    return small(draw, shape, "int64", 1)


Numbers = Callable[[DrawFn, tuple[int, ...]], Array]
Total = Callable[..., Any]


def _in_dtype(total: Total, numbers: Numbers, *, several: bool = False) -> Callable[[DrawFn], Call]:
    """Whole numbers, whose total each dtype has that is asked for."""

    def drawn(draw: DrawFn) -> Call:
        if draw(st.integers(0, 3)) == 0:
            return _beyond(draw, total)
        x = numbers(draw, a_shape(draw)).astype(draw(st.sampled_from(GIVEN)))
        axis = _axis(draw, x.ndim, several=several)
        return _total(x, axis, draw(st.sampled_from(ASKED)), total)

    return drawn


def _beyond(draw: DrawFn, total: Total) -> Call:
    """Two or three numbers of eight bits, whose total has more of them."""
    x = 50 + np.abs(small(draw, (draw(st.integers(2, 3)),), "int8", 40))
    found = _total(x, 0, draw(st.sampled_from(ASKED)), total)
    return replace(found, about="beyond the dtype of the input")


def _total(x: Array, axis: Argument, dtype: str, total: Total, filled: Array | None = None) -> Call:
    """The call of x, whose total is that of the numbers with which it is filled."""
    whole = np.asarray(x if filled is None else filled, "int64")
    kwargs: dict[str, Argument] = {} if axis is None else {"axis": axis}
    gives = exact(np.asarray(total(whole, axis=axis), dtype), dtype)
    if dtype in FLOATS:
        bound = gamma(x.size, dtype) * total(np.abs(whole), axis=axis)
        value = np.asarray(total(whole, axis=axis), "float64")
        gives = replace(close_to(Expectation(value, np.asarray(bound), dtype)), dtype=dtype)
    return replace(one({"x": x}, X, dtype=dtype, gives=gives, **kwargs), about=_kinds(x, dtype))


def _kinds(x: Array, dtype: str) -> str:
    kinds = ("integers" if "int" in name else "floats" for name in (x.dtype.name, dtype))
    return " to ".join(kinds)


def _without_nan(total: Total, numbers: Numbers, empty: int) -> Callable[[DrawFn], Call]:
    """Floats of which some are missing, as if another number were there."""

    def drawn(draw: DrawFn) -> Call:
        whole = numbers(draw, a_shape(draw))
        axis, gone = _axis(draw, whole.ndim, several=False), small(draw, whole.shape) > 1
        x = np.where(gone, np.nan, whole).astype(a_dtype(draw))
        filled = np.where(gone, empty, whole)
        return _total(x, axis, draw(st.sampled_from(ASKED)), total, filled)

    return drawn


def _with_initial(outermost: Total, other: Total) -> Callable[[DrawFn], Call]:
    """A number that some results are replaced by, or all, or none."""

    def drawn(draw: DrawFn) -> Call:
        x = distinct(draw, a_shape(draw), draw(st.sampled_from((*FLOATS, "int32"))))
        axis = _axis(draw, x.ndim, several=True)
        keeps = axis is not None and draw(st.booleans())
        found = outermost(x, axis=axis, keepdims=keeps)
        middle = np.sort(found, None)[found.size // 2]
        initial = x.dtype.type(middle + draw(st.sampled_from((0, 1, -1, 99, -99)))).item()
        kwargs: dict[str, Argument] = {"keepdims": True} if keeps else {}
        kwargs |= {} if axis is None else {"axis": axis}
        return one({"x": x}, X, initial=initial, gives=exact(other(found, initial)), **kwargs)

    return drawn


def _round(draw: DrawFn) -> Call:
    """Numbers less than half of a unit away from one of so few decimals; integers have none."""
    decimals, shape = draw(st.integers(1, 3)), a_shape(draw)
    whole, dtype = small(draw, shape, "int64", 999), draw(st.sampled_from((*FLOATS, "int32")))
    if dtype == "int32":
        x = whole.astype(dtype)
        made = one({"x": x}, X, decimals=decimals, gives=exact(x))
        return replace(made, about="of integers")
    beside = small(draw, shape, "float64", 2) / 5
    value = whole / 10.0**decimals
    expected = Expectation(value, gamma(4, dtype) * np.abs(value), dtype)
    x = ((whole + beside) / 10.0**decimals).astype(dtype)
    made = one({"x": x}, X, decimals=decimals, gives=close_to(expected))
    return replace(made, about=f"to {decimals} decimals")


def _ops(name: str, draw: Callable[[DrawFn], Call], **others: Any) -> Function:
    return Function(f"keras.ops.{name}", draw, section="Args", inner=0, **others)


FUNCTIONS: tuple[Function, ...] = (
    _ops("prod", _in_dtype(np.prod, _factors, several=True), names_dtype=True),
    _ops("cumsum", _in_dtype(np.cumsum, _terms), names_dtype=True),
    _ops("cumprod", _in_dtype(np.cumprod, _factors), names_dtype=True),
    _ops("nancumsum", _without_nan(np.cumsum, _terms, 0), names_dtype=True),
    _ops("nancumprod", _without_nan(np.cumprod, _factors, 1), names_dtype=True),
    _ops("max", _with_initial(np.max, np.maximum)),
    _ops("min", _with_initial(np.min, np.minimum)),
    _ops("round", _round),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
