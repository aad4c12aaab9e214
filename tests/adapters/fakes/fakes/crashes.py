# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number ends the process: FAKE_END=abort (unless told), or
exit, with FAKE_CODE (7 unless told)."""

import os

from .correct import *  # noqa: F403
from .triggers import exp_that


def _end(_):
    print("about to end")
    if os.environ.get("FAKE_END", "abort") == "abort":
        os.abort()
    os._exit(int(os.environ.get("FAKE_CODE", "7")))


exp = exp_that(_end)
