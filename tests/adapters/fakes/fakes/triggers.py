# mypy: allow-untyped-defs, allow-untyped-calls
"""When a fake misbehaves: in `exp`, for draws that hold a negative number."""

import numpy as np

from . import correct


def exp_that(misbehaves):
    """An `exp` that calls `misbehaves(array)` when it is evaluated on a negative number."""

    def operation(a):
        if np.any(a < 0):
            misbehaves(a)
        return np.exp(a)

    return lambda x: correct.node(operation, x)
