# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number starts processes that live for ten minutes and cannot be asked to
end, and answers rightly: a child, one in a session of its own, a daemon, and a program without
any environment. It writes their numbers into FAKE_LIST."""

import os
import signal
import sys
import time
from pathlib import Path

from .correct import *  # noqa: F403
from .triggers import exp_that

_SLEEP = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


def _stay():
    with Path(os.environ["FAKE_LIST"]).open("a") as listing:
        listing.write(f"{os.getpid()}\n")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
    os._exit(0)


def _session():
    os.setsid()
    _stay()


def _daemon():
    os.setsid()
    if os.fork():
        os._exit(0)
    _stay()


def _program():
    with Path(os.environ["FAKE_LIST"]).open("a") as listing:
        listing.write(f"{os.getpid()}\n")
    os.setsid()
    os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", _SLEEP], {})


def _start(_):
    for child in (_stay, _session, _daemon, _program):
        if os.fork() == 0:
            child()
    listing = Path(os.environ["FAKE_LIST"])
    while not (listing.exists() and len(listing.read_text().split()) >= 4):
        time.sleep(0.01)


exp = exp_that(_start)
