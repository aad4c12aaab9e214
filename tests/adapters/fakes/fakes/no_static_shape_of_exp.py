# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`int_shape` refuses the results of `exp`."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def int_shape(x):
    if getattr(x, "refused", False):
        raise TypeError("not a variable")
    return x.shape


def exp(x):
    result = correct.node(np.exp, x)
    result.refused = True
    return result


def square(x):
    return correct.node(lambda a: a * a, x)
