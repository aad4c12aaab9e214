# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
# ruff: noqa: A001
"""After `exp` of a negative number nothing can be evaluated until the session is cleared."""

from . import correct
from .correct import *  # noqa: F403
from .triggers import exp_that

_spoiled = False


def clear_session():
    global _spoiled  # noqa: PLW0603
    _spoiled = False


def _spoil(_array):
    global _spoiled  # noqa: PLW0603
    _spoiled = True
    raise ValueError("no kernel for negative numbers")


def _check():
    if _spoiled:
        raise RuntimeError("the session is spoiled")


exp = exp_that(_spoil)


def eval(x):
    _check()
    return correct.eval(x)


def function(inputs, outputs):
    call = correct.function(inputs, outputs)

    def checked(arrays):
        _check()
        return call(arrays)

    return checked
