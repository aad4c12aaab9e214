"""The expectation: the right value of a call, and an error bound for every element of it.

An *error bound* says how far the result of a correct implementation may be from the exact value.
It is a number per element, in the units of the result, never a tolerance that somebody chose. It
follows from what any order of evaluation may round:

1. The oracle computes the value in a wider type (`rounding.WIDE`), where its own error is far
   below one rounding of the result's dtype.
2. The spec's `accuracy` names the class of the bound (`bounds.KINDS`). `exact`: elements are only
   copied, the bound is 0. `ulp`: the documents or the library promise some units in the last
   place. `contraction`: a sum of n products is off by at most gamma_n times the sum of their
   magnitudes (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, SIAM
   2002, section 3.1). `conditioned`: the change that one rounding of the inputs makes, times the
   number of roundings.
3. Numbers below the normal range may be flushed to zero, which widens the bound there.
4. Gradients have bounds of their own (`gradient_bounds`), from differences of the oracle and the
   terms that implementations may subtract (`gradient_paths`).

A result is *wrong* beyond the bound. Where a float64 result is as good as one computed in float32,
it is *inaccurate* instead (`compare.is_inaccurate`). `tests/oracle` shows that plain and careful
implementations stay within the bounds, and that small errors leave them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """The right answer, and how far a correct implementation may stray from it.

    `value` has the shape that a correct implementation must give: float64 for floating results,
    int64 or bool for others. `bound` is float64 of the same shape. 0 asks for the very value: a NaN
    for a NaN, an infinity for the same infinity. Infinity asks for nothing: no order of evaluation
    is demanded, and some orders overflow. `dtype` is the result dtype, and each element is a sum of
    so many `terms`.
    """

    value: Array
    bound: npt.NDArray[np.float64]
    dtype: str
    terms: int = 1
