"""A session with a target that survives the loss of its worker.

`Session` starts the worker and sends it a few batches ahead. When the worker dies, hangs or answers
garbage, it starts another and bisects the current batch to find the draws to blame.
"""

from __future__ import annotations

import itertools
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from conformance.adapters.answered_values import AnswerError
from conformance.adapters.answers import CALLED, identity, late, merged, observation, without_values
from conformance.adapters.bisection import Bisection, halves
from conformance.adapters.connection import Connection, Frame, WorkerFault
from conformance.adapters.patience import (
    USUAL,
    USUAL_LIMITS,
    CallLimits,
    Pace,
    Patience,
    takes_most,
)
from conformance.adapters.process import Launch
from conformance.adapters.spares import Spare
from conformance.adapters.start_errors import WorkerStartError, not_started
from conformance.adapters.time_limits import ANSWER_SECONDS, OvertimeError, within
from conformance.adapters.zygotes import LentWorkers, ZygoteSource
from conformance.observations import (
    Batch,
    Crashed,
    Fault,
    Garbled,
    Identity,
    NotRun,
    Returned,
    StructureObservation,
    TimedOut,
)
from conformance.program import as_text, to_json

__all__ = ["CallLimits", "Configuration", "Session", "SessionAbortedError", "WorkerStartError"]


class SessionAbortedError(Exception):
    """`abort` ended the session while another thread waited for an answer."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings that every worker makes before its first batch."""

    floatx: str = "float32"
    epsilon: float = 1e-7
    image_data_format: str = "channels_last"


class Session:
    """One target behind a worker that is started when first needed.

    `functions` are the names to look up in the module; `depth` is how many batches are sent
    ahead. Without a `configuration` the worker changes no settings. Use it as a context
    manager, or call `close`.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        configuration: Configuration | None = Configuration(),
        functions: Sequence[str] = (),
        limits: CallLimits = USUAL_LIMITS,
        depth: int = 6,
        workers: LentWorkers | None = None,
    ) -> None:
        self._launch = launch
        self._configuration = configuration
        self._functions = tuple(functions)
        self._limits = limits
        self._depth = depth
        self._ids = itertools.count(1)
        self._sent: deque[int] = deque()
        self._connection: Connection | None = None
        self._late: frozenset[str] = frozenset()
        """The functions that a worker does not call on its own, because of a hang or `unset`."""
        self._identity: Identity | None = None
        self.starts = 0
        self.losses = 0
        """How often a worker was lost: it died, hung, answered garbage, or could not be reset."""
        self.pace = Pace(call=limits.structure)
        self.unset: Fault | None = None
        """The fault of a worker in a call of its own; later workers make no such call."""
        self._spare = Spare(launch)
        self._zygotes: ZygoteSource | LentWorkers = workers or ZygoteSource(launch)
        self._has_computed = launch.fork or workers is not None
        """Whether a worker has computed a batch, or forks are known to compute."""
        self._unchecked: Batch | None = None
        """That batch, until a fork has computed it as well."""
        self._closing: list[Callable[[], None]] = []
        self._starting: Connection | None = None
        self._aborted = False

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None
    ) -> None:
        self.close()

    @property
    def identity(self) -> Identity:
        """The target's identity; WorkerStartError if its worker does not start."""
        if self._identity is None:
            self._connected()
        assert self._identity is not None
        return self._identity

    @property
    def known_identity(self) -> Identity | None:
        """The same, if a worker has told it already."""
        return self._identity

    def run_batch(self, batch: Batch, patience: Patience = USUAL) -> StructureObservation:
        """The observation of one batch; WorkerStartError if the worker does not start (again)."""
        ((_, result),) = self.run_batches([batch], patience=lambda _: patience)
        return result

    def run_batches(
        self,
        batches: Iterable[Batch],
        still: Callable[[Batch], bool] = lambda _: True,
        patience: Callable[[Batch], Patience] = lambda _: USUAL,
    ) -> Iterator[tuple[Batch, StructureObservation]]:
        """Every batch with its observation, in order; up to `depth` batches are sent ahead.

        If a worker ends, the next one gets its batches that are `still` to be run. The session
        calls `still` and `patience` after the caller has seen what ended the worker.
        """
        source = iter(batches)
        ahead: deque[Batch] = deque()
        try:
            while True:
                if len(ahead) <= self._depth // 2:  # some at once: each time wakes the worker
                    more = list(itertools.islice(source, self._depth - len(ahead)))
                    ahead.extend(more)
                    self._submit_all(more)
                if not ahead:
                    return
                losses = self.losses
                answer = self._answer(ahead[0], patience(ahead[0]))
                if lasting := _lasting_changes(ahead[0], answer):
                    # a new worker, because the old one could not undo what the batch did to it
                    answer = replace(answer, renewed=lasting)
                    self.losses += 1
                    self._drop()
                yield ahead[0], answer
                ahead.popleft()
                if self.losses > losses:
                    ahead = deque(filter(still, ahead))
                    self._submit_all(ahead)
        finally:
            # otherwise the remaining answers would be taken for those to later batches
            if self._sent:
                self._drop()

    def abort(self) -> None:
        """End the worker, from another thread; a waiting thread gets SessionAbortedError."""
        self._aborted = True
        self._zygotes.kill()
        connection = self._connection or self._starting
        if connection is not None:
            connection.process.kill()

    def renew(self) -> None:
        """End the worker between two batches: a new one runs the next."""
        self._drop()

    def close(self) -> None:
        """Stop the worker."""
        if self._connection is not None and not self._sent:
            self._connection.submit({"command": "stop", "id": next(self._ids)})
            self._connection.process.wait(2.0)
        self._drop()
        self._spare.drop()
        self._zygotes.drop()
        while self._closing:
            self._closing.pop()()

    def at_close(self, action: Callable[[], None]) -> None:
        """Have `action` called when the session is closed."""
        self._closing.append(action)

    def _answer(self, batch: Batch, patience: Patience) -> StructureObservation:
        usual = self._limits.seconds(batch.draws)
        limit = min(usual, self.pace.hurried) if patience.hurried else usual
        if patience.hurried and not (self._has_computed and self._zygotes.insist()):
            self._spare.prepare()
        try:
            return self._receive(batch, limit)
        except WorkerFault as error:
            hung = isinstance(error.fault, TimedOut)
            self.pace.wasted += limit if hung and patience.hurried else 0.0
            blamed = patience.blamed in {0, batch.draws}
            if (hung and not patience.again) or blamed:
                return merged([], [without_values(error.fault)] * batch.draws, [error.fault])
            return self._bisect(batch, error.fault, patience)

    def _submit_all(self, batches: Sequence[Batch]) -> None:
        for batch in batches:
            self._submit(batch, more=batch is not batches[-1])

    def _bisect(self, batch: Batch, fault: Fault, patience: Patience) -> StructureObservation:
        """Run the first draws one by one, then the rest in halves, until single draws fail.

        If the first draws fail, the structure is to blame and the rest is skipped, because every
        failure costs a start of the worker.
        """
        hung = isinstance(fault, TimedOut)
        alone = min(batch.draws, 1 if hung else 2)
        search = Bisection([(alone, batch.draws)] if batch.draws > alone else [], incidents=[fault])
        search.pending += [(i, i + 1) for i in reversed(range(alone))]
        while search.pending:
            start, stop = search.pending.pop()
            if self._is_hopeless(
                search, start >= alone and len(search.incidents) > alone, patience
            ):
                reason = f"the batch had failed {len(search.incidents)} times"
                search.draws.update(
                    dict.fromkeys(range(start, stop), without_values(NotRun(reason)))
                )
            elif hung and start == 0:
                self._try_patiently(batch, search)
            else:
                self._try(batch, start, stop, search)
        draws = [search.draws[i] for i in range(batch.draws)]
        return merged(search.parts, draws, search.incidents)

    def _is_hopeless(self, search: Bisection, first_failed: bool, patience: Patience) -> bool:
        """Whether the draws that are left are skipped."""
        enough = patience.blamed is not None and search.blamed >= patience.blamed
        worn = len(search.incidents) > self._limits.failures
        worn = worn or (search.spent > self._limits.failures and search.blamed > 0)
        return enough or worn or (first_failed and not search.parts)

    def _try_patiently(self, batch: Batch, search: Bisection) -> None:
        """Try the first draw for longer. If the usual limit is too short for it, this target is
        slow, or the machine is, and the longer limit becomes the usual one. If the answer takes
        most of the limit, the other draws are left out, because each would take as long."""
        usual, self._limits = self._limits, self._limits.patient
        self._connected()  # a start takes longer than a call
        begun = time.monotonic()
        self._try(batch, 0, 1, search)
        seconds = time.monotonic() - begun
        if 0 not in search.draws or search.blamed or seconds <= usual.seconds(1):
            self._limits = usual
        if not search.blamed and takes_most(seconds, self._limits.structure):
            search.skip_rest(f"the first draw took {seconds:.0f} s")

    def _try(self, batch: Batch, start: int, stop: int, search: Bisection) -> None:
        part = batch.part(start, stop)
        try:
            self._submit(part)
            observation = self._receive(part, self._limits.seconds(part.draws))
        except WorkerFault as error:
            search.incidents.append(error.fault)
            if stop - start == 1:
                search.draws[start] = without_values(error.fault)
            else:
                search.pending += halves(start, stop)
        else:
            search.parts.append(observation)
            search.draws.update(zip(range(start, stop), observation.draws, strict=True))

    def _submit(self, batch: Batch, *, more: bool = False) -> None:
        self._sent.append(self._send(self._connected(), batch, more=more))

    def _send(self, connection: Connection, batch: Batch, *, more: bool = False) -> int:
        """Send a batch; the number of the request."""
        number = next(self._ids)
        names = list(batch.arrays)
        request = {
            "command": "run",
            "id": number,
            "program": to_json(batch.program),
            "draws": batch.draws,
            "arrays": {name: i for i, name in enumerate(names)},
        }
        request |= {name: True for name in ("fresh", "trace") if getattr(batch, name)}
        connection.submit(as_text(request), [batch.arrays[name] for name in names], more=more)
        return number

    def _receive(self, batch: Batch, limit: float) -> StructureObservation:
        """The answer to the oldest request. If there is none, it ends the worker; WorkerFault."""
        assert self._connection is not None
        begun = time.monotonic()
        try:
            frame = self._connection.receive(limit)
            answer = self._read(frame, self._sent.popleft(), batch)
        except WorkerFault as error:
            self.losses += 1
            self._drop()
            self.pace.lost += time.monotonic() - begun
            if self._aborted:
                raise SessionAbortedError from error
            raise WorkerFault(self._told_apart(error.fault, batch.draws)) from error
        waited = time.monotonic() - begun
        self.pace.note(max(waited, answer.seconds.total))
        if not self._has_computed and isinstance(answer.draws[0].outcome, Returned):
            self._has_computed, self._unchecked = True, batch
        return answer

    def _told_apart(self, fault: Fault, draws: int) -> Fault:
        """The fault; a time-out if the system ended the worker at the limit of CPU time."""
        limit = self._launch.cpu_limit
        if limit is None or not isinstance(fault, Crashed) or fault.signal != signal.SIGXCPU:
            return fault
        return TimedOut(limit + draws, fault.tail, fault.stage, fault.step)

    def _read(self, frame: Frame, number: int, batch: Batch) -> StructureObservation:
        header, arrays = frame
        try:
            if header.get("id") != number:
                raise AnswerError(f"request {number} got the answer to {header.get('id')!r}")
            with within(ANSWER_SECONDS):
                return observation(header, arrays, batch)
        except AnswerError as error:
            raise self._garbled(str(error)) from error
        except OvertimeError as error:
            raise self._garbled(f"it takes more than {ANSWER_SECONDS:g} s to read") from error

    def _garbled(self, reason: str) -> WorkerFault:
        assert self._connection is not None
        return WorkerFault(Garbled(reason, str(self._connection.output)))

    def _connected(self) -> Connection:
        if self._aborted:
            raise SessionAbortedError
        if self._connection is None:
            begun = time.monotonic()
            self._connection = self._start()
            self.pace.note_start(time.monotonic() - begun)
        return self._connection

    def _start(self) -> Connection:
        self.starts += 1
        forked = self._forked()
        self._spare.useful = forked is None
        if self._aborted:
            if forked is not None:
                forked.close()
            raise SessionAbortedError
        return self._new() if forked is None else forked

    def _forked(self) -> Connection | None:
        """A worker that is a fork; None if there is none that works, of which no result tells."""
        worker = self._zygotes.worker(self._limits.start)
        if worker is None:
            return None
        try:
            seconds = self._zygotes.patience(self._limits.start)
            fork = self._introduced(Connection(worker, self._launch.memory_limit), seconds)
            self._check(fork)
            return fork
        except (WorkerFault, AnswerError):
            self._zygotes.drop()
            return None

    def _check(self, fork: Connection) -> None:
        """Have the first fork of a target that need not fork compute what a new process has
        computed, because some libraries hang in forks."""
        sample, self._unchecked = self._unchecked, None
        if sample is None:
            return
        try:
            self._send(fork, sample)
            frame = fork.receive(self._limits.seconds(sample.draws))
            observation(*frame, sample)
        except (WorkerFault, AnswerError):
            fork.close()
            raise

    def _new(self) -> Connection:
        """A worker in a new process. WorkerStartError.

        The first worker may end in a call of its own, such as `set_floatx`. Later workers then make
        no such call, because the fault belongs to the tests of these functions.
        """
        try:
            return self._launched()
        except WorkerStartError as error:
            fault = _own_fault(error)
            if fault is None or self.pace.start or self._late == CALLED:
                raise
            before, self._late = self._late, CALLED
            try:
                connection = self._launched()
            except WorkerStartError:
                self._late = before
                raise error from None
            self.unset = fault
            self.losses += 1
            return connection

    def _launched(self) -> Connection:
        connection = self._spare.take()
        try:
            return self._introduced(connection, self._limits.start)
        except (WorkerFault, AnswerError) as error:
            if self._aborted:
                raise SessionAbortedError from error
            raise not_started(self._launch, _reason(error), str(connection.output)) from error

    def _introduced(self, connection: Connection, seconds: float) -> Connection:
        """The connection, once the worker has told its identity and made the settings.

        WorkerFault or AnswerError if it does not, in so many seconds for each; it is ended then.
        """
        self._starting = connection
        try:
            answer = _ask(connection, self._start_request(), seconds)
            self._late |= late(answer)
            if self._identity is None:
                self._identity = identity(answer, self._functions)
            if self._configuration is not None:
                request = self._configure_request(self._configuration)
                self._late |= late(_ask(connection, request, seconds))
        except (WorkerFault, AnswerError):
            connection.close()
            raise
        return connection

    def _start_request(self) -> dict[str, Any]:
        names = self._functions if self._identity is None else ()
        request = {"command": "start", "id": next(self._ids), "functions": list(names)}
        return {**request, "late": sorted(self._late)} if self._late else request

    def _configure_request(self, chosen: Configuration) -> dict[str, Any]:
        return {
            "command": "configure",
            "id": next(self._ids),
            "floatx": chosen.floatx,
            "epsilon": chosen.epsilon,
            "image_data_format": chosen.image_data_format,
        }

    def _drop(self) -> None:
        self._sent.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _lasting_changes(batch: Batch, answer: StructureObservation) -> tuple[str, ...]:
    """The changes of the batch in the worker that would affect later batches."""
    own = {"learning_phase", "clear_session"} if batch.fresh else set[str]()
    return tuple(sorted({"process", *own} & {*answer.leaked}))


def _ask(connection: Connection, request: dict[str, Any], limit: float) -> dict[str, Any]:
    connection.submit(request)
    header, _ = connection.receive(limit)
    if header.get("id") != request["id"] or header.get("ok") is not True:
        raise AnswerError(str(header.get("error") or "it answered something else"))
    return header


def _reason(error: Exception) -> str:
    return _fault_text(error.fault) if isinstance(error, WorkerFault) else str(error)


def _own_fault(error: WorkerStartError) -> Fault | None:
    """The fault of a worker that ended in a call of its own."""
    cause = error.__cause__
    if isinstance(cause, WorkerFault) and isinstance(cause.fault, Crashed | TimedOut):
        return cause.fault if cause.fault.stage == "session" else None
    return None


def _fault_text(fault: Fault) -> str:
    limit = fault.limit if isinstance(fault, Crashed) else None
    return f"it took more than {limit}" if limit else type(fault).__name__
