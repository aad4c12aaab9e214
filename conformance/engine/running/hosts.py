"""Processes of the host: each examines portions with an interpreter's lock of its own.

Judging takes as long as many implementations take to answer, and one process does it on one core,
whatever its number of threads. So a run with several workers forks as many processes, once its
targets and plans are known and before it has a thread; each inherits them and is sent the numbers
of a portion. What it finds goes back through a pipe as the calls of `Progress` that a thread of the
first process would make, so that a run is the same with both.
"""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

from conformance.adapters import guardian
from conformance.adapters.sandbox import system
from conformance.adapters.time_limits import WATCH
from conformance.engine.running.announcing import TOGETHER
from conformance.engine.running.examined import Examined
from conformance.engine.running.progress import Portion, Progress
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Run, Subject
from conformance.results import TargetInfo
from conformance.results.events import Event, FunctionStarted


class LostError(RuntimeError):
    """A process of the run ended by itself."""


LOOKED_AT = 0.2
"""Seconds after which a silent process hears that the run has ended, if it has."""


class Sink(Protocol):
    """The receiver of the events of a portion: a target's `Progress`, or a channel to it."""

    @property
    def subject(self) -> Subject:
        """The target."""

    @property
    def common(self) -> Run:
        """What is common to all targets."""

    def start(self, worker: Any) -> None:
        """Note that a portion starts, with what `abort` ends."""

    def emit(self, event: Event, /) -> None:
        """Announce an event."""

    def introduce(self, info: TargetInfo) -> None:
        """Note the target's identity."""

    def record(self, examined: Examined, *, survey: bool = False) -> None:
        """Note the result of one function."""

    def note(self, left_out: str, losses: int) -> None:
        """Note what is left out because workers were lost (empty: nothing), and how many were lost
        outside of functions."""

    def lose(self, reason: str, cure: str | None = None) -> None:
        """Note that the worker does not start, and what to do about it."""

    def done(self, worker: Any) -> None:
        """Note that the portion is done."""


Examine = Callable[[Sink, Portion, Stop], None]
"""Examines one portion, in the process that calls it."""


class _Told(NamedTuple):
    """One call of a `Sink`, or `END` with the exception that ended the portion."""

    name: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed


END = "end"


@dataclass(slots=True)
class _Relay:
    """The sink in another process: sends each call to the first one, in their order."""

    subject: Subject
    common: Run
    connection: Connection
    _waiting: list[_Told] = field(default_factory=list)
    _sent: float = field(default_factory=time.monotonic)

    def start(self, worker: Any) -> None:
        """See `Sink`."""

    def emit(self, event: Event, /) -> None:
        """See `Sink`."""
        self._waiting.append(_Told("emit", (event,)))
        # a function may hang: its start is known before
        if isinstance(event, FunctionStarted) or time.monotonic() - self._sent >= TOGETHER:
            self._send()

    def introduce(self, info: TargetInfo) -> None:
        """See `Sink`."""
        self._tell("introduce", info)

    def record(self, examined: Examined, *, survey: bool = False) -> None:
        """See `Sink`."""
        self._tell("record", examined, survey=survey)

    def note(self, left_out: str, losses: int) -> None:
        """See `Sink`."""
        self._tell("note", left_out, losses)

    def lose(self, reason: str, cure: str | None = None) -> None:
        """See `Sink`."""
        self._tell("lose", reason, cure)

    def done(self, worker: Any) -> None:  # noqa: ARG002 - the first process knows which
        """See `Sink`."""
        self._tell("done")

    def end(self, raised: tuple[Exception, ...]) -> None:
        """Tell that the portion has ended, and with which exception."""
        self._tell(END, *raised)

    def _tell(self, name: str, *arguments: Any, **options: Any) -> None:
        self._waiting.append(_Told(name, arguments, options))
        self._send()

    def _send(self) -> None:
        try:
            self.connection.send(self._waiting)
        except OSError:
            raise SystemExit from None  # nobody is there any more to tell
        self._waiting, self._sent = [], time.monotonic()


@dataclass(eq=False)
class Host:
    """One process of a run, as the first one sees it."""

    process: multiprocessing.process.BaseProcess
    connection: Connection
    ended: mmap.mmap
    """A byte that both processes see: 1 if the portion that it examines is to be ended. To look at
    an event of `multiprocessing` before each case takes a hundred times as long."""
    aborted: bool = False

    def examine(self, place: tuple[int, int], target: Progress, stop: Stop) -> None:
        """Have it examine the portion at `place`; tell `target` what it tells.

        Raises:
            LostError: the process has ended. An exception of the suite's own code is raised here as
                well.
        """
        self.ended[0] = 0
        target.start(self)
        try:
            self.connection.send((place, stop.until))
            self._relay(target, stop)
        except (EOFError, OSError):
            if not self.aborted:
                raise LostError(f"a process of the run ended by itself ({self._fate})") from None
            target.stop.set()

    def _relay(self, target: Progress, stop: Stop) -> None:
        while True:
            if stop.is_set():
                self.ended[0] = 1
            if not self.connection.poll(LOOKED_AT):
                continue
            for told in self.connection.recv():
                if told.name == END:
                    for error in told.arguments:
                        raise error
                    return
                arguments = (self,) if told.name == "done" else told.arguments
                getattr(target, told.name)(*arguments, **told.options)

    @property
    def _fate(self) -> str:
        self.process.join(1)
        code = self.process.exitcode
        return signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"

    def abort(self) -> None:
        """Kill it; its workers end with it."""
        self.aborted = True
        self.process.kill()

    def close(self) -> None:
        """Have it end."""
        self.connection.close()
        self.process.join()
        self.process.close()


@dataclass(slots=True)
class Hosts:
    """The processes of a run, of which each examines one portion at a time."""

    places: dict[int, tuple[int, int]]
    """Which portion of which target, by the portion's `id`."""
    examine_here: Examine
    all: list[Host] = field(default_factory=list)
    free: queue.SimpleQueue[Host | None] = field(default_factory=queue.SimpleQueue)
    """None stands for one that was lost, whose work this process does."""

    def examine(self, target: Progress, portion: Portion, stop: Stop) -> None:
        """Examine a portion in a free process. A process that ends also loses its portion."""
        host = self.free.get()
        try:
            if host is None:
                self.examine_here(target, portion, stop)
            else:
                host.examine(self.places[id(portion)], target, stop)
        except LostError as error:
            host = None
            target.fail(str(error))
        except BaseException:
            if host is not None:
                host.abort()  # it still examines a portion whose events nobody receives any more
            raise
        finally:
            self.free.put(None if host is None or host.aborted else host)


@contextmanager
def forked(targets: Sequence[Progress], number: int, examine: Examine) -> Iterator[Hosts | None]:
    """Up to `number` processes for the portions of these targets.

    None where they make nothing faster, or a process cannot be copied safely: one with threads, or
    on another system than Linux.
    """
    portions = [portion for target in targets for portion in target.portions]
    others = [t for t in threading.enumerate() if t.name != WATCH]
    alone = sys.platform == "linux" and len(others) == 1
    if min(number, len(portions)) < 2 or not alone:
        yield None
        return
    places = {id(p): (i, j) for i, t in enumerate(targets) for j, p in enumerate(t.portions)}
    hosts = Hosts(places, examine)
    try:
        for _ in range(min(number, len(portions))):
            _add(hosts, targets)
        yield hosts
    finally:
        for host in hosts.all:
            host.close()


def _add(hosts: Hosts, targets: Sequence[Progress]) -> None:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    ended = mmap.mmap(-1, 1)
    inherited = [here, *(host.connection for host in hosts.all)]
    process = context.Process(
        target=_serve, args=(there, inherited, ended, targets, hosts.examine_here)
    )
    gc.freeze()  # what both share is not copied to count it
    process.start()
    there.close()
    host = Host(process, here, ended)
    hosts.all.append(host)
    hosts.free.put(host)


def _serve(
    connection: Connection,
    inherited: Sequence[Connection],
    ended: mmap.mmap,
    targets: Sequence[Progress],
    examine: Examine,
) -> None:
    """Examine portions until the first process closes the connection, or is gone, however it ends:
    its own worker's answer may be far off, and the system does not wait for that."""
    guardian.attempt_order(system.PDEATHSIG, signal.SIGKILL)
    first = multiprocessing.parent_process()
    if first is None or os.getppid() != first.pid:
        return
    for number in (signal.SIGINT, signal.SIGTERM):  # they mean the first process, which tells
        signal.signal(number, signal.SIG_IGN)
    for other in inherited:
        other.close()
    with suppress(EOFError, OSError):
        while True:
            (i, j), until = connection.recv()
            relay = _Relay(targets[i].subject, targets[i].common, connection)
            raised = _raised(examine, relay, targets[i].portions[j], _Watching(ended, until))
            relay.end(raised)


class _Watching(Stop):
    """Ends when the first process says so, or at a time."""

    __slots__ = ("_told",)

    def __init__(self, told: mmap.mmap, until: float | None) -> None:
        super().__init__(until)
        self._told = told

    def is_set(self) -> bool:
        """Whether to end."""
        return bool(self._told[0]) or super().is_set()


def _raised(examine: Examine, sink: Sink, portion: Portion, stop: Stop) -> tuple[Exception, ...]:
    """What the examination raised, if it did, with where that was."""
    try:
        examine(sink, portion, stop)
    except Exception as error:
        if getattr(error, "for_users", False):
            return (error,)
        if isinstance(error, MemoryError):
            return (MemoryError(),)
        told = RuntimeError(f"{type(error).__name__}: {error}")
        told.add_note(traceback.format_exc())
        return (told,)
    return ()
