# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
# ruff: noqa: A001 - the API has such names
"""`sum` takes None for axis 0, unless it is left out."""

from . import correct
from .correct import *  # noqa: F403

_EVERY = object()


def sum(x, axis=_EVERY, keepdims=False):
    axis = 0 if axis is None and x.shape else axis
    return correct.sum(x, None if axis is _EVERY else axis, keepdims)
