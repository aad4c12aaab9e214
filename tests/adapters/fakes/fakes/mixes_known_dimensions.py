# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` reports the dimensions that are known in the opposite order, if others are unknown."""

from . import correct
from .correct import *  # noqa: F403


def exp(x):
    right = correct.exp(x)
    if None in x.shape:
        right.shape = tuple(reversed(x.shape))
    return right
