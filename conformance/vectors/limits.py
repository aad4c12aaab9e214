"""The least and the greatest number that an expectation accepts, for each element.

A runner compares an answer with two numbers of its own dtype, and needs no wider arithmetic. The
engine asks whether |answer - value| is within the bound (`oracle.agrees`). Both accept the same
numbers of the dtype. The distance grows with the answer, so the accepted numbers lie between two of
them. `limits` searches for these two with `agrees` itself.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, held_in, is_floating, rounded
from conformance.oracle import Expectation, agrees

Array = npt.NDArray[Any]

_HALF = 16
"""The bits of float32 that bfloat16 lacks."""


class AnswerLimits(NamedTuple):
    """Two arrays that hold numbers of the result's dtype, in the shape of the result.

    `lower` > `upper`: no number of the dtype is right. NaN in both: NaN alone is. -inf and inf:
    any answer is, NaN among them.
    """

    lower: Array
    upper: Array


def limits(expectation: Expectation) -> AnswerLimits:
    """The limits of each element."""
    if not is_floating(expectation.dtype):
        return _of_integers(expectation)
    with np.errstate(all="ignore"):
        return _of_floats(expectation)


def _of_floats(expectation: Expectation) -> AnswerLimits:
    lower, upper = _last(expectation, up=False), _last(expectation, up=True)
    nothing = ~agrees(rounded(expectation.value, expectation.dtype), expectation)
    held = held_in(expectation.dtype)
    return AnswerLimits(
        np.where(nothing, np.inf, lower).astype(held),
        np.where(nothing, -np.inf, upper).astype(held),
    )


def _last(expectation: Expectation, *, up: bool) -> Array:
    """The last number that is accepted in one direction, if the nearest to the value is."""
    value, bound, dtype = expectation.value, expectation.bound, expectation.dtype
    end = np.inf if up else -np.inf
    last = rounded(value + bound if up else value - bound, dtype)
    near = rounded(value, dtype)
    last = np.where(np.isnan(last), near, last)
    on = _number(_next(_place(last, dtype), last, up=up), dtype)
    settled = agrees(last, expectation) & (~agrees(on, expectation) | (last == end))
    unsettled = ~(settled | np.isnan(value))
    if unsettled.any():
        part = replace(expectation, value=value[unsettled], bound=bound[unsettled])
        last[unsettled] = _searched(part, near[unsettled], up=up)
    last = np.where(np.isnan(value), np.nan, last)
    return np.where(np.isposinf(bound), end, last)


def _next(place: Array, numbers: Array, *, up: bool) -> Array:
    """The place of the next number; infinity and NaN have none behind them."""
    finite: Array = np.isfinite(numbers)
    return np.where(finite, place + (1 if up else -1), place)


def _searched(expectation: Expectation, near: Array, *, up: bool) -> Array:
    """The last accepted number between `near`, which is accepted, and infinity: by bisection."""
    dtype = expectation.dtype
    inside = _place(near, dtype)
    end = np.full(near.shape, np.inf if up else -np.inf, near.dtype)
    outside = _place(end, dtype) + (1 if up else -1)
    for _ in range(64):
        middle = inside // 2 + outside // 2 + (inside & outside & 1)
        accepted = agrees(_number(middle, dtype), expectation) & (middle != outside)
        inside, outside = np.where(accepted, middle, inside), np.where(accepted, outside, middle)
    return _number(inside, dtype)


def _place(numbers: Array, dtype: str) -> Array:
    """The place of each number in the order of all numbers of the dtype, counted from zero."""
    held = np.ascontiguousarray(numbers, held_in(dtype)).reshape(numbers.shape)
    bits = held.view(f"i{held.itemsize}").astype(np.int64)
    least = -(2 ** (8 * held.itemsize - 1))
    place = np.where(bits < 0, least - bits, bits)
    return np.where(place < 0, -(-place >> _HALF), place >> _HALF) if dtype == BFLOAT16 else place


def _number(place: Array, dtype: str) -> Array:
    """The number at each place, the other way round."""
    held = held_in(dtype)
    if dtype == BFLOAT16:
        place = place * 2**_HALF
    least = -(2 ** (8 * held.itemsize - 1))
    bits = np.where(place < 0, least - place, place)
    number: Array = bits.astype(f"i{held.itemsize}").view(held)
    return number


def _of_integers(expectation: Expectation) -> AnswerLimits:
    """The same of integers and truth values, which Python's integers hold whatever their size."""
    held = held_in(expectation.dtype)
    boolean = held.kind == "b"
    least, most = (0, 1) if boolean else (np.iinfo(held).min, np.iinfo(held).max)
    pairs = [
        _between(int(value), float(bound), int(least), int(most))
        for value, bound in zip(expectation.value.flat, expectation.bound.flat, strict=True)
    ]
    both = np.array(pairs, held).reshape(*expectation.value.shape, 2)
    return AnswerLimits(both[..., 0], both[..., 1])


def _between(value: int, bound: float, least: int, most: int) -> tuple[int, int]:
    if math.isinf(bound):
        return least, most
    lower, upper = max(least, value - math.floor(bound)), min(most, value + math.floor(bound))
    return (lower, upper) if lower <= upper else (most, least)
