"""Rounding: a dtype's arithmetic, units in the last place, gamma_n and perturbed inputs.

`gamma` is the constant of Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
section 3.1: the product of n factors (1 + d_i)^(+-1) with |d_i| <= u differs from 1 by at most
gamma_n = n u / (1 - n u).

An `ulp` is the distance from the number's magnitude, rounded down to a power of two, to the next
number above that power: at a power of two the larger of the two distances, in the subnormal
range and at zero the smallest subnormal. OpenCL's definition (The OpenCL C Specification,
section "Relative Error as ULPs") leaves the side open at a power of two; this is the wider one.

Wide arithmetic holds the answers: float64 for float16, bfloat16 and float32, the C long double for
float64. On x86 that has 64 bits of significand. Therefore its error is 2**-11 of the float64 unit.
Where long double is float64 (`WIDE_IS_WIDER` false), the oracle's own error is of the order of one
float64 ULP, and `OWN_ERROR` ULP are added to the bounds of float64 results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from conformance.dtypes import limits
from conformance.oracle.expectation import Array

WIDE = {
    "float16": np.float64,
    "bfloat16": np.float64,
    "float32": np.float64,
    "float64": np.longdouble,
}
"""The type in which results of a dtype are computed."""

WIDE_IS_WIDER = bool(np.finfo(np.longdouble).eps < np.finfo(np.float64).eps)
OWN_ERROR = 0.0 if WIDE_IS_WIDER else 2.0
"""ULP of float64 that the oracle's elementary functions may be off; 0 if long double is wider."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A floating dtype's arithmetic. All numbers are exact.

    `unit` is the unit roundoff (half the spacing at 1), `wide_unit` that of the type in which the
    oracle computes, `smallest_normal` and `smallest_subnormal` are what the names say, `largest` is
    the largest finite number, and `overflow` the least magnitude that rounds to infinity.
    `underflow` is the largest absolute error of one operation whose result is below the normal
    range: the smallest normal where subnormals may be flushed to zero, the smallest subnormal where
    not. Where `nearby` is set, bounds are for numbers near the given ones. A sum of the given
    numbers that needs no rounding says nothing then.
    """

    dtype: str
    flushes: bool
    unit: float
    wide_unit: float
    precision: int
    least_exponent: int
    smallest_normal: float
    smallest_subnormal: float
    largest: float
    overflow: np.longdouble
    underflow: float
    nearby: bool = False


@cache
def name_of(dtype: np.dtype[Any]) -> str:
    """The name of a dtype, cached because NumPy computes it at each access."""
    return dtype.name


@cache
def arithmetic(dtype: str, flushes: bool) -> Arithmetic | None:
    """The arithmetic of a floating dtype; None for an integer dtype or bool."""
    if dtype not in WIDE:
        return None
    info: Any = limits(dtype)
    wide: Any = np.finfo(WIDE[dtype])
    # half an ULP above the largest number; not a number where long double is float64
    overflow = np.ldexp(1 - np.longdouble(info.eps) / 4, int(info.maxexp))
    return Arithmetic(
        dtype=dtype,
        flushes=flushes,
        unit=float(info.eps) / 2,
        wide_unit=float(wide.eps) / 2,
        precision=int(info.nmant) + 1,
        least_exponent=int(info.minexp),
        smallest_normal=float(info.smallest_normal),
        smallest_subnormal=float(info.smallest_subnormal),
        largest=float(info.max),
        overflow=overflow if np.isfinite(overflow) else np.longdouble(info.max),
        underflow=float(info.smallest_normal if flushes else info.smallest_subnormal),
    )


def ulp(value: Array, model: Arithmetic) -> Array:
    """One unit in the last place of the dtype at every element; for a NaN or infinity, anything.

    Shapes: any value; the result has its shape and dtype.
    """
    _, exponent = np.frexp(np.maximum(np.abs(value), model.smallest_normal))
    unit = value.dtype.type(1)
    spacing: Array = np.ldexp(unit, exponent - model.precision)
    return spacing


def gamma(n: Any, unit: float) -> Any:
    """gamma_n = n u / (1 - n u) for a number or an array of roundings; infinite from n u = 1."""
    product = n * unit
    if np.ndim(product) == 0:
        return product / (1 - product) if product < 1 else np.inf
    return np.where(product < 1, product / np.where(product < 1, 1 - product, 1), np.inf)


def allowance(n: Any, model: Arithmetic) -> Any:
    """gamma_n of an implementation, and gamma_n of the oracle, which rounds as often."""
    return gamma(n, model.unit) + gamma(n, model.wide_unit)


def quantum(x: Array) -> float:
    """The largest power of two of which every finite element is a multiple; infinite for zeros."""
    fraction, exponent = np.frexp(x[np.isfinite(x) & (x != 0)].astype(np.float64))
    if not fraction.size:
        return np.inf
    digits = np.ldexp(fraction, _SIGNIFICAND).astype(np.int64)
    # the last digit of a number that is not 0
    _, place = np.frexp((digits & -digits).astype(np.float64))
    return float(np.ldexp(1.0, int((exponent + place).min()) - 1 - _SIGNIFICAND))


_SIGNIFICAND = 53


def is_exact(magnitude: Array, unit: float, model: Arithmetic) -> Array:
    """Where a sum of multiples of `unit` is computed without rounding, in any order.

    `magnitude` is the sum of the terms' magnitudes. A partial sum is also a multiple of `unit`, and
    no larger than `magnitude`. Where that is less than 2**precision units, the dtype has the
    partial sum, and an addition whose result the dtype has is exact (IEEE 754).

    Shapes: any magnitude; the result is bool and has its shape.
    """
    if model.nearby or unit < model.smallest_normal:
        return np.zeros(np.shape(magnitude), np.bool_)
    exact: Array = magnitude < np.minimum(2.0**model.precision * unit, model.largest)
    return exact


def flushed(x: Array) -> Array:
    """A floating `x` with its subnormal elements replaced by zero; `x` itself if it has none.

    Shapes: any x; the result has the shape and the dtype of x.
    """
    magnitude = np.abs(x)
    least = limits(name_of(x.dtype)).smallest_normal
    small = (magnitude < least) & (magnitude > 0)
    return np.where(small, x.dtype.type(0), x) if small.any() else x


@lru_cache(maxsize=4096)
def signs(shape: Sequence[int]) -> tuple[Array, ...]:
    """Four arrays of +-1 of the shape: rows of a 4 x 4 Hadamard matrix along every axis.

    The last row is negated. Therefore each element gets both signs, and any three neighbours on an
    axis get every combination of signs up to a common one.
    """
    rows = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [-1, 1, 1, -1]], np.float64)
    place = np.indices(shape).sum(axis=0) % 4 if shape else np.zeros((), np.int64)
    return tuple(row[place] for row in rows)


def finite_magnitude(x: Array) -> Array:
    """|x|, with 0 for numbers that are not finite: IEEE 754 settles those terms without
    rounding.

    Shapes: any x; the result has the shape of x.
    """
    magnitude: Array = np.abs(x)
    finite = np.isfinite(magnitude)
    return magnitude if finite.all() else np.where(finite, magnitude, 0)


def signed_parts(x: Array) -> tuple[Array, Array]:
    """The positive and the negative finite elements as magnitudes, 0 elsewhere.

    Shapes: any x; both results have the shape of x.
    """
    magnitude = finite_magnitude(x)
    return np.where(x > 0, magnitude, 0), np.where(x < 0, magnitude, 0)


def overflow_risk(
    value: Array,
    bound: Array,
    magnitude: Array,
    factor: Any,
    model: Arithmetic,
    *,
    parts: Callable[[], tuple[Array, Array]],
) -> Array:
    """The bound of a sum, infinite where some order of summation overflows and another does not.

    `magnitude` is the sum of the terms' magnitudes, `parts` gives the sums of the positive and
    of the negative finite terms. If no part reaches the overflow threshold, no partial sum does.
    If one does, the answer is still the same in every order where the value overflows itself and
    the part of the other sign does not; with both, infinities of both signs can meet.

    Shapes: value, bound, magnitude, both parts and the result have one shape.
    """
    if not (magnitude * (1 + factor) >= model.overflow).any():
        return bound
    up, down = (part * (1 + factor) >= model.overflow for part in parts())
    opposed = np.where(value > 0, down, up)
    certain = ~(np.abs(value) - bound < model.overflow)
    return np.where((up | down) & ~(certain & ~opposed), np.inf, bound)
