# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but `softplus` has no gradient, and every uid is 7."""

from conformance import reference as right
from conformance.reference import *  # noqa: F403


def softplus(x):
    return right.stop_gradient(right.softplus(x))


def get_uid(prefix=""):
    return 7
