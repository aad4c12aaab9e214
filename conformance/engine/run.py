"""A run: every subject through its plan, as a stream of events."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

from conformance.adapters.session import WorkerStartError
from conformance.engine.examination import Examination
from conformance.engine.plan import Task, documented_names
from conformance.engine.subject import Run, Subject
from conformance.results.events import (
    Event,
    RunFinished,
    RunStarted,
    TargetUnavailable,
)

Emit = Callable[[Event], None]


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
            with subject.open(documented_names(subject.edition)) as session:
                Examination(subject, session, plans[subject.edition], common, safely, stop).all()
        except WorkerStartError as error:
            safely(TargetUnavailable(subject.name, str(error), subject.cure))
            return False
        return True

    with ThreadPoolExecutor(max(1, jobs)) as pool:
        futures = [pool.submit(examine, subject) for subject in subjects]
        interrupted = _wait(futures, stop)
    safely(RunFinished(time.monotonic() - begun, interrupted))
    return all(f.result() for f in futures if f.done() and not f.cancelled())


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
