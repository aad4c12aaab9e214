# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="var-annotated, no-redef"
"""What the import does to the process that a zygote forks: FAKE_HABIT.

The habits that end or stop the process have their way once: in the process that finds no file
FAKE_MARKER, and makes it. `exp` of a negative number ends the process; otherwise it is what the
random generators of NumPy and Python draw.
"""

import mmap
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from . import correct
from .correct import *  # noqa: F403

_references = []


def _first():
    """Whether this process is the first that asks."""
    try:
        os.close(os.open(os.environ["FAKE_MARKER"], os.O_CREAT | os.O_EXCL))
    except OSError:
        return False
    return True


def _seeds():
    np.random.seed(7)
    random.seed(7)


def _draws():
    np.random.random()
    random.random()


def _prints():
    print("printed by the import")


def _thread():
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def _child():
    _references.append(subprocess.Popen(["sleep", "600"]))


def _file():
    (Path(tempfile.gettempdir()) / "left").write_text("left")


def _descriptor():
    _references.append(os.open(__file__, os.O_RDONLY))


def _memory():
    _references.append(mmap.mmap(-1, 4096))


def _dies():
    if _first():
        os._exit(3)


def _kills():
    if _first():
        os.kill(os.getppid(), signal.SIGKILL)


def _closes():
    if _first():
        os.closerange(3, 4096)


def _hangs():
    if _first():
        time.sleep(600)


def _grows():
    if _first():
        _references.append([b"x" * 2**25 for _ in range(16)])
        time.sleep(5)


def _grows_later():
    if _first():
        signal.signal(
            signal.SIGALRM, lambda *_: _references.append([b"x" * 2**25 for _ in range(16)])
        )
        signal.setitimer(signal.ITIMER_REAL, 3.0)  # a fork has no timer


if "FAKE_HABIT" in os.environ:
    globals()["_" + os.environ["FAKE_HABIT"]]()


def _drawn(a):
    if np.any(a < 0):
        print("about to end", flush=True)
        os.abort()
    return np.array([np.random.random(), random.random(), 0.0], a.dtype)


def exp(x):
    return correct.node(_drawn, x)
