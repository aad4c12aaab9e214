"""How far two right computations of the same numbers may lie apart.

NumPy computes exp, log and their like by kernels that differ between processors, and a BLAS adds up
in an order of its own, so that a right result may differ from another by more than one rounding. A
test that compares two says how many roundings are in each; the rest follows from Higham, Accuracy
and Stability of Numerical Algorithms, 2nd edition, with u the unit roundoff of the dtype:

* n roundings in a chain of products, quotients and roots change a number by at most gamma_n of it,
  gamma_n = n u / (1 - n u) (lemma 3.1).
* A sum of n terms, in whatever order, is off by at most gamma_(n-1) of the sum of their magnitudes
  (equation 4.4), an inner product of n pairs by gamma_n of the sum of |x| |y| (section 3.1). If
  each term carries m roundings of its own, these add up: gamma_(n-1+m) (lemma 3.3).
* An elementary function that is off by at most L ULP counts as 2 L roundings, because one ULP is at
  most 2 u of a number. L is the limit that the function's spec states.

The logarithm of a sum of exponentials is conditioned by its own size: `log_probability` says so.

Where the oracle has a bound for the function that is tested, `assert_right` takes that one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle import Expectation
from conformance.specs import load
from conformance.specs.model import Ulp

Array = npt.NDArray[Any]


def gamma(roundings: int, dtype: str = "float64") -> float:
    """gamma_n = n u / (1 - n u)."""
    product = roundings * float(np.finfo(dtype).eps) / 2
    return product / (1 - product)


def library(function: str) -> int:
    """The roundings for which a call of an elementary function counts: two for each ULP."""
    accuracy = load()[function].accuracy
    assert isinstance(accuracy, Ulp), f"{function} has no limit in ULP"
    return 2 * int(accuracy.limit)


def assert_same(
    result: Any, expected: Any, roundings: int, size: Any = None, dtype: str = "float64"
) -> None:
    """Two computations with so many roundings each agree: |found - wanted| <= 2 gamma_n size.

    `size` is the sum of the magnitudes of the terms; without it, the magnitude of what is wanted.
    """
    largest = np.abs(expected) if size is None else size
    assert_within(result, expected, 2 * gamma(roundings, dtype) * np.asarray(largest))


def log_probability(steps: int) -> int:
    """The roundings of CTC's recursion over so many steps, in logarithms.

    A step adds a logarithm to log(exp(a) + exp(b)): two sums, an exp and a log. Each is off
    relative to 1 and the result's magnitude together at most, which is the size to give.
    """
    return steps * (2 + library("exp") + library("log"))


def assert_right(result: Any, expectation: Expectation) -> None:
    """A result is within the oracle's own bound."""
    assert_within(result, expectation.value, expectation.bound)


def assert_within(result: Any, expected: Any, bound: Any) -> None:
    """The shapes are equal, and no element is farther from what is wanted than its bound.

    NaN is as good as NaN, and an infinity as the same infinity.
    """
    got, right = np.asarray(result), np.asarray(expected)
    assert got.shape == right.shape
    with np.errstate(invalid="ignore"):
        distance = np.abs(got.astype(np.longdouble) - right.astype(np.longdouble))
    inside = (got == right) | (np.isnan(got) & np.isnan(right)) | (distance <= bound)
    if not inside.all():
        place = tuple(int(i) for i in np.argwhere(~inside)[0])
        room = np.broadcast_to(bound, got.shape)[place]
        raise AssertionError(
            f"{got[place]} at {place} is {distance[place]} from {right[place]}, bound {room}"
        )
