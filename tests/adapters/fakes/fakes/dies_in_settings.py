# mypy: allow-untyped-defs, allow-untyped-calls
"""`set_floatx` ends the process, and writes a line into the file FAKE_LIST before it does."""

import os

from .correct import *  # noqa: F403


def set_floatx(_):
    with open(os.environ["FAKE_LIST"], "a") as file:
        file.write("called\n")
    os._exit(3)
