# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`compiled` of a tensor tells how many functions were compiled until it is computed."""

from . import correct
from .correct import *  # noqa: F403

_functions: "list[object]" = []


def function(inputs, outputs):
    _functions.append(outputs)
    return correct.function(inputs, outputs)


def compiled(x):
    return correct.Tensor(lambda values: x.compute(values) * 0 + len(_functions), x.shape, x.dtype)
