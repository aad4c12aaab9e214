# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number prints 4 MiB on each of stdout and stderr, and answers rightly."""

import os

from .correct import *  # noqa: F403
from .triggers import exp_that


def _flood(_):
    for descriptor in (1, 2):
        for _ in range(64):
            os.write(descriptor, b"x" * 65535 + b"\n")


exp = exp_that(_flood)
