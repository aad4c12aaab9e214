"""A run: every subject through its plan, portion by portion, as a stream of events.

Portions are independent tasks that go to an `Executor`: threads of this process, each of which
has a worker of a target, or any other that can send `Assignment`s elsewhere.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from functools import partial

from conformance.adapters.session import SessionAbortedError, WorkerStartError
from conformance.editions import Edition
from conformance.engine.planning.plan import Task, documented_names
from conformance.engine.planning.profiles import SURVEY
from conformance.engine.running.assignments import Answer, assignment
from conformance.engine.running.examination import Examination, Recalled
from conformance.engine.running.progress import Portion, Progress
from conformance.engine.running.repetition import recall
from conformance.engine.running.stop import Budget, Stop
from conformance.engine.running.subject import Run, Subject
from conformance.results import Results
from conformance.results.events import CasesDone, Event, RunFinished, RunStarted

Emit = Callable[[Event], None]
GRACE = 5.0
"""Seconds that workers have to finish the case they are at when a run is ended."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An executor in whose processes the suite and the targets are installed."""

    executor: Executor
    portions: int
    """How many parts each plan is cut into."""


@dataclass(slots=True)
class _Pool:
    """Where the portions of a run are examined."""

    executor: Executor
    remote: bool
    budget: Budget | None
    pending: dict[Future[Answer | None], tuple[Progress, Portion]] = field(default_factory=dict)

    def submit(self, target: Progress, portion: Portion) -> None:
        if self.remote:
            assert target.subject.perform is not None
            given = assignment(portion, target.subject, target.common)
            target.start()
            future = self.executor.submit(target.subject.perform, given)
        else:
            future = self.executor.submit(_examine, target, portion, self.budget)
        self.pending[future] = (target, portion)


def run(
    subjects: Sequence[Subject],
    plans: Mapping[Edition, Sequence[Task]],
    common: Run,
    emit: Emit,
    jobs: int,
    *,
    previous: Mapping[str, Results] | None = None,
    elsewhere: Elsewhere | None = None,
) -> bool:
    """Examine the subjects with `jobs` workers at a time; whether all of them could be run.

    `plans` has the tasks of each edition, `previous` by target what a run that was ended early
    has found. KeyboardInterrupt and the run's limit of time end it early: what was found until
    then is announced before it returns.
    """
    begun = time.monotonic()
    make = partial(_target, plans, common, _locked(emit), elsewhere)
    targets = [make(subject, (previous or {}).get(subject.name)) for subject in subjects]
    emit(RunStarted({t.subject.name: t.planned for t in targets}))
    portions = list(_in_turn(targets))
    budget = None if common.max_time is None else Budget(common.max_time, len(portions), jobs)
    executor = elsewhere.executor if elsewhere else ThreadPoolExecutor(max(1, jobs))
    pool = _Pool(executor, elsewhere is not None, budget)
    ended = _through(pool, portions)
    if elsewhere is None:
        executor.shutdown()
    for target in targets:
        target.end()
    emit(RunFinished(time.monotonic() - begun, isinstance(ended, KeyboardInterrupt)))
    if isinstance(ended, Exception):
        raise ended
    return not any(target.lost or target.failed for target in targets)


def _through(pool: _Pool, portions: Sequence[tuple[Progress, Portion]]) -> BaseException | None:
    """Examine all portions; what ended the run before that, if anything did."""
    try:
        for target, portion in portions:
            pool.submit(target, portion)
        _gather(pool)
    except KeyboardInterrupt as ended:
        _end(pool, "Ctrl-C")
        return ended
    except Exception as ended:
        _end(pool, "an error")
        return ended
    return None


def _locked(emit: Emit) -> Emit:
    lock = threading.Lock()

    def safely(event: Event) -> None:
        with lock:
            emit(event)

    return safely


def _target(  # noqa: PLR0917 - the first four are the run's
    plans: Mapping[Edition, Sequence[Task]],
    common: Run,
    emit: Emit,
    elsewhere: Elsewhere | None,
    subject: Subject,
    previous: Results | None,
) -> Progress:
    tasks = plans[subject.edition]
    surveyed = () if common.max_time is None else [t.with_profile(SURVEY) for t in tasks]
    spread = elsewhere.portions if elsewhere else None
    return Progress(subject, tasks, common, emit, previous, spread, surveyed)


def _in_turn(targets: Sequence[Progress]) -> Iterator[tuple[Progress, Portion]]:
    """First looks come before everything else, whatever target they are at."""
    for survey in (True, False):
        yield from ((t, p) for t in targets for p in t.portions if p.survey is survey)


def _examine(target: Progress, portion: Portion, budget: Budget | None) -> None:
    """One portion in this thread."""
    stop = _limit(target, portion, budget)
    if target.lost:
        return
    subject = target.subject
    try:
        recalled = _recalled(target, portion, stop)
        with subject.open(documented_names(subject.edition), portion.number) as session:
            target.start(session)
            lane = Examination(
                subject,
                session,
                portion.tasks,
                target.common,
                target.emit,
                stop,
                portion.survey,
                recalled=recalled,
            )
            for examined in lane.all(target.introduce):
                target.take(examined, survey=portion.survey)
            target.done(session)
    except WorkerStartError as error:
        target.lose(str(error))
    except SessionAbortedError:
        target.stop.set()


def _recalled(target: Progress, portion: Portion, stop: Stop) -> Sequence[Recalled]:
    """What cases of earlier runs show; a first look does without."""
    if portion.survey:
        return ()
    return recall(target.subject, portion.tasks, target.common, portion.number, stop)


def _limit(target: Progress, portion: Portion, budget: Budget | None) -> Stop:
    if budget is None:
        return target.stop
    share = budget.share(target.stop)
    return Stop(budget.until, target.stop) if portion.survey else share


def _gather(pool: _Pool) -> None:
    """Wait for all portions; when the time is over, end those that are left."""
    until = None if pool.budget is None else pool.budget.until
    while pool.pending:
        left = None if until is None else max(0.0, until + GRACE - time.monotonic())
        done, _ = wait(pool.pending, timeout=left, return_when=FIRST_COMPLETED)
        for future in done:
            _receive(*pool.pending.pop(future), future)
        if not done:
            _end(pool, "")


def _receive(target: Progress, portion: Portion, future: Future[Answer | None]) -> None:
    """Take in what another process found; an exception of this one's own is raised."""
    try:
        answer = future.result()
    except (Exception, CancelledError) as error:
        if target.subject.perform is None:
            raise
        target.fail(f"{type(error).__name__}: {error}")
        return
    if answer is None:
        return
    if answer.info is None:
        target.lose(answer.lost, answer.cure)
        return
    target.introduce(answer.info)
    for examined in answer.examined:
        name, cases = examined.result.function, examined.spent.cases
        target.emit(CasesDone(target.subject.name, name, cases, 0))
        target.take(examined, survey=portion.survey)
    target.done()


def _end(pool: _Pool, reason: str) -> None:
    """Ask all portions that are left to finish what they are at, then end their workers."""
    targets = {id(target): target for target, _ in pool.pending.values()}.values()
    for target in targets:
        target.reason = target.reason or reason
        target.stop.set()
    running = [future for future in pool.pending if not future.cancel()]
    if running and not pool.remote:
        _, hanging = wait(running, timeout=GRACE)
        for target in targets if hanging else ():
            target.abort()
        wait(running)
    pool.pending.clear()
