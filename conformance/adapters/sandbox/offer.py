"""The protection that the sandbox gives on this machine, as a trial program reports it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.adapters.process import WorkerProcess

_NETWORK = Path("/proc/self/ns/net")
_SECONDS = 30.0
_MOST = 2**16
_TRIAL = """
import json, os, socket, sys
place, port, host, network = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]

def refused(action, *arguments):
    try:
        action(*arguments)
    except OSError:
        return True
    return False

print(json.dumps({
    "processes": refused(os.stat, f"/proc/{host}"),
    "signals": refused(os.kill, host, 0),
    "files": refused(open, place, "w"),
    "permissions": refused(os.chmod, os.path.dirname(place), 0o700),
    "connections": refused(socket.create_connection, ("127.0.0.1", port), 5),
    "network": os.readlink("/proc/self/ns/net") != network,
}))
"""
_KEPT_FROM = {
    "processes": "see other processes",
    "signals": "send signals to them",
    "files": "change files",
    "permissions": "change permissions of files",
    "connections": "connect by TCP",
    "network": "use the network in other ways",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The actions that a sandbox prevents, by the names in `_KEPT_FROM`."""

    kept_from: tuple[str, ...] = ()

    @property
    def level(self) -> str:
        """`full`, `partial` or `none`."""
        whole = len(self.kept_from) == len(_KEPT_FROM)
        return "full" if whole else "partial" if self.kept_from else "none"

    def __str__(self) -> str:
        parts = [(n in self.kept_from, text) for n, text in _KEPT_FROM.items()]
        cannot, can = ([text for prevented, text in parts if prevented is k] for k in (True, False))
        return "; ".join(
            [
                self.level,
                *([f"a worker cannot {_enumeration(cannot, 'or')}"] if cannot else []),
                *([f"it can {_enumeration(can, 'and')}"] if can else []),
            ]
        )


@cache
def offer() -> Offer:
    """The actions that the sandbox prevents on this machine."""
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as outside,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        place, port = str(Path(outside, "written")), str(server.getsockname()[1])
        network = str(_NETWORK.readlink()) if sys.platform == "linux" else ""
        arguments = [place, port, str(os.getpid()), network]
        answers = _output([sys.executable, "-I", "-S", "-c", _TRIAL, *arguments])
    return Offer(kept_from=tuple(name for name in _KEPT_FROM if answers.get(name)))


def _output(command: list[str]) -> dict[str, bool]:
    """The report of the trial; nothing if it could not run."""
    with contextlib.suppress(OSError, ValueError):
        trial = WorkerProcess(command, {}, writable=())
        try:
            trial.wait(_SECONDS)
            answers: dict[str, bool] = json.loads(os.read(trial.output, _MOST))
            return answers
        finally:
            trial.end()
            trial.close()
    return {}


def _enumeration(words: list[str], last: str) -> str:
    return f" {last} ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])
