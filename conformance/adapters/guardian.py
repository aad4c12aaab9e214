"""Run as `PYTHON -I -S guardian.py LIFE NOTES`: start a worker, end it with all that it started.

The guardian is the parent of the worker and a child of the host, so that no worker outlives the
host, no process outlives the worker, and a worker that kills its parent kills the guardian only. It
needs nothing but the standard library, and ends as the worker does: with its exit status, or by its
signal.

`LIFE` is the descriptor of a pipe. The host writes one line of JSON to it, the `Orders`; when it
closes the pipe, the guardian ends the worker. `NOTES` is the descriptor of a file. If the guardian
ends the worker for exceeding a limit, it writes the index of the limit in `LIMITS` there, behind
the stage, as a little-endian 32-bit integer.

On Linux every process that a worker starts remains a descendant of the guardian, whatever it does.
Elsewhere only the worker's process group is ended, and nothing is measured.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import stat
import struct
import sys
import time
from typing import TypedDict

LIMITS = ("none", "memory", "processes", "disk")
PLACE = 8
"""The offset of the limit in the file of notes."""
NOTE = struct.Struct("<i")

MOST_PROCESSES = 256
MOST_FILES = 100_000
MOST_FILE_BYTES = 2 * 2**30
"""The most bytes of all files in the worker's folder for temporary files."""

_TICK = 0.1
_TICKS_OF_A_SURVEY = 5
_MOST_SECONDS = 10.0
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_NOT_FOUND = 127


class Orders(TypedDict):
    """What the host asks for: `memory` in bytes, `grace` in seconds, the `folder` for temporary
    files."""

    command: list[str]
    environment: dict[str, str]
    memory: int
    grace: float
    folder: str


class Guard:
    """Watches the worker `pid`."""

    def __init__(self, pid: int, life: int, notes: int, orders: Orders) -> None:
        self._pid, self._notes, self._orders = pid, notes, orders
        self._life = life
        self._status: int | None = None
        self._ticks = 0
        self._poll = select.poll()
        self._poll.register(life, select.POLLIN)
        self._wait = _TICK
        try:
            self._poll.register(os.pidfd_open(pid), select.POLLIN)
        except (AttributeError, OSError):
            self._wait = _TICK / 5

    def watch(self) -> int:
        """Wait until the worker and all that it started have ended; the worker's wait status."""
        while not self._ended():
            ready = dict(self._poll.poll(self._wait * 1000))
            if self._life in ready:
                self._ask_to_end()
                break
            if limit := self._exceeded():
                os.pwrite(self._notes, NOTE.pack(LIMITS.index(limit)), PLACE)
                break
        return self._end_all()

    def _ended(self) -> bool:
        """Reap every descendant that has ended; whether the worker has ended."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self._pid:
                    self._status = found[1]
        return self._status is not None

    def _ask_to_end(self) -> None:
        _signal_group(self._pid, signal.SIGTERM)
        deadline = time.monotonic() + self._orders["grace"]
        while not self._ended() and time.monotonic() < deadline:
            time.sleep(0.005)

    def _exceeded(self) -> str | None:
        """The limit that is exceeded, if any; the costly ones are checked only now and then."""
        self._ticks += 1
        if self._ticks % _TICKS_OF_A_SURVEY:
            alone = _resident(self._pid) > self._orders["memory"]
            return "memory" if alone else None
        family = _below(os.getpid())
        if len(family) > MOST_PROCESSES:
            return "processes"
        if _fills(self._orders["folder"]):
            return "disk"
        return "memory" if _held(family, self._orders["memory"]) else None

    def _end_all(self) -> int:
        """Kill until no process is left; all are stopped first, so that none can start another."""
        _signal_group(self._pid, signal.SIGKILL)
        deadline = time.monotonic() + _MOST_SECONDS
        while time.monotonic() < deadline:
            family = _below(os.getpid())
            if self._ended() and not family:
                break
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for process in family:
                    _signal(process, number)
            time.sleep(0.002)
        return signal.SIGKILL if self._status is None else self._status


def _signal(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _below(ancestor: int) -> set[int]:
    """The running descendants of `ancestor`; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for process, state, parent in _processes():
        if state != "Z":
            children.setdefault(parent, []).append(process)
    found: set[int] = set()
    pending = [ancestor]
    while pending:
        new = [p for p in children.get(pending.pop(), ()) if p not in found]
        found.update(new)
        pending += new
    return found


def _processes() -> list[tuple[int, str, int]]:
    """The id, state and parent of every process."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            # a process's name may hold anything, spaces and brackets too
            fields = _read(f"/proc/{name}/stat").rpartition(")")[2].split()
            if fields:
                found.append((int(name), fields[0], int(fields[1])))
    return found


def _resident(process: int) -> int:
    """Bytes of memory that a process holds; 0 where the system does not tell."""
    fields = _read(f"/proc/{process}/statm").split()
    return int(fields[1]) * resource.getpagesize() if fields else 0


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


def remove(folder: str) -> None:
    """Remove a folder, whatever the permissions of its content; follow no links."""
    with contextlib.suppress(OSError, RecursionError):
        for place, folders, _ in os.walk(folder):
            for name in folders:
                path = os.path.join(place, name)
                if not os.path.islink(path):
                    os.chmod(path, stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _order(option: int, value: int) -> None:
    """Call `prctl`, where the system has it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _start(orders: Orders, life: int) -> int:
    """Start the worker in a session of its own; its process id. It dies when this process does."""
    guardian = os.getpid()
    process = os.fork()
    if process:
        return process
    try:
        os.close(life)
        os.setsid()
        _order(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guardian:
            os._exit(_NOT_FOUND)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execve(orders["command"][0], orders["command"], orders["environment"])  # noqa: S606
    except OSError as error:
        print(f"{orders['command'][0]}: {error.strerror}", file=sys.stderr, flush=True)
    finally:
        os._exit(_NOT_FOUND)


def _close_all_but(*kept: int) -> None:
    """Close all descriptors but `kept`: the host waits until the worker's are closed everywhere."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    most = os.sysconf("SC_OPEN_MAX")
    below = 3
    for descriptor in sorted(kept):
        os.closerange(below, descriptor)
        below = descriptor + 1
    os.closerange(below, most)


def _end_as(status: int) -> None:
    """End this process with the given wait status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else _NOT_FOUND)


def main() -> None:
    """Read the orders from the first descriptor and carry them out."""
    life, notes = map(int, sys.argv[1:])
    with open(os.dup(life), encoding="utf-8") as stream:
        orders: Orders = json.loads(stream.readline())
    _order(_PR_SET_CHILD_SUBREAPER, 1)
    worker = _start(orders, life)
    _close_all_but(life, notes)
    try:
        status = Guard(worker, life, notes, orders).watch()
    finally:
        remove(orders["folder"])
    _end_as(status)


if __name__ == "__main__":
    main()
