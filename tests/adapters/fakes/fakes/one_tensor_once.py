# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"

"""`maximum` of one tensor, passed as both arguments, is wrong; it is right of two."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def maximum(x, y):
    if x is y:
        return correct.node(lambda a: np.asarray(a + a).astype(a.dtype), x)
    return correct.maximum(x, y)
