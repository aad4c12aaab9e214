# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number starts 300 processes that stay."""

import os
import time

from .correct import *  # noqa: F403
from .triggers import exp_that


def _fork(_):
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
    time.sleep(600)


exp = exp_that(_fork)
