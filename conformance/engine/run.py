"""A run: every subject through its plan, as a stream of events."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from conformance.adapters.session import Session, WorkerStartError
from conformance.engine.plan import Task
from conformance.engine.profiles import Profile
from conformance.engine.subject import Examination
from conformance.program import Prelude
from conformance.results.events import (
    Event,
    RunFinished,
    RunStarted,
    TargetUnavailable,
)

Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Subject:
    """A target as the engine sees it: what it claims to be, and how to reach it."""

    name: str
    edition: str
    implementation: str
    open: Callable[[Sequence[str]], Session]
    """Makes a session that also looks up the signatures of these functions."""
    prelude: Prelude = field(default_factory=Prelude)


@dataclass(frozen=True, slots=True)
class Run:
    """What is common to all subjects of a run."""

    suite_version: str
    profile: Profile
    seed: int
    started: str
    """UTC, ISO 8601."""
    selection: str | None = None


def run(
    subjects: Sequence[Subject],
    plans: Mapping[str, Sequence[Task]],
    common: Run,
    emit: Emit,
    jobs: int,
) -> bool:
    """Examine the subjects, `jobs` at a time; whether all of them could be run.

    `plans` has the tasks of each edition. KeyboardInterrupt ends the run early: what was found
    until then is announced before it returns.
    """
    begun = time.monotonic()
    lock, stop = threading.Lock(), threading.Event()

    def safely(event: Event) -> None:
        with lock:
            emit(event)

    safely(RunStarted({s.name: sum(t.planned for t in plans[s.edition]) for s in subjects}))

    def examine(subject: Subject) -> bool:
        try:
            with subject.open([_name(t) for t in plans[subject.edition]]) as session:
                Examination(subject, session, plans[subject.edition], common, safely, stop).all()
        except WorkerStartError as error:
            hint = f"conformance install --force {subject.name}"
            safely(TargetUnavailable(subject.name, str(error), hint))
            return False
        return True

    with ThreadPoolExecutor(max(1, jobs)) as pool:
        futures = [pool.submit(examine, subject) for subject in subjects]
        interrupted = _wait(futures, stop)
    safely(RunFinished(time.monotonic() - begun, interrupted))
    return all(f.result() for f in futures if f.done() and not f.cancelled())


def _name(task: Task) -> str:
    return task.documented.name


def _wait(futures: Sequence[Future[bool]], stop: threading.Event) -> bool:
    """Wait for all; on Ctrl-C ask them to finish what they are at. Whether that happened."""
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
    except KeyboardInterrupt:
        stop.set()
        for future in futures:
            future.cancel()
        wait([f for f in futures if not f.cancelled()])
        return True
    return False
