# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="var-annotated"
"""`exp` of a negative number takes 1.9 GiB of memory: itself, or in each of FAKE_CHILDREN.

A machine whose limits do not work has as much."""

import os

from .correct import *  # noqa: F403
from .triggers import exp_that


def _fill(_):
    children = int(os.environ.get("FAKE_CHILDREN", "0"))
    in_child = any(os.fork() == 0 for _ in range(children))
    if in_child or not children:
        held = []
        while len(held) < 60:
            held.append(b"x" * 2**25)
    while True:
        os.wait()


exp = exp_that(_fill)
