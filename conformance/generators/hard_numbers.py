"""Numbers on which functions of one number fail, in dtypes that have too many to try them all.

They are the neighbours of points at which implementations change their way of computing: powers of
two, halves and the ends of domains. Others are the points where a result overflows, underflows or
no longer changes, and multiples of pi. Numbers whose result is hard to round correctly are not
among them, because no document promises a correctly rounded result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import limits
from conformance.generators import portable

Array = npt.NDArray[Any]

OF = ("float32", "float64")
"""The dtypes whose numbers are too many."""
_HALVES = 40
"""Up to so many halves."""
_QUARTER_TURNS = 130
"""Up to so many quarters of a turn one by one; then their powers of two."""
_EVERY_POWER = 32
"""Up to this exponent every power of two, then one of `_FEWER`."""
_FEWER = 5
NEAREST_TO_QUARTERS = {"float32": (16367173, 72), "float64": (6381956970095103, 797)}
"""The numbers that are nearest to a multiple of pi / 2, as a product with a power of two: Muller,
Elementary Functions, 3rd edition, table 11.1."""


@cache
def hard_numbers(dtype: str) -> Array:
    """The numbers, in ascending order, with their opposites and the neighbours of both."""
    info: Any = limits(dtype)
    points_of_change = [*_powers(info), *_thresholds(info), *_quarters(info)]
    points_of_change += [number / 2 for number in range(_HALVES + 1)]
    mantissa, power = NEAREST_TO_QUARTERS[dtype]
    points_of_change.append(math.ldexp(mantissa, power))
    points = np.array(points_of_change, np.float64).astype(dtype)
    above, below = np.nextafter(points, info.max), np.nextafter(points, -info.max)
    numbers = np.concatenate([points, above, below])
    special = np.array([0.0, np.nan, np.inf], dtype)
    every = np.concatenate([numbers, -numbers, special, -special])
    _, first = np.unique(every.view(f"u{every.itemsize}"), return_index=True)
    distinct = every[first]
    return np.asarray(distinct[np.argsort(distinct, kind="stable")])


def _powers(info: Any) -> Iterator[float]:
    least = int(info.minexp) - int(info.nmant)
    for exponent in range(least, int(info.maxexp)):
        if abs(exponent) <= _EVERY_POWER or exponent % _FEWER == 0:
            yield math.ldexp(1.0, exponent)
    yield from (float(info.tiny), float(info.max), float(info.smallest_subnormal))


def _thresholds(info: Any) -> Iterator[float]:
    """The numbers from which exponentials and powers leave the range of the dtype, and bounded
    functions are rounded to their bounds."""
    ends = [float(info.max), float(info.tiny), float(info.smallest_subnormal), float(info.eps)]
    logarithms = portable.log(ends)
    for size in np.abs(logarithms).tolist():
        yield from (size, 2 * size, size / 2, size / _LN2, size / _LN10, size + _LN2)
        yield math.sqrt(size)
    yield from portable.exp(logarithms / 2).tolist()
    yield from portable.exp(logarithms / 3).tolist()


_LN2, _LN10 = portable.log([2.0, 10.0]).tolist()


def _quarters(info: Any) -> Iterator[float]:
    quarter = math.pi / 2
    yield from (number * quarter for number in range(1, _QUARTER_TURNS))
    yield from (math.ldexp(quarter, power) for power in range(7, int(info.maxexp) - 2, _FEWER))
