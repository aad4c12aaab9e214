# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef,attr-defined"
"""The reference, but some functions lose more digits than any released implementation."""

import numpy as np

from conformance.reference import *  # noqa: F403
from conformance.reference.numpy_library.kernels import KERNELS


def _of_input(name, change):
    right = KERNELS[name]
    KERNELS[name] = lambda x, *others, **more: right(change(x), *others, **more)


def _of_result(name, change):
    right = KERNELS[name]
    KERNELS[name] = lambda x, *others, **more: change(right(x, *others, **more))


def _scaled(x):
    return (x * x.dtype.type(1.0001)).astype(x.dtype)


def _clipped(y):
    return np.maximum(y, y.dtype.type(1e-9))


def _without_small(y):
    return np.where(y < 1e-5, y.dtype.type(0), y)


_of_input("softmax", _scaled)
_of_result("sigmoid", _clipped)
_of_result("exp", _without_small)
