"""Workers that are forked: one process imports the module, and each worker is a copy of it.

A zygote whose launch has a `preload` imports no more than that after its start-up, and each worker
the module.

A fork takes milliseconds where a new process imports the library for seconds. The zygote computes
nothing; what a worker may not share with others it gets for itself
(`worker/conformance_worker/forking.py`). A fault of a zygote changes no result:
`ZygoteSource.worker` then gives no worker, and the session starts one in the usual way.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from conformance.adapters import guardian
from conformance.adapters.process import (
    GRACE,
    WARDEN,
    WARDEN_SECONDS,
    AnyWorker,
    Launch,
    OutputTail,
    check_executable,
    kill_marked,
    new_folder,
    new_token,
    own_environment,
    start_warden,
)
from conformance.adapters.removal import remove

MOST_ZYGOTES = 3
"""How many zygotes a session starts: a target that ends its parents also ends its zygote."""
_FORKED_SECONDS = 60.0
"""How long a fork may take to answer a request before the first batch: it has imported all."""
_CHUNK = 2**16
_MOST_READS = 64


Changes = Mapping[str, str | None]
"""Environment variables that a worker gets, or loses where they are None."""
_NO_CHANGES: Changes = {}


class ZygoteError(Exception):
    """The zygote does not fork; a new process must take the place of the fork."""


class ZygoteProcess:
    """A process that has imported the module of a launch, below a warden and guardian of its own.

    OSError if it cannot be started.
    """

    def __init__(self, launch: Launch) -> None:
        check_executable(launch.python)
        self._launch = launch
        self._root = new_folder()
        self._folder = new_folder(self._root)
        self._token = new_token()
        self._output_tail = OutputTail()
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._output, output = os.pipe()
        os.set_blocking(self._output, False)
        try:
            command = [*WARDEN, self._root, str(theirs.fileno())]
            directory = launch.directory or self._folder
            self._warden = start_warden(command, directory, output, [theirs.fileno()])
            self._orders.send(self._first_orders())
        except OSError:
            self._release()
            raise
        finally:
            theirs.close()
            os.close(output)

    def _first_orders(self) -> bytes:
        launch = self._launch
        orders = guardian.HostOrders(
            command=launch.command(),
            environment=own_environment(self._token, self._folder, launch.environment),
            memory=launch.memory_limit,
            grace=GRACE,
            folder=self._folder,
            writable=None if launch.writable is None else [*launch.writable],
        )
        return json.dumps(orders).encode() + b"\n"

    def prepare(self, seconds: float) -> None:
        """Wait until the module is imported.

        Raises:
            ZygoteError: the zygote ended, or did not import the module within `seconds`.
        """
        deadline = time.monotonic() + seconds
        ends = [self._orders.fileno(), self._output]
        while self._orders.fileno() not in (ready := _readable(ends, deadline)):
            if not ready:
                raise ZygoteError(f"the zygote did not import the module within {seconds:g} s")
            if not self._read_output():
                ends.remove(self._output)
        with contextlib.suppress(OSError):
            if self._orders.recv(len(guardian.READY)) == guardian.READY:
                return
        raise ZygoteError("the zygote ended, or found that workers would share something")

    def new_folder(self) -> str:
        """A folder for the temporary files of a worker. OSError if none can be made."""
        return new_folder(self._root)

    def fork(self, changes: Changes) -> ForkedWorker:
        """A new worker; the one before must have ended. ZygoteError if the guardian has ended."""
        self._read_output()
        return ForkedWorker(self, changes, str(self._output_tail).encode())

    def order(self, folder: str, changes: Changes, descriptors: list[int]) -> None:
        """Ask for a worker with these descriptors (`guardian.FORKED_ENDS`).

        Raises:
            ZygoteError: the zygote has ended.
        """
        places = {"folder": folder, "directory": self._launch.directory or folder}
        order = {**places, "zygote": self._folder, "changes": changes}
        try:
            socket.send_fds(self._orders, [json.dumps(order).encode()], descriptors)
        except OSError as error:
            raise ZygoteError(str(error)) from error

    def warden_code(self, seconds: float = WARDEN_SECONDS) -> int:
        """The return code of the warden, which is killed if it does not end within `seconds`.

        Then all that it may have left is ended.
        """
        guardian.send_signal(self._warden.pid, signal.SIGCONT)  # it may be stopped
        try:
            code = self._warden.wait(seconds)
        except subprocess.TimeoutExpired:
            self._warden.kill()
            code = self._warden.wait()
        kill_marked(self._token)
        return code

    def end(self) -> None:
        """End the zygote, its worker and all that they started; once."""
        self.kill()
        self.warden_code()
        self._release()

    def kill(self) -> None:
        """Ask for the end of all that `end` ends, without waiting for it, from any thread."""
        with contextlib.suppress(OSError):
            self._orders.shutdown(socket.SHUT_RDWR)

    def _release(self) -> None:
        self._orders.close()
        os.close(self._output)
        remove(self._root)

    def _read_output(self) -> bool:
        """Read the printed text so far, without waiting; whether more may follow."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_READS):
                data = os.read(self._output, _CHUNK)
                self._output_tail.feed(data)
                if not data:
                    return False
        return True


class ForkedWorker(AnyWorker):
    """A worker that a zygote has forked. ZygoteError if the zygote's guardian has ended."""

    def __init__(self, zygote: ZygoteProcess, changes: Changes, before: bytes) -> None:
        self._folder = zygote.new_folder()
        super().__init__()
        self._zygote = zygote
        self.before = before
        self._code: int | None = None
        self._life, theirs = socket.socketpair()
        self.watch = self._life.fileno()
        ends = {"life": theirs.fileno(), "notes": self.notes.fileno(), **self.theirs}
        try:
            zygote.order(self._folder, changes, [ends[name] for name in guardian.FORKED_ENDS])
        except ZygoteError:
            self.close()
            remove(self._folder)
            raise
        finally:
            theirs.close()
            self.close_theirs()

    def ended(self) -> bool:
        """Whether the worker, or the guardian, has ended."""
        return self._code is not None or bool(_readable([self._life.fileno()], 0.0))

    def end(self) -> int:
        """End the worker and all that it started: SIGTERM, SIGKILL. The return code."""
        if self._code is None:
            self.kill()
            in_time = self.wait(WARDEN_SECONDS)
            self._code = self._return_code() if in_time else self._zygote.warden_code(0.0)
            remove(self._folder)
        return self._code

    def kill(self) -> None:
        """Ask for the end of the worker and all that it started, without waiting for it."""
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close this side's descriptors; once."""
        self._life.close()
        super().close()

    def _return_code(self) -> int:
        """The return code that the guardian tells; its own if it ended before that."""
        with contextlib.suppress(OSError):
            if status := self._life.recv(guardian.NOTE.size):
                return os.waitstatus_to_exitcode(*guardian.NOTE.unpack(status))
        return self._zygote.warden_code()


@dataclass(slots=True)
class ZygoteSource:
    """The workers that the zygotes of a launch fork; a zygote that fails is replaced by another."""

    launch: Launch
    left: int = MOST_ZYGOTES
    zygote: ZygoteProcess | None = None

    def worker(self, seconds: float, changes: Changes = _NO_CHANGES) -> ForkedWorker | None:
        """A new worker; None where none can be forked. The import may take that long."""
        if not self.launch.fork or sys.platform != "linux":
            return None
        try:
            return self._prepared(seconds).fork(changes) if self.left or self.zygote else None
        except (OSError, ZygoteError):
            self.drop()
            return None

    def insist(self) -> bool:
        """Fork from now on if a zygote can, whatever the target says; whether one may.

        So many workers are lost that starts take long.
        """
        if not self.launch.fork:
            self.launch, self.left = replace(self.launch, fork=True), 1
        return sys.platform == "linux" and (self.left > 0 or self.zygote is not None)

    def patience(self, start: float) -> float:
        """The seconds in which a fork must answer; a new process has `start`."""
        return min(start, _FORKED_SECONDS)

    def drop(self) -> None:
        """End the zygote, which is of no more use."""
        zygote, self.zygote = self.zygote, None
        if zygote is not None:
            zygote.end()

    def kill(self) -> None:
        """End the zygote, from another thread, and start no other."""
        self.left = 0
        zygote = self.zygote
        if zygote is not None:
            zygote.kill()

    def _prepared(self, seconds: float) -> ZygoteProcess:
        if self.zygote is None:
            self.left -= 1
            self.zygote = ZygoteProcess(self.launch)
            try:
                self.zygote.prepare(seconds)
            except ZygoteError:
                self.left = 0  # another one would fail, too
                raise
        return self.zygote


@dataclass(frozen=True, slots=True)
class LentWorkers:
    """The workers that another's zygotes fork, with changes of their environment.

    The zygotes stay when one of these workers fails: its import is its own.
    """

    source: ZygoteSource
    changes: Changes

    def worker(self, seconds: float) -> ForkedWorker | None:
        """A new worker; None where none can be forked."""
        return self.source.worker(seconds, self.changes)

    def insist(self) -> bool:
        """Leave it to the owner of the zygotes."""
        return False

    def patience(self, start: float) -> float:
        """The seconds in which a fork must answer, which has an import to make."""
        return start

    def drop(self) -> None:
        """Leave the zygotes to their owner."""

    def kill(self) -> None:
        """End the zygote, from another thread, and start no other."""
        self.source.kill()


def _readable(descriptors: list[int], deadline: float) -> list[int]:
    """Those that can be read from, waiting until the deadline for the first."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    left = max(0.0, deadline - time.monotonic())
    return [descriptor for descriptor, _ in poll.poll(math.ceil(left * 1000))]
