# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` is one too large for one number in a thousand or so, always for the same numbers."""

import zlib

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def _chosen(number):
    return zlib.crc32(np.float64(number).tobytes()) % 1000 == 0


def exp(x):
    def operation(a):
        chosen = np.array([_chosen(n) for n in a.ravel()], bool).reshape(a.shape)
        return np.exp(a) + chosen.astype(a.dtype)

    return correct.node(operation, x)
