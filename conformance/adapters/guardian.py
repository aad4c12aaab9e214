"""With the arguments `ROOT LIFE NOTES`: start a worker, end it with all that it started.

With the arguments `ROOT HOST`: keep a zygote, a process that has imported the module of a target,
and have it fork one worker after another.

The guardian is the parent of the worker and a child of the warden (`warden`), which is a child of
the host. So no worker outlives the host, no process outlives the worker, and a worker that kills
its parent kills the guardian only. Both need nothing but the standard library. The warden ends as
the worker does: with its exit status, or by its signal.

`ROOT` is the folder that is removed in the end, even if the host was killed before it gave any
orders. `LIFE` is the descriptor of a pipe. The host writes one line of JSON to it, the
`HostOrders`; when it closes the pipe, the guardian ends the worker. `NOTES` is the descriptor of a
file. If the guardian ends the worker for exceeding a limit, it writes the index of the limit in
`LIMITS` there, behind the stage, as a little-endian 32-bit integer.

`HOST` is the descriptor of a socket that keeps messages apart. The host sends the `HostOrders` for
the zygote; the guardian answers `READY` once the zygote can fork. Each message after that orders a
worker: a JSON object with the `folder` and the `directory` of the worker, and five descriptors
(`FORKED_ENDS`). The first is a socket: when the host closes it, the guardian ends the worker. When
the worker has ended, the guardian writes its wait status there as a little-endian 32-bit integer.
If the zygote ends, cannot fork or exceeds the memory limit, the guardian ends.

On Linux every process that a worker starts remains a descendant of the guardian, whatever it does.
Elsewhere only the worker's process group is ended, and nothing is measured; there is no zygote.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypedDict

from .removal import remove
from .sandbox import landlock, namespaces, system

if TYPE_CHECKING:
    from socket import socket

LIMITS = ("none", "memory", "processes", "disk")
PLACE = 8
"""The offset of the limit in the file of notes."""
NOTE = struct.Struct("<i")

MOST_PROCESSES = 256
MOST_FILES = 100_000
MOST_FILE_BYTES = 2 * 2**30
"""The most bytes of all files in the worker's folder for temporary files."""

READY = b"ready"
FORKED_ENDS = ("life", "notes", "requests", "answers", "output")
"""The descriptors beside the order for a forked worker."""
FORK_SECONDS = 20.0
"""How long the zygote may take for a fork."""
MOST_MESSAGE = 2**17
ZYGOTE_OPTION = "--zygote-fd"

_TICK = 0.1
_TICKS_OF_A_SURVEY = 5
_MOST_SECONDS = 10.0
_NOT_FOUND = 127
_MOST_DESCRIPTORS = 2**31 - 1
"""The largest number that `os.closerange` takes."""


class HostOrders(TypedDict):
    """The host's orders: `memory` in bytes, `grace` in seconds, the `folder` for temporary files.

    The `folder` is the root or lies in it. The worker may write to the root and to the folders
    `writable`; without these it has no sandbox.
    """

    command: list[str]
    environment: dict[str, str]
    memory: int
    grace: float
    folder: str
    writable: list[str] | None


class Orders(HostOrders):
    """The orders with two additions of the warden: the folder that is removed in the end, and
    whether the guardian itself is in namespaces (`apart`)."""

    root: str
    apart: bool


class Guard:
    """Watches the worker `pid`, and ends it when one of the descriptors `lives` is closed.

    The process `spared`, if not 0, belongs to no worker: it does not end with the worker.
    """

    def __init__(
        self, pid: int, lives: Sequence[int], notes: int, orders: Orders, spared: int = 0
    ) -> None:
        self._pid, self._notes, self._orders, self._spared = pid, notes, orders, spared
        self._lives = {*lives}
        self._status: int | None = None
        self._ticks = 0
        self._poll = select.poll()
        for life in lives:
            self._poll.register(life, select.POLLIN)
        self._wait = _TICK
        self._own = [end for end in [watched(pid)] if end is not None]
        for end in self._own:
            self._poll.register(end, select.POLLIN)
        if not self._own:
            self._wait = _TICK / 5

    def watch(self) -> int:
        """Wait until the worker and all that it started have ended; the worker's wait status."""
        try:
            self._watch()
            return self._end_all()
        finally:
            for descriptor in self._own:
                os.close(descriptor)

    def _watch(self) -> None:
        """Wait until the worker has ended, must end, or exceeds a limit."""
        while not self._ended():
            ready = dict(self._poll.poll(self._wait * 1000))
            if self._lives & ready.keys():
                self._ask_to_end()
                break
            if limit := self._exceeded():
                os.pwrite(self._notes, NOTE.pack(LIMITS.index(limit)), PLACE)
                break

    def _ended(self) -> bool:
        """Reap every descendant that has ended; whether the worker has ended."""
        ended = reaped()
        self._status = ended.get(self._pid, self._status)
        if self._spared in ended:  # another process may get its id
            self._spared = 0
        return self._status is not None

    def _ask_to_end(self) -> None:
        _signal_group(self._pid, signal.SIGTERM)
        deadline = time.monotonic() + self._orders["grace"]
        while not self._ended() and time.monotonic() < deadline:
            time.sleep(0.005)

    def _exceeded(self) -> str | None:
        """The limit that is exceeded, if any; the costly ones are checked only now and then."""
        self._ticks += 1
        if self._spared and _resident(self._spared) > self._orders["memory"]:
            send_signal(self._spared, signal.SIGKILL)
        if self._ticks % _TICKS_OF_A_SURVEY:
            alone = _resident(self._pid) > self._orders["memory"]
            return "memory" if alone else None
        family = _below(os.getpid(), self._spared)
        if len(family) > MOST_PROCESSES:
            return "processes"
        if _fills(self._orders["folder"]):
            return "disk"
        return "memory" if _held(family, self._orders["memory"]) else None

    def _end_all(self) -> int:
        _signal_group(self._pid, signal.SIGKILL)
        end_below(self._spared, self._ended)
        return signal.SIGKILL if self._status is None else self._status


def end_below(spared: int = 0, reap: Callable[[], bool] | None = None) -> None:
    """Stop all descendants, lest one starts another, and kill until none is left.

    `reap` reaps those that have ended, and says whether nothing else is waited for.
    """
    reap = reap or (lambda: reaped() is not None)
    deadline = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < deadline:
        family = _below(os.getpid(), spared)
        if reap() and not family:
            break
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in family:
                send_signal(process, number)
        time.sleep(0.002)


def watched(process: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none."""
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            end: int = os.pidfd_open(process)
            return end
    return None


def reaped() -> dict[int, int]:
    """Reap every descendant that has ended; their wait statuses."""
    statuses = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            statuses[ended[0]] = ended[1]
    return statuses


def send_signal(process: int, number: int) -> None:
    """Send a signal; nothing if there is no such process, or none that may be sent one."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _below(ancestor: int, spared: int = 0) -> set[int]:
    """The running descendants of `ancestor`, without `spared` and its own; empty where there is no
    /proc."""
    children: dict[int, list[int]] = {}
    for process, state, parent in _processes():
        if state != "Z":
            children.setdefault(parent, []).append(process)
    descendants: set[int] = set()
    pending = [ancestor]
    while pending:
        new = [p for p in children.get(pending.pop(), ()) if p not in descendants and p != spared]
        descendants.update(new)
        pending += new
    return descendants


def _processes() -> list[tuple[int, str, int]]:
    """The id, state and parent of every process."""
    processes = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            # a process's name may hold anything, spaces and brackets too
            fields = _read(f"/proc/{name}/stat").rpartition(")")[2].split()
            if fields:
                processes.append((int(name), fields[0], int(fields[1])))
    return processes


def _resident(process: int) -> int:
    """Bytes of memory that a process holds; 0 where the system does not tell."""
    fields = _read(f"/proc/{process}/statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def _held(family: set[int], most: int) -> bool:
    """Whether the processes together hold more than `most` bytes; shared memory counts once."""
    if sum(map(_resident, family)) <= most:
        return False
    return sum(map(_proportional, family)) > most


def _proportional(process: int) -> int:
    """Bytes of memory; of memory that N processes share, an Nth counts."""
    for line in _read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return _resident(process)


def _fills(folder: str) -> bool:
    """Whether the folder holds too many files, or too many bytes."""
    size = files = 0
    pending = [folder]
    while pending:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                files += 1
                size += entry.stat(follow_symlinks=False).st_blocks * 512
                if files > MOST_FILES or size > MOST_FILE_BYTES:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
    return False


def _read(path: str) -> str:
    """The text of a file of /proc; empty if the process has ended."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def attempt_order(option: int, value: int) -> None:
    """Call `prctl`, where the system has it."""
    with contextlib.suppress(OSError):
        system.order(option, value)


def _confine(orders: Orders) -> None:
    """Let this process, which becomes the worker, write to its folders only."""
    if orders["writable"] is not None:
        with contextlib.suppress(OSError):
            if orders["apart"]:
                namespaces.drop_powers()
            places = [orders["root"], *orders["writable"]]
            landlock.restrict(places, network=not orders["apart"])


def _start(orders: Orders, life: int) -> int:
    """Start the worker in a session of its own; its process id. It dies when this process does."""
    guardian = os.getpid()
    process = os.fork()
    if process:
        return process
    try:
        os.close(life)
        os.setsid()
        attempt_order(system.PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guardian:
            os._exit(_NOT_FOUND)
        for number in signal.Signals:
            if signal.getsignal(number) is signal.SIG_IGN:  # the worker would inherit it
                signal.signal(number, signal.SIG_DFL)
        _confine(orders)
        os.execve(orders["command"][0], orders["command"], orders["environment"])  # noqa: S606
    except OSError as error:
        print(f"{orders['command'][0]}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        os._exit(_NOT_FOUND)


def close_all_but(*spared: int) -> None:
    """Close all other descriptors: the host waits until the worker's are closed everywhere."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    below = 3
    for descriptor in sorted(spared):
        os.closerange(below, descriptor)
        below = descriptor + 1
    os.closerange(below, _most_descriptors())


def _most_descriptors() -> int:
    """A number above those of all open descriptors. Without a limit macOS answers -1 or more than
    `os.closerange` takes."""
    limit = os.sysconf("SC_OPEN_MAX")
    if 0 < limit <= _MOST_DESCRIPTORS:
        return limit
    return max(map(int, os.listdir("/dev/fd"))) + 1


def end_as(status: int) -> None:
    """End this process with the given wait status."""
    if os.WIFSIGNALED(status):
        import resource  # noqa: PLC0415 - the host imports this module, and Windows has none

        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else _NOT_FOUND)


class ZygoteKeeper:
    """Keeps the zygote `pid` and has it fork a worker for each order of the host."""

    def __init__(self, pid: int, host: socket, above: int, zygote: socket, orders: Orders) -> None:
        self._pid, self._host, self._zygote, self._orders = pid, host, zygote, orders
        self._lives = (host.fileno(), above)

    def serve(self) -> None:
        """Carry out orders until the host closes its end, or the zygote is of no more use."""
        from socket import recv_fds  # noqa: PLC0415 - see `_keep`

        if not self._awaited(self._zygote) or self._zygote.recv(len(READY)) != READY:
            return
        # workers would share what the import has started or written
        if _below(os.getpid()) != {self._pid} or os.listdir(self._orders["folder"]):
            return
        self._host.send(READY)
        while self._awaited(self._host):
            message, ends, _, _ = recv_fds(self._host, MOST_MESSAGE, len(FORKED_ENDS))
            if not message or not self._fork(message, *ends):
                return

    def end(self) -> None:
        """End the zygote, and whatever else is left."""
        end_below()

    def _awaited(self, source: socket, seconds: float = math.inf) -> bool:
        """Wait until there is something to read from `source`, or its end; False if the zygote
        ends, exceeds its memory or takes longer, or the host or the warden ends, before that."""
        poll, deadline = select.poll(), time.monotonic() + seconds
        for end in (*self._lives, self._zygote.fileno()):
            poll.register(end, select.POLLIN)
        while time.monotonic() < deadline:
            ready = dict(poll.poll(_TICK * 1000))
            if ready:
                return source.fileno() in ready
            if _resident(self._pid) > self._orders["memory"]:
                return False
        return False

    def _fork(self, message: bytes, life: int, notes: int, *ends: int) -> bool:
        """Have a worker forked, and watch it to its end; whether there was one."""
        from socket import send_fds  # noqa: PLC0415 - see `_keep`

        with contextlib.suppress(OSError):
            send_fds(self._zygote, [message], [notes, *ends])
        for end in ends:
            os.close(end)
        if not self._awaited(self._zygote, FORK_SECONDS):
            return False
        pid = self._zygote.recv(MOST_MESSAGE)
        if not pid:
            return False
        orders = Orders(**{**self._orders, **json.loads(message)})
        try:
            status = Guard(int(pid), (life, *self._lives), notes, orders, self._pid).watch()
        finally:
            remove(orders["folder"])
        with contextlib.suppress(OSError):
            os.write(life, NOTE.pack(status))
        for end in (life, notes):
            os.close(end)
        return True


def _keep(orders: Orders, host_end: int, above: int, tell: int) -> int:
    """Keep a zygote for the host; the exit status of this process."""
    # a guardian of a single worker, which every restart without a zygote waits for, needs none
    import socket  # noqa: PLC0415

    host = socket.socket(fileno=host_end)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    there.set_inheritable(True)
    orders["command"] += [ZYGOTE_OPTION, str(there.fileno())]
    pid = _start(orders, host_end)
    close_all_but(host_end, here.fileno(), above, tell)
    there.detach()
    keeper = ZygoteKeeper(pid, host, above, here, orders)
    try:
        keeper.serve()
    finally:
        keeper.end()
        remove(orders["root"])
    return 0


def read_orders(root: str, ends: Sequence[int]) -> Orders | None:
    """The host's orders, from the first descriptor; None if the host ended before it gave them."""
    if len(ends) == 1:
        text = os.read(ends[0], MOST_MESSAGE).decode()
    else:
        with open(os.dup(ends[0]), encoding="utf-8") as stream:
            text = stream.readline()
    if not text.endswith("\n"):
        return None
    orders: HostOrders = json.loads(text)
    return Orders(**orders, root=root, apart=False)


def carry_out(orders: Orders, ends: Sequence[int], above: int, tell: int) -> int:
    """Keep a zygote, or guard a worker; its wait status.

    The descriptor `above` can be read when the warden has ended; `tell` remains open.
    """
    if len(ends) == 1:
        return _keep(orders, ends[0], above, tell)
    life, notes = ends
    worker = _start(orders, life)
    close_all_but(life, notes, above, tell)
    try:
        return Guard(worker, (life, above), notes, orders).watch()
    finally:
        remove(orders["root"])
