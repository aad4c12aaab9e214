# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""At the stage FAKE_STAGE (look, import, softmax or argmax), the first time, it waits for a signal.

It says so with a file `waiting` in its home, and goes on when there is a file `go`.
"""

import os
import time
from pathlib import Path

from . import correct
from .correct import *  # noqa: F403

_SECONDS = 60


def _reach(stage):
    if stage != os.environ.get("FAKE_STAGE"):
        return
    home = Path(os.environ["HOME"])
    try:
        os.close(os.open(str(home / "waiting"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    deadline = time.time() + _SECONDS
    while not (home / "go").exists() and time.time() < deadline:
        time.sleep(0.01)


def softmax(x, axis=-1):
    _reach("softmax")
    return correct.softmax(x, axis)


def argmax(x, axis=-1):
    _reach("argmax")
    return correct.argmax(x, axis)


def _first():
    """Whether this is the first look at the module, after which the run imports it."""
    try:
        os.close(os.open(str(Path(os.environ["HOME"]) / "looked"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


_reach("look" if _first() else "import")
