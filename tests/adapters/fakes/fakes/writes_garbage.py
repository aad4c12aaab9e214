# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number writes junk to every open descriptor."""

import contextlib
import os

from .correct import *  # noqa: F403
from .triggers import exp_that


def _write(_):
    for descriptor in range(1, 1024):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\x00junk" * 8)


exp = exp_that(_write)
