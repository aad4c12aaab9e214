# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number answers, rightly, after FAKE_SECONDS; nothing can end it before."""

import os
import signal
import time

from .correct import *  # noqa: F403
from .triggers import exp_that

signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _wait(_):
    time.sleep(float(os.environ["FAKE_SECONDS"]))


exp = exp_that(_wait)
