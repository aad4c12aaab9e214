# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`identity` returns its argument itself, and `function` refuses an output that is an input."""

from . import correct
from .correct import *  # noqa: F403


def identity(x, name=None):
    return x


def function(inputs, outputs, updates=None):
    if any(output is argument for output in outputs for argument in inputs):
        raise AttributeError("an output cannot be an input")
    return correct.function(inputs, outputs)
