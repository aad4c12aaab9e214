# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number tries what a sandbox prevents, and says in an error what it could.

FAKE_OUTSIDE is a folder with a file `there`, FAKE_HOST the number of the host, FAKE_PORT a TCP port
on which somebody listens.
"""

import ctypes
import os
import socket
from pathlib import Path

from .correct import *  # noqa: F403
from .triggers import exp_that

_REMOUNT, _BOUND = 32, 4096


def _remount():
    if ctypes.CDLL(None).mount(None, b"/", None, _REMOUNT | _BOUND, None):
        raise OSError
    Path(os.environ["FAKE_OUTSIDE"], "remounted").touch()


def _send():
    """Send to an address that no packet leaves the machine for."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.connect(("192.0.2.1", 9))


def _move():
    Path("mine").touch()
    Path("mine").rename(Path(os.environ["FAKE_OUTSIDE"], "moved"))


def attempts():
    outside, host = Path(os.environ["FAKE_OUTSIDE"]), int(os.environ["FAKE_HOST"])
    process = Path("/proc", str(host))
    return {
        "writes": (outside / "new").touch,
        "changes": lambda: (outside / "there").open("a").close(),
        "links": lambda: (outside / "link").symlink_to("/"),
        "moves": _move,
        "removes": (outside / "there").unlink,
        "permissions": lambda: outside.chmod(0o700),
        "times": lambda: os.utime(str(outside)),
        "mounts": _remount,
        "sees": process.stat,
        "reads memory": lambda: (process / "mem").open("rb").close(),
        "signals": lambda: os.kill(host, 0),
        "connects": lambda: socket.create_connection(
            ("127.0.0.1", int(os.environ["FAKE_PORT"])), 5
        ).close(),
        "sends": _send,
    }


def _reach(_):
    reached = []
    for name, attempt in attempts().items():
        try:
            attempt()
        except OSError:
            continue
        reached.append(name)
    raise RuntimeError("reached: " + ", ".join(reached))


exp = exp_that(_reach)
