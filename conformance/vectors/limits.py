"""The least and the greatest number that an expectation accepts, for each element.

A runner compares an answer with two numbers of its own dtype, and needs no wider arithmetic. The
engine asks whether |answer - value| is within the bound (`oracle.agrees`). Both accept the same
numbers of the dtype: the distance grows with the answer, so that the accepted numbers lie between
two of them, and `limits` searches for these with `agrees` itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, held_in, is_floating, rounded
from conformance.oracle import Expectation, agrees

Array = npt.NDArray[Any]

_STEPS = 4
"""How many numbers a rounded sum may be away from the last accepted one; it is at most two."""
_HALF = 16
"""The bits of float32 that bfloat16 lacks."""


class Limits(NamedTuple):
    """Two arrays that hold numbers of the result's dtype, in the shape of the result.

    `lower` > `upper`: no number of the dtype is right. NaN in both: NaN alone is. -inf and inf:
    any answer is, NaN among them.
    """

    lower: Array
    upper: Array


def limits(expectation: Expectation) -> Limits:
    """The limits of each element."""
    if is_floating(expectation.dtype):
        return Limits(_last(expectation, up=False), _last(expectation, up=True))
    return _of_integers(expectation)


def _last(expectation: Expectation, *, up: bool) -> Array:
    """The last number that is accepted in one direction."""
    value, bound, dtype = expectation.value, expectation.bound, expectation.dtype
    anything = np.isposinf(bound)
    with np.errstate(all="ignore"):
        start = rounded(value + bound if up else value - bound, dtype)
        last = np.where(anything, np.inf if up else -np.inf, start).astype(held_in(dtype))
        for _ in range(_STEPS):
            back = _next(last, dtype, up=not up)
            last = np.where(agrees(last, expectation), last, back)
        for _ in range(_STEPS):
            on = _next(last, dtype, up=up)
            last = np.where(agrees(on, expectation) & agrees(last, expectation), on, last)
    limit: Array = np.where(np.isnan(value) & ~anything, np.nan, last).astype(held_in(dtype))
    return limit


def _next(numbers: Array, dtype: str, *, up: bool) -> Array:
    """The next number of the dtype; infinity has none behind it."""
    end = numbers.dtype.type(np.inf if up else -np.inf)
    if dtype != BFLOAT16:
        following: Array = np.nextafter(numbers, end)
        return following
    bits = np.ascontiguousarray(numbers, np.float32).view(np.int32).astype(np.int64)
    place = np.where(bits < 0, -(bits & np.iinfo(np.int32).max), bits) >> _HALF
    place = (place + (1 if up else -1)) << _HALF
    pattern = np.where(place < 0, -place | 1 << 31, place).astype(np.uint32)
    following = pattern.view(np.float32).reshape(numbers.shape)
    return np.where(np.isnan(numbers) | (numbers == end), numbers, following)


def _of_integers(expectation: Expectation) -> Limits:
    """The same of integers and truth values, which Python's integers hold whatever their size."""
    held = held_in(expectation.dtype)
    boolean = held.kind == "b"
    least, most = (0, 1) if boolean else (np.iinfo(held).min, np.iinfo(held).max)
    pairs = [
        _between(int(value), float(bound), int(least), int(most))
        for value, bound in zip(expectation.value.flat, expectation.bound.flat, strict=True)
    ]
    both = np.array(pairs, held).reshape(*expectation.value.shape, 2)
    return Limits(both[..., 0], both[..., 1])


def _between(value: int, bound: float, least: int, most: int) -> tuple[int, int]:
    if math.isinf(bound):
        return least, most
    lower, upper = max(least, value - math.floor(bound)), min(most, value + math.floor(bound))
    return (lower, upper) if lower <= upper else (most, least)
