"""The processes of a run, looked at from outside."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence

from conformance.adapters import guardian
from tests.adapters.support import alive

_SECONDS = 30.0
"""How long a killed process may take to end."""


def send(sent: str, ids: Mapping[str, Sequence[int]]) -> None:
    """Send signals to all processes of a role: "guardian STOP, host KILL"; "wait 2" waits for two
    seconds. Neighbouring signals follow at once: a guardian ends soon after its host."""
    killed: list[int] = []
    for part in sent.split(", "):
        role, what = part.split()
        if role == "wait":
            _wait_for_the_end_of(killed)
            time.sleep(float(what))
            continue
        reached = [_reached(process, what) for process in ids[role]]
        assert any(reached)
        killed += ids[role] if what == "KILL" else ()
    _wait_for_the_end_of(killed)


def _wait_for_the_end_of(processes: Sequence[int]) -> None:
    """Wait until killed processes are gone: on a busy machine that takes a moment, in which the
    others would go on."""
    deadline = time.monotonic() + _SECONDS
    while any(map(alive, processes)):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _reached(process: int, what: str) -> bool:
    """Whether the process was there: one that answers a question of the start may have ended."""
    try:
        os.kill(process, getattr(signal, f"SIG{what}"))
    except ProcessLookupError:
        return False
    return True


class Family:
    """A host, and all the processes below it while its workers compute."""

    def __init__(self, host: int, roles: tuple[str, ...] = ("warden", "guardian")) -> None:
        """`roles` are what the host starts, and what that starts, down to the guardian."""
        self.members = guardian._below(host) | {host}
        self._parents = {p: parent for p, _, parent in guardian._processes()}
        self.ids = {"host": [host]}
        above = [host]
        for role in roles:
            above = self.ids[role] = [child for parent in above for child in self._children(parent)]
        # the oldest is the zygote, if there is one, and the worker its copy
        below = [sorted(self._children(parent)) for parent in above]
        self.ids["zygote"] = [workers[0] for workers in below if workers]
        self.ids["worker"] = [workers[min(1, len(workers) - 1)] for workers in below if workers]

    def _children(self, above: int) -> list[int]:
        return [p for p in self.members if self._parents.get(p) == above]

    def send(self, sent: str) -> None:
        """See the function `send`."""
        send(sent, self.ids)

    def left(self) -> set[int]:
        """Those that run."""
        return {member for member in self.members if alive(member)}

    def left_after(self, seconds: float) -> set[int]:
        """Those that still run after so many seconds; they are killed."""
        deadline = time.monotonic() + seconds
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.05)
        processes = self.left()
        for process in processes:
            os.kill(process, signal.SIGKILL)
        return processes
