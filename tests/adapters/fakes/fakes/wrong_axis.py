# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
# ruff: noqa: A001
"""`sum` and `softmax` take the first axis when they are asked for the last."""

from . import correct
from .correct import *  # noqa: F403


def sum(x, axis=None, keepdims=False):
    return correct.sum(x, 0 if axis == -1 else axis, keepdims)


def softmax(x, axis=-1):
    return correct.softmax(x, 0 if axis == -1 else axis)
