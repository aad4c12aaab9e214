# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`set_floatx` ends the process, and writes a line into the file FAKE_LIST before it does."""

import os
from pathlib import Path

from .correct import *  # noqa: F403


def set_floatx(_):
    with Path(os.environ["FAKE_LIST"]).open("a") as file:
        file.write("called\n")
    os._exit(3)
