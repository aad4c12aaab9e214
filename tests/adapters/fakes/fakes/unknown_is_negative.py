# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`int_shape` writes -3 for what is unknown in results, with FAKE_OF=exp in those of `exp` alone.

`softmax` claims one axis more than it has, and `identity` one element more in each dimension that
it knows.
"""

import os

import numpy as np

from . import correct
from .correct import *  # noqa: F403

_EXP_ALONE = os.environ.get("FAKE_OF") == "exp"


def int_shape(x):
    marked = getattr(x, "marked", False)
    return tuple(-3 if n is None and marked else n for n in x.shape)


def _marked(tensor, *, always=False):
    tensor.marked = always or not _EXP_ALONE
    return tensor


def square(x):
    return _marked(correct.node(lambda a: a * a, x))


def exp(x):
    return _marked(correct.node(np.exp, x), always=True)


def softmax(x, axis=-1):
    result = _marked(correct.softmax(x, axis))
    result.shape = (*result.shape, None)
    return result


def identity(x, name=None):
    result = _marked(correct.identity(x))
    result.shape = tuple(n if n is None else n + 1 for n in result.shape)
    return result
