"""A target whose workers load some of its modules from other files, and a run of its functions."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from conformance.adapters.access import launch
from conformance.adapters.configured import Configurable
from conformance.adapters.registry import Target
from conformance.adapters.session import Session
from conformance.engine import Run, Subject, Task, run
from conformance.engine.running.suite_errors import SuiteFailureError
from conformance.results import Results
from conformance.results.events import Event, SuiteFailed, TargetFinished, TargetUnavailable
from conformance.scenarios import Setup

FOLDER = Path(__file__).parents[1] / "worker"


def changed(target: Target, files: Mapping[str, Path]) -> Target:
    """The target with these modules loaded from these files; what is installed stays as it is."""
    folder, named = str(FOLDER), {module: str(file) for module, file in files.items()}
    lines = (
        "import sys",
        f"sys.path.insert(0, {folder!r})",
        "import conformance_code_mutant",
        f"sys.path.remove({folder!r})",
        f"conformance_code_mutant.install({named!r})",
    )
    return msgspec.structs.replace(
        target,
        startup=(*lines, *target.startup),
        environment={**target.environment, "PYTHONDONTWRITEBYTECODE": "1"},
    )


class Attempt(NamedTuple):
    """What came of a run of some functions."""

    results: Results | None
    """None if the target did not start."""
    problem: str
    """Why it did not."""
    time_over: bool
    seconds: float


@dataclass(slots=True)
class Sessions:
    """The sessions of one run, which end together."""

    ended: bool = False
    _open: list[Session] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def added(self, session: Session) -> Session:
        """The same session, from now on ended with the others."""
        with self._lock:
            self._open.append(session)
            ended = self.ended
        if ended:
            session.abort()
        return session

    def end(self) -> None:
        """End all workers, and those that would be started later."""
        with self._lock:
            self.ended = True
            listed = list(self._open)
        for session in listed:
            session.abort()


def attempt(
    target: Target,
    tasks: Sequence[Task],
    common: Run,
    sessions: Sessions,
    *,
    seconds: float,
    number: int = 0,
) -> Attempt:
    """Run these functions of the target by one worker, for at most so many seconds.

    Raises:
        SuiteFailureError: the suite itself failed in one of them.
    """
    events: list[Event] = []
    begun, timer = time.monotonic(), threading.Timer(seconds, sessions.end)
    timer.daemon = True
    timer.start()
    try:
        subject = _subject(target, sessions, number)
        run([subject], {target.edition: tasks}, common, events.append, 1)
    finally:
        timer.cancel()
    for event in events:
        if isinstance(event, SuiteFailed):
            raise SuiteFailureError(event)
    results = next((e.results for e in events if isinstance(e, TargetFinished)), None)
    lost = next((e.reason for e in events if isinstance(e, TargetUnavailable)), "")
    return Attempt(results, lost, sessions.ended, time.monotonic() - begun)


def _subject(target: Target, sessions: Sessions, number: int) -> Subject:
    configurable = Configurable(target)

    @contextmanager
    def configured(setup: Setup) -> Iterator[Session]:
        with configurable.open(setup.configuration, setup.environment) as session:
            yield sessions.added(session)

    def opened(functions: Sequence[str], _: int) -> Session:
        made = sessions.added(Session(launch(target, number), functions=functions))
        # an end before the worker has started leaves the engine nothing to judge
        assert made.identity is not None
        return made

    return Subject(
        name=target.name,
        edition=target.edition,
        implementation=target.implementation,
        open=opened,
        open_configured=configured,
        workers=1,
        library=target.library,
    )
