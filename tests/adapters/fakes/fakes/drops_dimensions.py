# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`sum` pays no attention to `keepdims`."""

from . import correct
from .correct import *  # noqa: F403


def sum(x, axis=None, keepdims=False):  # noqa: A001
    return correct.sum(x, axis)
