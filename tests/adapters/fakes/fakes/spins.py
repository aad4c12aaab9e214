# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number computes without end, and `square` for most of a second."""

import time

from . import correct
from .correct import *  # noqa: F403
from .triggers import exp_that


def _spin(_):
    while True:
        pass


exp = exp_that(_spin)


def square(x):
    begun = time.process_time()
    while time.process_time() < begun + 0.7:
        pass
    return correct.square(x)  # type: ignore[attr-defined]
