"""Comparisons: equal, not_equal, greater, greater_equal, less and less_equal.

Widening is exact. Therefore the comparison of the wide numbers is that of the given ones; a Python
number is first rounded to the tensor's dtype. NaN compares as in IEEE 754: unequal to everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from conformance.oracle.elementwise import binary
from conformance.oracle.expectation import Array

ORACLES: Mapping[str, Callable[..., Array]] = {
    "equal": binary(np.equal),
    "not_equal": binary(np.not_equal),
    "greater": binary(np.greater),
    "greater_equal": binary(np.greater_equal),
    "less": binary(np.less),
    "less_equal": binary(np.less_equal),
}
