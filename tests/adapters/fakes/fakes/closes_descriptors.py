# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number closes descriptors: the low ones, or all with FAKE_CLOSE=all; then
it waits for FAKE_SECONDS (0 unless told)."""

import os
import time

from .correct import *  # noqa: F403
from .triggers import exp_that


def _close(_):
    os.closerange(3, 4096 if os.environ.get("FAKE_CLOSE") == "all" else 64)
    time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))


exp = exp_that(_close)
