# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number sends FAKE_SIGNAL (SIGKILL unless told) to the process that started
this one, and waits."""

import os
import signal
import time

from .correct import *  # noqa: F403
from .triggers import exp_that


def _kill(_):
    os.kill(os.getppid(), getattr(signal, os.environ.get("FAKE_SIGNAL", "SIGKILL")))
    time.sleep(600)


exp = exp_that(_kill)
