# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but `softplus` has no gradient, every uid is 7, and an example is wrong."""

from conformance import reference as right
from conformance.reference import *  # noqa: F403


def softplus(x):
    return right.stop_gradient(right.softplus(x))


def get_uid(prefix=""):
    return 7


def batch_dot(x, y, axes=None):
    result = right.batch_dot(x, y, axes)
    return right.expand_dims(result) if right.int_shape(x) == (32, 20, 1) else result
