# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="no-redef, override, var-annotated"
"""`exp` of a negative number returns FAKE_WHAT in place of an array."""

import os
import time

import numpy as np

from . import correct
from .correct import *  # noqa: F403


class _Raises:
    """Nothing can be asked of it."""

    def __getattribute__(self, name):
        raise SystemExit("asked for " + name)

    def __array__(self, *_, **__):
        raise KeyboardInterrupt


class _Hangs:
    def __array__(self, *_, **__):
        time.sleep(600)


class _Meta(type):
    @property
    def __mro__(cls):
        raise RuntimeError("no bases")

    @property
    def __name__(cls):
        raise RuntimeError("no name")


class _Error(ValueError, metaclass=_Meta):
    def __str__(self):
        raise SystemExit(0)


def _raises():
    raise _Error


def _nested():
    nested = []
    nested.append(nested)
    return nested


def _deep():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep


HORRORS = {
    "raises": _Raises,
    "hangs": _Hangs,
    "error": _raises,
    "nested": _nested,
    "deep": _deep,
    "objects": lambda: np.array([_Raises()], object),
    "records": lambda: np.zeros(3, [("a", "f4")]),
    "text": lambda: "\ud800\x00" * 10_000,
    "many": lambda: [np.zeros(1)] * 70_000,
    "large": lambda: np.broadcast_to(np.float32(1), (2**40,)),
}


def exp(x):
    def operation(a):
        return HORRORS[os.environ["FAKE_WHAT"]]() if np.any(a < 0) else np.exp(a)

    return correct.node(operation, x)
