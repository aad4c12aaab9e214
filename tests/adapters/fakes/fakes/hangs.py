# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number does not come back."""

import time

from .correct import *  # noqa: F403
from .triggers import exp_that


def _hang(_):
    while True:
        time.sleep(60)


exp = exp_that(_hang)
