"""Elementary functions for the numbers of cases: the same on every processor.

NumPy computes exp and log of float64 by kernels for the widest registers that a processor has, and
the C library with or without fused products; their results differ in the last place. A long double
is computed in one way, without such registers. Where it is wider than float64, rounding it to
float64 hides the last place, unless a number lies almost halfway between two. So a seed gives the
same cases, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def exp(x: npt.ArrayLike) -> Array:
    """e to the power of each element, in float64."""
    return np.asarray(np.exp(np.asarray(x, np.longdouble)), np.float64)


def log(x: npt.ArrayLike) -> Array:
    """The natural logarithm of each element, in float64."""
    return np.asarray(np.log(np.asarray(x, np.longdouble)), np.float64)
