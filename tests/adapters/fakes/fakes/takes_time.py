# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` takes a second and a half for each array."""

import time

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def _slow_exp(a):
    time.sleep(1.5)
    return np.exp(a)


def _exp(x):
    return correct.node(_slow_exp, x)


exp = _exp
