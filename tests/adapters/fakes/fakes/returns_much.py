# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="no-redef"
"""`exp` of a negative number returns 150 MB in place of an array, or says a text that cannot be
cut: FAKE_WHAT is `array` or `text`."""

import os

import numpy as np

from . import correct
from .correct import *  # noqa: F403


class _Text(str):
    __slots__ = ()

    def __getitem__(self, _):
        return self

    def __str__(self):
        return self


class _Error(Exception):
    def __str__(self):
        return _Text("x" * 3_000_000)


def exp(x):
    def operation(a):
        if not np.any(a < 0):
            return np.exp(a)
        if os.environ["FAKE_WHAT"] == "text":
            raise _Error
        return np.zeros(150 * 2**20 // 8)

    return correct.node(operation, x)
