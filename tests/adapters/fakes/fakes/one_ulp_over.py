# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` is FAKE_ULP (1 unless told) representable numbers larger than the nearest.

It is computed in float64 and rounded: NumPy's own float32 is up to 2.6 ULP off, by processor.
"""

import os

import numpy as np

from . import correct
from .correct import *  # noqa: F403

_ULP = int(os.environ.get("FAKE_ULP", "1"))


def exp(x):
    def operation(a):
        with np.errstate(over="ignore"):
            result = np.exp(a.astype("float64")).astype(a.dtype)
        for _ in range(_ULP):
            result = np.nextafter(result, np.full_like(result, np.inf))
        return result

    return correct.node(operation, x)
