# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` gives float64 whatever it gets, and says so."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def exp(x):
    return correct.node(lambda a: np.exp(a).astype("float64"), x)
