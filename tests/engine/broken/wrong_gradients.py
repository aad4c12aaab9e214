# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but every gradient has the other sign."""

from conformance import reference as right
from conformance.reference import *  # noqa: F403


def gradients(loss, variables):
    return [-g for g in right.gradients(loss, variables)]
