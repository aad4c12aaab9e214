# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp` leaves floatx at float64."""

from . import correct
from .correct import *  # noqa: F403


def exp(x):
    correct.set_floatx("float64")
    return correct.exp(x)
