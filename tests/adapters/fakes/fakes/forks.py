# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number forks: the child goes on as the parent does, or with
FAKE_CHILD=stays lives on for a minute, holding every descriptor, while the parent dies."""

import os
import time

from .correct import *  # noqa: F403
from .triggers import exp_that


def _fork(_):
    stays = os.environ.get("FAKE_CHILD") == "stays"
    child = os.fork()
    if stays and child == 0:
        time.sleep(60)
        os._exit(0)
    if stays:
        os._exit(9)


exp = exp_that(_fork)
