"""Answers of an elementwise function of one tensor for NaN and infinities, and at its poles.

`special-values` leaves the answer of a formula open, but not to any number. Implementations give
NaN, or take an infinity for the largest number, or NaN for another special number: the root of
max(x, 0) of NaN is 0. No implementation has 0.25 for the sigmoid of -inf.

Source: the limits of each function, as its oracle computes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import is_floating, limits
from conformance.oracle.expectation import Array, Expectation

Mask = npt.NDArray[np.bool_]

_BESIDE = 0.25
"""By which share an answer to a subnormal number may be nearer to a pole, on either side of a point
that is as much nearer. Chosen: JAX and TensorFlow have the logarithm of 2**-150 for 2**-127, which
is a fifth more."""


def with_finite_bounds(
    expectation: Expectation, x: Array, function: Callable[[Array], Array]
) -> Expectation:
    """The expectation without infinite bounds, which any number would keep.

    Formulas of bounds fail where the function has a pole or an infinite argument. There the answer
    keeps half of its digits, relative to the larger of argument and answer; NaN and infinities
    agree with themselves alone. Where a subnormal number may be read as zero, which is a pole, the
    answer may be nearer to the pole. `function` gives the value for other numbers than x.

    Shapes: x has the shape of the expected value.
    """
    unbounded = ~np.isfinite(expectation.bound)
    if not unbounded.any() or not is_floating(expectation.dtype):
        return expectation
    value, half = expectation.value, _half(expectation.dtype)
    sizes = [np.where(np.isfinite(a), np.abs(a.astype(np.float64)), 0) for a in (x, value)]
    settled = np.where(np.isfinite(value), half * np.maximum(1, np.maximum(*sizes)), 0)
    with np.errstate(all="ignore"):
        zero = np.asarray(function(np.copysign(np.zeros_like(x), x)), np.float64)
    between = (x != 0) & (np.abs(x) < 1) & np.isfinite(value) & np.isinf(zero) & unbounded
    between &= np.sign(zero) == np.sign(value)
    # in other dtypes an infinite answer, that of zero, is another reading
    half_precision = expectation.dtype == "float16"
    most = float(limits(expectation.dtype).max)
    with np.errstate(invalid="ignore", over="ignore"):
        far = most if half_precision else (1 + _BESIDE) * np.abs(value)
        settled = np.where(between, far - (1 - half) * np.abs(value), settled)
    value = np.where(between, np.copysign(far, value), value)
    return replace(expectation, value=value, bound=np.where(unbounded, settled, expectation.bound))


def possible(got: Array, x: Array, dtype: str, function: Callable[[Array], Array]) -> Mask:
    """Where an answer to x may stand: everywhere for numbers of which the function has an answer.

    `dtype` is that of x. `function` gives the value for some numbers in place of x. Where it
    has none for infinities and the largest numbers, they are outside of its domain, and anything
    may stand there. At a pole the answer is infinite, NaN, or at least half of that beside it.

    Shapes: `got`, x and the result have one shape.
    """
    largest = float(limits(dtype).max)
    points = np.array([np.inf, largest, -np.inf, -largest, 0.0], x.dtype)
    with np.errstate(all="ignore"):
        values = np.asarray(function(points))
    mask = _isnan(got) | (np.isfinite(x) & _may_be_beside(got, x, dtype, function))
    ends = ((x == np.inf, values[:2]), (x == -np.inf, values[2:4]), (np.isnan(x), values))
    for chosen, answers in ends:
        right = np.logical_or.reduce([_is_near(got, answer) for answer in answers])
        if _isnan(answers).all():
            right |= True
        elif _isnan(answers[:1]).any() and got.dtype.kind == "f":
            right |= np.isinf(got)
        mask |= chosen & right
    return np.asarray(mask)


def _may_be_beside(got: Array, x: Array, dtype: str, function: Callable[[Array], Array]) -> Mask:
    """Whether an answer is as large as that beside x, where finite x is a pole; true elsewhere."""
    beside = (x.astype(np.float64) * (1 - limits(dtype).eps)).astype(x.dtype)
    with np.errstate(all="ignore"):
        value, near = function(x), function(beside)
    if value.dtype.kind != "f" or got.dtype.kind != "f":
        return np.ones(got.shape, np.bool_)
    with np.errstate(invalid="ignore"):
        large = np.isinf(got) | (got * np.sign(near) >= np.abs(near) / 2)
    return np.asarray(~np.isinf(value) | large)


def _is_near(got: Array, value: Any) -> Mask:
    """Whether numbers have half of the digits of the value."""
    if got.dtype.kind != "f" or not np.isfinite(value):
        return np.asarray(got == value)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(got.astype(np.float64) - value)
    return np.asarray(distance <= _half(got.dtype.name) * max(1.0, abs(value)))


def _half(dtype: str) -> float:
    return float(np.sqrt(limits(dtype).eps))


def _isnan(array: Array) -> Mask:
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, np.bool_)
