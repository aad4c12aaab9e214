# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` works in place: it changes the array it was fed, or the variable's own."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def exp(x):
    return correct.node(lambda a: np.exp(a, out=a).copy(), x)
