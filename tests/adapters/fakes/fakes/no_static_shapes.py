# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`int_shape` refuses the results of `node`, which are all results but those of `reshape`."""

from . import correct
from .correct import *  # noqa: F403


def int_shape(x):
    if getattr(x.compute, "__qualname__", "").startswith("node."):
        raise TypeError("not a variable")
    return x.shape


def square(x):
    return correct.node(lambda a: a * a, x)
