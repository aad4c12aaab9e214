"""A worker's process: start it in a session of its own, watch it, end it with all its children.

`zygotes` has the workers that are forked instead of started.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, cast

from conformance.adapters import guardian
from conformance.adapters.layout import WORKER
from conformance.adapters.removal import remove
from conformance.adapters.worker.conformance_worker.stages import SIZE, announced
from conformance.observations import Stage
from conformance.platforms import require_workers

TAIL_BYTES = 64 * 1024
MEMORY = 4 * 2**30
"""Bytes that a worker and all that it starts may hold, unless its target says otherwise."""
TOKEN = "CONFORMANCE_WORKER"  # noqa: S105 - no password
"""The environment variable that marks the processes of a worker."""
TEMPORARY = ("TMPDIR", "TEMP", "TMP")

_SUITE = str(Path(guardian.__file__).parents[2])
_WARDEN = f"""
import sys
sys.path.append({_SUITE!r})
from conformance.adapters.warden import main
main()
"""
WARDEN = [sys.executable, "-I", "-S", "-c", _WARDEN]
"""The command of a guardian's warden. It imports a module, because Python compiles a file that it
runs each time."""
GRACE = 0.5
WARDEN_SECONDS = 12.0
_NUMBERS = itertools.count(1)

Family = Literal["graph", "eager"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker.

    * `environment`: the whole environment of the process; the suite adds nothing to it.
    * `names`: the module's own names, by documented names.
    * `adapter`: the class that reaches the module (docs/adapters.md), by default the class of its
      family.
    * `memory_limit`: bytes that all processes may hold together. The address space is not limited,
      because TensorFlow and CNTK reserve far more than they use.
    * `cpu_limit`: seconds for each structure, and one more for each draw.
    * `startup`: Python source that the worker runs before it imports the module.
    * `mapping`: a file with the calls that replace the functions of `K` in that module.
    * `forget`: functions that empty the library's caches.
    * `fork`: a process that has imported the module may fork (`zygotes`). With `preload` a process
      that has imported only these modules may fork as well.
    * `draws_together`: one function computes the graphs of all draws of a program.
    * `writable`: the folders that the worker may write to, besides its own for temporary files;
      None for a worker without a sandbox.
    """

    python: str
    module: str
    family: Family
    environment: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    adapter: str | None = None
    directory: str | None = None
    memory_limit: int = MEMORY
    cpu_limit: int | None = None
    startup: str = ""
    mapping: str | None = None
    forget: tuple[str, ...] = ()
    fork: bool = False
    preload: tuple[str, ...] | None = None
    draws_together: bool = False
    writable: tuple[str, ...] | None = None

    def command(self) -> list[str]:
        """The command line, without the descriptors that `Connection` adds."""
        optional = {
            "--names": json.dumps(dict(self.names)) if self.names else None,
            "--adapter": self.adapter,
            "--cpu-limit": None if self.cpu_limit is None else str(self.cpu_limit),
            "--startup": self.startup or None,
            "--mapping": self.mapping,
            "--forget": ",".join(self.forget) or None,
            "--preload": None if self.preload is None else ",".join(self.preload),
            "--draws-together": "yes" if self.draws_together else None,
        }
        more = [f"{name}={value}" for name, value in optional.items() if value is not None]
        # unbuffered, and with a traceback on a fatal signal, to explain a crash
        options = ["-u", "-X", "faulthandler", str(WORKER)]
        return [self.python, *options, "--module", self.module, "--family", self.family, *more]


class OutputTail:
    """The last 64 KiB of the output of a process, and the number of all its bytes."""

    def __init__(self, most: int = TAIL_BYTES) -> None:
        self._most = most
        self._tail = bytearray()
        self.count = 0

    def feed(self, data: bytes) -> None:
        """Add `data` and drop the oldest bytes."""
        self.count += len(data)
        self._tail += data
        if len(self._tail) > 2 * self._most:
            del self._tail[: -self._most]

    def __str__(self) -> str:
        return bytes(self._tail[-self._most :]).decode("utf-8", "replace")


class AnyWorker(ABC):
    """The host's side of a worker: `requests` to it, `answers` and `output` from it.

    The three are this side's descriptors, non-blocking; `theirs` are the other ends, which
    `close_theirs` closes once the worker has them. The worker also writes what it is about to do
    to a small file that both share, `notes`. `watch` becomes readable when the worker ends; None
    where the system has no such descriptor.
    """

    watch: int | None = None
    before: bytes = b""
    """The output on the worker's behalf before its start."""

    def __init__(self) -> None:
        requests, self.requests = os.pipe()
        self.answers, answers = os.pipe()
        self.output, output = os.pipe()
        self.notes = _shared()
        self.theirs = {"requests": requests, "answers": answers, "output": output}
        for descriptor in (self.requests, self.answers, self.output):
            os.set_blocking(descriptor, False)

    def close_theirs(self) -> None:
        """Close the worker's ends; once."""
        _close(*self.theirs.values())

    @property
    def stage(self) -> tuple[Stage | None, int | None]:
        """The stage that the worker announced last, and the index of the step."""
        stage, step = announced(os.pread(self.notes.fileno(), SIZE, 0))
        return cast("Stage | None", stage), step

    @property
    def limit(self) -> str | None:
        """The limit for which the process was ended, if any: "memory", "processes" or "disk"."""
        note = os.pread(self.notes.fileno(), guardian.NOTE.size, guardian.PLACE)
        (number,) = guardian.NOTE.unpack(note)
        return guardian.LIMITS[number] if 0 < number < len(guardian.LIMITS) else None

    @abstractmethod
    def ended(self) -> bool:
        """Whether the process has ended."""

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for the process to end; whether it has ended."""
        deadline = time.monotonic() + seconds
        while not self.ended() and (left := deadline - time.monotonic()) > 0:
            if self.watch is None:
                time.sleep(min(left, 0.02))
            else:
                select.select([self.watch], [], [], left)
        return self.ended()

    @abstractmethod
    def end(self) -> int:
        """End the process and all that it started: SIGTERM, SIGKILL. The return code."""

    @abstractmethod
    def kill(self) -> None:
        """Ask for the end of the process and all that it started, without waiting for it."""

    def close(self) -> None:
        """Close this side's descriptors; once."""
        self.notes.close()
        _close(self.requests, self.answers, self.output)


class WorkerProcess(AnyWorker):
    """A running command.

    The command runs below a guardian (`guardian.py`), with at most `memory` bytes, in a folder of
    its own that is removed with it, unless `directory` is given. OSError if the command cannot be
    started.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        directory: str | None = None,
        memory: int = MEMORY,
        writable: Sequence[str] | None = None,
    ) -> None:
        check_executable(command[0])
        super().__init__()
        self._folder = new_folder()
        self._token = new_token()
        self._process, life = self._start(directory or self._folder)
        orders = guardian.HostOrders(
            command=[*command, *self._descriptors],
            environment=own_environment(self._token, self._folder, environment),
            memory=memory,
            grace=GRACE,
            folder=self._folder,
            writable=None if writable is None else [*writable],
        )
        with contextlib.suppress(BrokenPipeError):  # it has ended; the next read reports it
            _write_all(life, json.dumps(orders).encode() + b"\n")
        self._life: int | None = life
        self._cleared = False
        self.watch = guardian.watched(self._process.pid)

    def _start(self, directory: str) -> tuple[subprocess.Popen[bytes], int]:
        """Start the warden; its process, and the descriptor that ends it when closed."""
        theirs_life, life = os.pipe()
        notes, theirs = self.notes.fileno(), self.theirs
        descriptors = {"read": theirs["requests"], "write": theirs["answers"], "stage": notes}
        self._descriptors = [
            part for name, number in descriptors.items() for part in (f"--{name}-fd", str(number))
        ]
        inherited = [theirs_life, *descriptors.values()]
        try:
            command = [*WARDEN, self._folder, str(theirs_life), str(notes)]
            process = start_warden(command, directory, theirs["output"], inherited)
        except OSError:
            _close(life)
            AnyWorker.close(self)
            remove(self._folder)
            raise
        finally:
            self.close_theirs()
            _close(theirs_life)
        return process, life

    def ended(self) -> bool:
        """Whether the process has ended. If possible this does not reap it, because the system
        could then reuse its id."""
        if self._process.returncode is not None:
            return True
        if hasattr(os, "waitid"):  # macOS has it for Python 3.13 and later
            with contextlib.suppress(ChildProcessError):  # the suite's parent ignores SIGCHLD
                flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
                return os.waitid(os.P_PID, self._process.pid, flags) is not None
        return self._process.poll() is not None

    def end(self) -> int:
        """End the process and all that it started: SIGTERM, SIGKILL. The return code."""
        if not self._cleared:
            self._cleared = True
            self._end_warden()
            if self._process.returncode is None:
                guardian.send_signal(self._process.pid, signal.SIGCONT)  # it may be stopped
            if not self.wait(WARDEN_SECONDS):
                self._process.kill()
            self._process.wait()
            kill_marked(self._token)
            remove(self._folder)
        return int(self._process.returncode)

    def kill(self) -> None:
        """Ask for the end of the process and all that it started, without waiting for it."""
        self._end_warden()

    def close(self) -> None:
        """Close this side's descriptors; once."""
        self._end_warden()
        super().close()
        _close(*([] if self.watch is None else [self.watch]))

    def _end_warden(self) -> None:
        life, self._life = self._life, None  # `kill` may come from another thread meanwhile
        if life is not None:
            _close(life)


def start_warden(
    command: Sequence[str], directory: str, output: int, inherited: Sequence[int]
) -> subprocess.Popen[bytes]:
    """A warden that has the descriptors `inherited`, and prints to `output`, as its worker does."""
    return subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=inherited,
        start_new_session=True,
        bufsize=0,
    )


def new_folder(place: str | None = None) -> str:
    """A new folder for the temporary files of a process, in a place or among temporary files."""
    return tempfile.mkdtemp(prefix="conformance-", dir=place)


def new_token() -> str:
    """A text that marks a worker's processes, and that no other worker has."""
    return f"{os.getpid()}-{next(_NUMBERS)}"


def own_environment(token: str, folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the token and the folder for temporary files."""
    return {TOKEN: token, **dict.fromkeys(TEMPORARY, folder), **environment}


def kill_marked(token: str) -> None:
    """Kill all processes that carry the token.

    Guardian and warden leave none; this is for the case that both were killed.
    """
    mark = f"{TOKEN}={token}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (place / "environ").read_bytes().split(b"\0"):
                os.kill(int(place.name), signal.SIGKILL)


def check_executable(path: str) -> None:
    """Check that a worker can run this program.

    Raises:
        OSError: there is no such program.
        NoWorkersError: this system runs no workers.
    """
    require_workers()
    if not os.access(path, os.X_OK):
        number = errno.EACCES if Path(path).exists() else errno.ENOENT
        raise OSError(number, os.strerror(number), path)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _shared() -> BinaryIO:
    """A file without a name that holds the stage and the guardian's note."""
    shared = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - `close` closes it
    shared.write(bytes(SIZE + guardian.NOTE.size))
    return shared


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
