# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number ends the process: FAKE_END=abort (unless told), or
exit, with FAKE_CODE (7 unless told). For FAKE_SLOWLY seconds nobody hears of it: the process that
started this one is stopped."""

import os
import signal
import time

from .correct import *  # noqa: F403
from .triggers import exp_that


def _stop(process, seconds):
    os.kill(process, signal.SIGSTOP)
    if os.fork() == 0:
        os.closerange(0, 4096)
        time.sleep(seconds)
        os.kill(process, signal.SIGCONT)
        os._exit(0)


def _end(_):
    print("about to end")
    if "FAKE_SLOWLY" in os.environ:
        _stop(os.getppid(), float(os.environ["FAKE_SLOWLY"]))
    if os.environ.get("FAKE_END", "abort") == "abort":
        os.abort()
    os._exit(int(os.environ.get("FAKE_CODE", "7")))


exp = exp_that(_end)
