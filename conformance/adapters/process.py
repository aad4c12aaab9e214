"""A worker's process: started in a session of its own, watched, and ended with all its children."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, cast

from conformance.adapters.layout import WORKER
from conformance.adapters.observations import Stage
from conformance.adapters.worker.conformance_worker.stages import SIZE, announced

TAIL_BYTES = 64 * 1024

Family = Literal["graph", "eager"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker.

    `environment` is the whole environment of the process; nothing is added to it.
    `names` maps documented names to the module's own; `adapter` is the class that reaches it
    (docs/adapters.md), by default the one of its family.
    `memory_limit`, in bytes of address space, is None for none: TensorFlow and CNTK reserve far
    more than they use. `startup` is Python source that the worker runs before it imports the
    module, `mapping` a file that says what takes the place of the functions of `K` there.
    """

    python: str
    module: str
    family: Family
    environment: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    adapter: str | None = None
    directory: str | None = None
    memory_limit: int | None = None
    startup: str = ""
    mapping: str | None = None

    def command(self) -> list[str]:
        """The command line, but for the descriptors that `Connection` adds."""
        optional = {
            "--names": json.dumps(dict(self.names)) if self.names else None,
            "--adapter": self.adapter,
            "--startup": self.startup or None,
            "--mapping": self.mapping,
            "--memory-limit": self.memory_limit,
        }
        more = [f"{name}={value}" for name, value in optional.items() if value is not None]
        # unbuffered, and a trace on a fatal signal: what was printed before a crash explains it
        options = ["-u", "-X", "faulthandler", str(WORKER)]
        return [self.python, *options, "--module", self.module, "--family", self.family, *more]


class OutputTail:
    """The last 64 KiB of what a process printed, and how many bytes it printed in all."""

    def __init__(self, most: int = TAIL_BYTES) -> None:
        self._most = most
        self._kept = bytearray()
        self.count = 0

    def feed(self, data: bytes) -> None:
        """Add `data` and forget what is too old."""
        self.count += len(data)
        self._kept += data
        if len(self._kept) > 2 * self._most:
            del self._kept[: -self._most]

    def __str__(self) -> str:
        return bytes(self._kept[-self._most :]).decode("utf-8", "replace")


class WorkerProcess:
    """A running command with three pipes: `requests` to it, `answers` and `output` from it.

    The three are non-blocking descriptors of this side. A small file is shared besides, to which
    the worker writes what it is about to do. OSError if the command cannot be started.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], directory: str | None = None
    ) -> None:
        theirs_in, self.requests = os.pipe()
        self.answers, theirs_out = os.pipe()
        self._stage = _shared()
        stage = self._stage.fileno()
        descriptors = ["--read-fd", str(theirs_in), "--write-fd", str(theirs_out)]
        descriptors += ["--stage-fd", str(stage)]
        try:
            self._process = subprocess.Popen(
                [*command, *descriptors],
                env=dict(environment),
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs_in, theirs_out, stage),
                start_new_session=True,
                bufsize=0,
            )
        except OSError:
            _close(self.requests, self.answers)
            self._stage.close()
            raise
        finally:
            _close(theirs_in, theirs_out)
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        for descriptor in (self.requests, self.answers, self.output):
            os.set_blocking(descriptor, False)
        self.watch = _watch(self._process.pid)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its process group."""
        return self._process.pid

    @property
    def stage(self) -> tuple[Stage | None, int | None]:
        """What the worker was about to do when it last said so, and the index of the step."""
        stage, step = announced(os.pread(self._stage.fileno(), SIZE, 0))
        return cast("Stage | None", stage), step

    def ended(self) -> bool:
        """Whether the process has ended; it stays a zombie, so that its id stays taken."""
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return self._process.returncode is not None or (
            os.waitid(os.P_PID, self.pid, flags) is not None
        )

    def wait(self, seconds: float) -> bool:
        """Wait until the process has ended, for `seconds` at most; whether it has."""
        deadline = time.monotonic() + seconds
        while not self.ended() and (left := deadline - time.monotonic()) > 0:
            if self.watch is None:
                time.sleep(min(left, 0.02))
            else:
                select.select([self.watch], [], [], left)
        return self.ended()

    def end(self, grace: float = 0.5) -> int:
        """End the process and its group: SIGTERM, `grace` seconds, SIGKILL. The return code."""
        if self._process.returncode is None:
            if not self.ended():
                self._signal(signal.SIGTERM)
                self.wait(grace)
            self._signal(signal.SIGKILL)
            self._process.wait()
        return self._process.returncode

    def close(self) -> None:
        """Close this side's descriptors; once."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._stage.close()
        _close(self.requests, self.answers, *([] if self.watch is None else [self.watch]))

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _shared() -> BinaryIO:
    """A file without a name, of the size that the stage takes."""
    shared = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - `close` closes it
    shared.write(bytes(SIZE))
    return shared


def _watch(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, where the system has such."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
