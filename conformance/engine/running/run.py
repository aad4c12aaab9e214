"""Run the plans of all subjects, portion by portion, and announce what is found as events.

Portions are independent tasks of an `Executor`: threads of this process, each with a worker of a
target and, if there are several, a process of its own that judges (`hosts`), or any executor that
sends `Assignment`s to other processes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass, field, replace
from functools import partial

from conformance.adapters.session import SessionAbortedError, WorkerStartError
from conformance.editions import Edition
from conformance.engine.planning.plan import Task
from conformance.engine.planning.profiles import SURVEY
from conformance.engine.running.announcing import Emit, locked
from conformance.engine.running.assignments import Answer, assignment
from conformance.engine.running.collecting import seldom
from conformance.engine.running.examination import Examination
from conformance.engine.running.examined import Remembered
from conformance.engine.running.hosts import Hosts, Sink, forked
from conformance.engine.running.preludes import asked_for
from conformance.engine.running.progress import Portion, Previous, Progress
from conformance.engine.running.repetition import run_remembered
from conformance.engine.running.stop import Budget, Stop, end, overdue
from conformance.engine.running.subject import Run, Subject
from conformance.results.events import CasesDone, RunFinished, RunStarted

CHECK = 15.0
"""Seconds between looks at the time limits of targets."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An executor whose processes have the suite and the targets installed."""

    executor: Executor
    portions: int
    """How many portions each plan is cut into."""


@dataclass(slots=True)
class _Pool:
    """The executor of a run, and the portions that it has not finished."""

    executor: Executor
    remote: bool
    budget: Budget | None
    hosts: Hosts | None = None
    pending: dict[Future[Answer | None], tuple[Progress, Portion]] = field(default_factory=dict)

    def submit(self, target: Progress, portion: Portion) -> None:
        if self.remote:
            assert target.subject.perform is not None
            given = assignment(portion, target.subject, target.common)
            target.start()
            future = self.executor.submit(target.subject.perform, given)
        else:
            future = self.executor.submit(_examine, target, portion, self.budget, self.hosts)
        self.pending[future] = (target, portion)


def run(
    subjects: Sequence[Subject],
    plans: Mapping[Edition, Sequence[Task]],
    common: Run,
    emit: Emit,
    jobs: int,
    *,
    previous: Mapping[str, Previous] | None = None,
    elsewhere: Elsewhere | None = None,
) -> bool:
    """Examine the subjects with `jobs` workers at a time; whether all of them could be run.

    `plans` has the tasks of each edition. `previous` has, by target, what is not run again.
    KeyboardInterrupt and the run's time limit end it early; what was found until then is announced
    before it returns.
    """
    begun = time.monotonic()
    common = replace(common, alone=len(subjects) == 1, jobs=None if elsewhere else max(1, jobs))
    make = partial(_target, plans, common, locked(emit), elsewhere)
    targets = [make(subject, (previous or {}).get(subject.name)) for subject in subjects]
    with seldom(), forked(targets, 1 if elsewhere else jobs, _examine_here) as hosts:
        emit(_started(targets, jobs, common, elsewhere))
        for target in targets:
            target.repeat()
        ended = _run_all(targets, jobs, common, elsewhere, hosts)
    for target in targets:
        target.end()
    emit(RunFinished(time.monotonic() - begun, isinstance(ended, KeyboardInterrupt)))
    if isinstance(ended, Exception | SystemExit):
        raise ended
    return not any(target.lost or target.failed for target in targets)


def _run_all(
    targets: Sequence[Progress],
    jobs: int,
    common: Run,
    elsewhere: Elsewhere | None,
    hosts: Hosts | None,
) -> BaseException | None:
    """Examine the portions of all targets; the exception that ended the run early, if any."""
    portions = list(_surveys_first(targets))
    budget = None if common.max_time is None else Budget(common.max_time, len(portions), jobs)
    executor = elsewhere.executor if elsewhere else ThreadPoolExecutor(max(1, jobs))
    ended = _run_portions(_Pool(executor, elsewhere is not None, budget, hosts), portions)
    if elsewhere is None:
        executor.shutdown()
    return ended


def _started(
    targets: Sequence[Progress], jobs: int, common: Run, elsewhere: Elsewhere | None
) -> RunStarted:
    """What is to be run. How long that takes is not known of other machines."""
    workers = min(jobs, sum(len(target.portions) for target in targets))
    seconds = sum(target.seconds for target in targets) / max(1, workers)
    return RunStarted(
        {target.subject.name: target.planned for target in targets},
        {target.subject.name: target.functions for target in targets},
        None if elsewhere else min(seconds, common.max_time or seconds),
    )


def _run_portions(
    pool: _Pool, portions: Sequence[tuple[Progress, Portion]]
) -> BaseException | None:
    """Examine all portions; the exception that ended the run early, if any."""
    try:
        for target, portion in portions:
            pool.submit(target, portion)
        _gather(pool)
    except KeyboardInterrupt as ended:
        _end(pool, str(ended) or "Ctrl-C")
        return ended
    except (SystemExit, BrokenPipeError) as ended:  # nobody reads what is printed any more
        _end(pool, "a closed output")
        return ended
    except Exception as ended:
        _end(pool, "an error")
        return ended
    return None


def _target(  # noqa: PLR0917 - the first four are the run's
    plans: Mapping[Edition, Sequence[Task]],
    common: Run,
    emit: Emit,
    elsewhere: Elsewhere | None,
    subject: Subject,
    previous: Previous | None,
) -> Progress:
    tasks = plans[subject.edition]
    surveyed = () if common.max_time is None else [t.with_profile(SURVEY) for t in tasks]
    spread = elsewhere.portions if elsewhere else None
    return Progress(subject, tasks, common, emit, previous, spread, surveyed)


def _surveys_first(targets: Sequence[Progress]) -> Iterator[tuple[Progress, Portion]]:
    """All portions in the order in which they are started: the surveys of all targets first."""
    for survey in (True, False):
        yield from ((t, p) for t in targets for p in t.portions if p.survey is survey)


def _examine(
    target: Progress, portion: Portion, budget: Budget | None, hosts: Hosts | None
) -> None:
    """Examine one portion, in a process of its own if there are some."""
    stop = _limit(target, portion, budget)
    if target.lost:
        return
    if hosts is None:
        _examine_here(target, portion, stop)
    else:
        hosts.examine(target, portion, stop)


def _examine_here(target: Sink, portion: Portion, stop: Stop) -> None:
    """Examine one portion in this process and thread."""
    subject = target.subject
    try:
        remembered = _remembered(target, portion, stop)
        with subject.open(asked_for(subject.edition), portion.number) as session:
            target.start(session)
            examination = Examination(
                subject,
                session,
                portion.tasks,
                target.common,
                target.emit,
                stop,
                portion.survey,
                target.note,
                remembered=remembered,
            )
            for examined in examination.all(target.introduce):
                target.record(examined, survey=portion.survey)
            target.done(session)
    except WorkerStartError as error:
        target.lose(str(error), error.hint)
    except SessionAbortedError:
        stop.set()


def _remembered(target: Sink, portion: Portion, stop: Stop) -> Remembered:
    """What cases of earlier runs show; nothing in a survey."""
    if portion.survey:
        return Remembered()
    return run_remembered(target.subject, portion.tasks, target.common, portion.number, stop)


def _limit(target: Progress, portion: Portion, budget: Budget | None) -> Stop:
    if budget is None:
        return target.stop
    share = budget.share(target.stop)
    return Stop(budget.until, target.stop) if portion.survey else share


def _gather(pool: _Pool) -> None:
    """Wait for all portions; when the time is over, end those that still run."""
    while pool.pending:
        done, _ = wait(pool.pending, timeout=_patience(pool), return_when=FIRST_COMPLETED)
        for future in done:
            _receive(*pool.pending.pop(future), future)
        if not done and pool.budget is not None and overdue(pool.budget.until) >= 0:
            _end(pool, "")
        for target in {id(target): target for target, _ in pool.pending.values()}.values():
            target.announce_partial()
            if target.stop.until is not None and overdue(target.stop.until) >= 0:
                target.abort()


def _patience(pool: _Pool) -> float:
    """Seconds until the next check of the time limits."""
    if pool.budget is None:
        return CHECK
    return min(CHECK, max(0.0, -overdue(pool.budget.until)))


def _receive(target: Progress, portion: Portion, future: Future[Answer | None]) -> None:
    """Record the answer of another process; raise an exception of this process's own code."""
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
    for left_out, losses in answer.notes:
        target.note(left_out, losses)
    for examined in answer.examined:
        name, cases = examined.result.function, examined.spent.cases
        target.emit(CasesDone(target.subject.name, name, cases, 0))
        target.record(examined, survey=portion.survey)
    target.done()


def _end(pool: _Pool, reason: str) -> None:
    """Ask the remaining portions to finish their current case, then kill their workers."""
    targets = {id(target): target for target, _ in pool.pending.values()}.values()

    def ask() -> None:
        for target in targets:
            target.reason = target.reason or reason
            target.stop.set()

    def kill() -> None:
        for target in targets:
            target.abort()

    if pool.remote:
        ask()
        for future in pool.pending:
            future.cancel()
    else:
        end(pool.pending, ask, kill)
    pool.pending.clear()
