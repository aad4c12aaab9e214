"""A run: every subject through its plan, lane by lane, as a stream of events."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

from conformance.adapters.session import WorkerStartError
from conformance.engine.again import recall
from conformance.engine.examination import Examination
from conformance.engine.lanes import Progress
from conformance.engine.plan import Task, documented_names
from conformance.engine.subject import Run, Subject
from conformance.results.events import Event, RunFinished, RunStarted

Emit = Callable[[Event], None]


def run(
    subjects: Sequence[Subject],
    plans: Mapping[str, Sequence[Task]],
    common: Run,
    emit: Emit,
    jobs: int,
) -> bool:
    """Examine the subjects with `jobs` workers at a time; whether all of them could be run.

    `plans` has the tasks of each edition. KeyboardInterrupt ends the run early: what was found
    until then is announced before it returns.
    """
    begun = time.monotonic()
    lock = threading.Lock()

    def safely(event: Event) -> None:
        with lock:
            emit(event)

    targets = [Progress(s, plans[s.edition], common, safely) for s in subjects]
    safely(RunStarted({t.subject.name: sum(p.planned for p in t.tasks) for t in targets}))
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        futures = [pool.submit(_examine, t, n) for t in targets for n in range(len(t.parts))]
        interrupted = _wait(futures, [t.stop for t in targets])
    for target in targets:
        target.end()
    safely(RunFinished(time.monotonic() - begun, interrupted))
    for future in futures:
        if future.done() and not future.cancelled():
            future.result()
    return not any(target.lost for target in targets)


def _examine(target: Progress, number: int) -> None:
    if target.lost:
        return
    target.start()
    subject, part = target.subject, target.parts[number]
    try:
        recalled = recall(subject, part, target.common, number, target.stop)
        with subject.open(documented_names(subject.edition), number) as session:
            lane = Examination(
                subject, session, part, target.common, target.emit, target.stop, recalled=recalled
            )
            target.add(lane.all(target.introduce))
    except WorkerStartError as error:
        target.lose(str(error))


def _wait(futures: Sequence[Future[None]], stops: Sequence[threading.Event]) -> bool:
    """Wait for all; on Ctrl-C ask them to finish what they are at. Whether that happened."""
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
    except KeyboardInterrupt:
        for stop in stops:
            stop.set()
        for future in futures:
            future.cancel()
        wait([f for f in futures if not f.cancelled()])
        return True
    return False
