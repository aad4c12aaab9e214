"""Composed programs on several targets at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial

from conformance.engine import Stop, Subject
from conformance.engine.running.announcing import Emit, locked
from conformance.engine.running.stop import end
from conformance.fuzz.running.target import Campaign, TargetRun
from conformance.results import Results
from conformance.results.events import RunFinished, RunStarted

LATEST = 60.0
"""Seconds after the time limit at which workers that have not finished a program are ended."""


def fuzz(
    subjects: Sequence[Subject],
    campaign: Campaign,
    emit: Emit,
    jobs: int,
    previous: Mapping[str, Results] | None = None,
) -> bool:
    """Run the programs on the subjects with `jobs` workers at a time; whether all could be run.

    KeyboardInterrupt and the time limit end it early; what was found until then is announced.
    """
    begun = time.monotonic()
    safely = locked(emit)
    until = None if campaign.max_time is None else begun + campaign.max_time
    runs = [
        TargetRun(s, campaign, safely, Stop(until), (previous or {}).get(s.name)) for s in subjects
    ]
    safely(_started(runs, campaign))
    interrupted = _work(runs, jobs, until)
    for run in runs:
        run.finish()
    safely(RunFinished(time.monotonic() - begun, interrupted))
    return not any(run.lost for run in runs)


def _started(runs: Sequence[TargetRun], campaign: Campaign) -> RunStarted:
    planned = {run.subject.name: run.planned for run in runs}
    return RunStarted(planned, dict.fromkeys(planned, 0), campaign.max_time)


def _work(runs: Sequence[TargetRun], jobs: int, until: float | None) -> bool:
    """Let all workers run; whether Ctrl-C ended it."""
    executor = ThreadPoolExecutor(max(1, jobs))
    futures = [
        executor.submit(run.work, worker)
        for worker in range(max((run.subject.workers for run in runs), default=0))
        for run in runs
        if worker < run.subject.workers
    ]
    try:
        late = None if until is None else max(0.0, until + LATEST - time.monotonic())
        # an error of ours ends the run at once, not after hours in which a target stands still
        if wait(futures, timeout=late, return_when=FIRST_EXCEPTION).not_done:
            for future in futures:
                future.cancel()
            _kill(runs)
        for future in futures:
            if not future.cancelled():
                future.result()
    except KeyboardInterrupt as interrupt:
        end(futures, partial(_ask, runs, str(interrupt) or "Ctrl-C"), partial(_kill, runs))
        return True
    finally:
        executor.shutdown()
    return False


def _ask(runs: Sequence[TargetRun], reason: str) -> None:
    for run in runs:
        run.reason = reason
        run.stop.set()


def _kill(runs: Sequence[TargetRun]) -> None:
    for run in runs:
        run.abort()
