"""Comparisons: equal, not_equal, greater, greater_equal, less and less_equal.

Widening is exact, so that the comparison of the wide numbers is that of the given ones; a Python
number is first rounded to the tensor's dtype. NaN compares as in IEEE 754: unequal to everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array


def _binary(function: Callable[[Any, Any], Array]) -> Callable[..., Array]:
    def oracle(x: Any, y: Any) -> Array:
        result: Array = function(x, y)
        return result

    return oracle


ORACLES: Mapping[str, Callable[..., Array]] = {
    "equal": _binary(np.equal),
    "not_equal": _binary(np.not_equal),
    "greater": _binary(np.greater),
    "greater_equal": _binary(np.greater_equal),
    "less": _binary(np.less),
    "less_equal": _binary(np.less_equal),
}
