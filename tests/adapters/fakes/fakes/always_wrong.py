# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: A001
"""Every function answers one more than it should."""

import numpy as np

from . import correct
from .correct import *  # noqa: F403


def _wrong(function):
    def wrong(*args, **kwargs):
        right = function(*args, **kwargs)
        return correct.node(lambda a: np.asarray(a + 1).astype(a.dtype), right)

    return wrong


sum, softmax, exp, reshape, argmax, dot, maximum, identity = map(
    _wrong,
    [
        correct.sum,
        correct.softmax,
        correct.exp,
        correct.reshape,
        correct.argmax,
        correct.dot,
        correct.maximum,
        correct.identity,
    ],
)
