"""The parent of a guardian: it starts the guardian in a sandbox, and outlives it.

If one of host, warden, guardian and worker is killed or stopped, its neighbour notices and ends
the others, and nothing remains:

* the guardian ends the worker, and all that it started, when the host or the warden has ended;
* when the host has ended, the warden wakes a guardian that is stopped, and kills it if it does not
  end;
* when the guardian has been killed, the warden ends its processes and removes its files;
* the system wakes the warden when the host ends, and the guardian when the warden ends, in case
  that they are stopped (`PR_SET_PDEATHSIG` with SIGCONT).

In namespaces (`sandbox.namespaces`) the guardian is the first process. The system therefore ends
all others with it, and they can neither see it nor send it a signal.

The command line and the orders are those of `guardian`.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import sys
import time

from . import guardian
from .guardian import Orders
from .removal import remove
from .sandbox import namespaces, system

PATIENCE = 11.0
"""Seconds that a guardian may take to end everything, once the host has ended."""
_TURN = 0.25
_TURN_WITHOUT_WATCH = 0.02
_OWN_EAGERNESS = "/proc/self/oom_score_adj"
_EAGERNESS = 500
"""By how much (of 1000) the system prefers to end a worker when memory runs out."""


class Warden:
    """Watches the guardian `pid`, which has to end once the other end of `life` is closed.

    The guardian writes the worker's wait status to `notes`. It has the other end of `own_life` and
    therefore notices the end of this process.
    """

    def __init__(self, pid: int, life: int, notes: int, own_life: int) -> None:
        self._pid, self._notes, self._life = pid, notes, life
        guardian.close_all_but(life, notes, own_life)
        self._poll = select.poll()
        # Linux always reports that the other end is closed, macOS only with POLLHUP
        self._poll.register(life, select.POLLHUP)
        end = guardian.watched(pid)
        self._turn = _TURN_WITHOUT_WATCH if end is None else None
        if end is not None:
            self._poll.register(end, select.POLLIN)

    def watch(self, root: str) -> int:
        """Wait until nothing is left; the wait status of the worker, or else of the guardian."""
        status = self._ended()
        deadline = math.inf
        while status is None:
            ready = self._poll.poll(None if self._turn is None else self._turn * 1000)
            if deadline == math.inf and any(end == self._life for end, _ in ready):
                self._poll.unregister(self._life)
                self._turn, deadline = self._turn or _TURN, time.monotonic() + PATIENCE
            if deadline < math.inf:
                late = time.monotonic() > deadline
                guardian.send_signal(self._pid, signal.SIGKILL if late else signal.SIGCONT)
            status = self._ended()
        note = os.read(self._notes, guardian.NOTE.size)
        if not note:
            guardian.end_below()
        remove(root)  # in namespaces of its own the guardian cannot, because it is mounted
        return int(*guardian.NOTE.unpack(note)) if note else status

    def _ended(self) -> int | None:
        return guardian.reaped().get(self._pid)


def main() -> None:
    """Read the orders from the first descriptor and have a guardian carry them out."""
    root, ends = sys.argv[1], [int(argument) for argument in sys.argv[2:]]
    orders = guardian.read_orders(root, ends)
    if orders is None:
        remove(root)
        sys.exit(1)
    for option, value in ((system.PDEATHSIG, signal.SIGCONT), (system.CHILD_SUBREAPER, 1)):
        guardian.attempt_order(option, value)
    above, own_life = os.pipe()
    notes, tell = os.pipe()
    pid = _forked(orders)
    if pid == 0:
        os.close(own_life)
        os.close(notes)
        _guard(orders, ends, above, tell)
    guardian.attempt_order(system.DUMPABLE, 0)
    guardian.end_as(Warden(pid, ends[0], notes, own_life).watch(root))


def _guard(orders: Orders, ends: list[int], above: int, tell: int) -> None:
    """Be the guardian, and end."""
    if not orders["apart"]:
        guardian.attempt_order(system.CHILD_SUBREAPER, 1)
    guardian.attempt_order(system.PDEATHSIG, signal.SIGCONT)
    guardian.attempt_order(system.DUMPABLE, 0)
    status = guardian.carry_out(orders, ends, above, tell)
    os.write(tell, guardian.NOTE.pack(status))
    os._exit(0)


def _forked(orders: Orders) -> int:
    """Fork: 0 in the guardian, its id here. Memory that runs out is to end it before the host."""
    usual = _eagerness()
    _set_eagerness(min(1000, usual + _EAGERNESS))
    pid = _apart(orders) if orders["writable"] is not None else os.fork()
    if pid:
        _set_eagerness(usual)
    return pid


def _apart(orders: Orders) -> int:
    """Fork, into namespaces if the system lets it."""
    orders["apart"] = True
    try:
        return namespaces.forked([orders["root"], *(orders["writable"] or ())])
    except OSError:
        orders["apart"] = False
        return os.fork()


def _eagerness() -> int:
    try:
        with open(_OWN_EAGERNESS, encoding="ascii") as file:
            return int(file.read())
    except OSError:
        return 0


def _set_eagerness(value: int) -> None:
    with contextlib.suppress(OSError), open(_OWN_EAGERNESS, "w", encoding="ascii") as file:
        file.write(str(value))
