# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` is FAKE_ULP (1 unless told) representable numbers too large."""

import os

import numpy as np

from . import correct
from .correct import *  # noqa: F403

_ULP = int(os.environ.get("FAKE_ULP", "1"))


def exp(x):
    def operation(a):
        result = np.exp(a)
        for _ in range(_ULP):
            result = np.nextafter(result, np.full_like(result, np.inf))
        return result

    return correct.node(operation, x)
