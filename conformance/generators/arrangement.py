"""Where the extremes of a long array lie.

An implementation that leaves out the end of a long axis, or begins late, is off by one element of
many. So that this element matters, every second and third draw has its numbers in ascending or
descending order along the longest axis; of numbers that are only true or false, all but those at
one end are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.generators.sizes import SHORT

Array = npt.NDArray[Any]

PROFILES = ("ordinary", "integers", "halves")
"""The value profiles that are arranged."""
PERIOD = 3
"""One draw of so many stays as it was drawn."""


def arranged(array: Array, domain: str, profile: str, number: int) -> Array:
    """The numbers of the draw with this number, with a domain of `specs.Domain`, if they are many
    along an axis; else the array itself."""
    order = (number + sum(array.shape)) % PERIOD
    if profile not in PROFILES or max(array.shape, default=0) <= SHORT or not array.size:
        return array
    if not order or domain not in _ORDERS:
        return array
    axis = int(np.argmax(array.shape))
    return _ORDERS[domain](array, axis, order == 1)


def _sorted(array: Array, axis: int, ascending: bool) -> Array:
    ordered = np.sort(array, axis=axis)
    return ordered if ascending else np.ascontiguousarray(np.flip(ordered, axis))


def _one_end(array: Array, axis: int, ascending: bool) -> Array:
    """Zeros but for the end of the axis, or no zeros but there."""
    nonzero = np.where(array == 0, np.ones_like(array), array)
    last = np.arange(array.shape[axis]) == array.shape[axis] - 1
    there = last.reshape([-1 if i == axis else 1 for i in range(array.ndim)])
    return np.where(there == ascending, nonzero, np.zeros_like(array))


_ORDERS: Mapping[str, Callable[[Array, int, bool], Array]] = {
    **dict.fromkeys(("real", "nonnegative", "positive", "nonzero", "factor", "logit"), _sorted),
    "truth": _one_end,
}


def factors(_rng: np.random.Generator, values: Array) -> Array:
    """Numbers whose product is of the order of 1: where there are many, they are near to 1, every
    second one is inverted, and none is 0 unless all are."""
    if max(values.shape, default=0) <= SHORT or not values.any() or values.dtype.kind != "f":
        return values
    sizes = np.where(values == 0, 1, np.abs(values)).astype(np.float64)
    nearer = sizes
    for _ in range(math.ceil(math.log2(values.size) / 2)):  # a root is the same everywhere
        nearer = np.sqrt(nearer)
    second = np.arange(values.size).reshape(values.shape) % 2
    return np.copysign(np.where(second, 1 / nearer, nearer), values).astype(values.dtype)
