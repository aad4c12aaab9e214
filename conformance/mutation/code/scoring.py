"""Run the functions that reach each change, and ask a gate whether it notices."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from conformance.adapters.access import launch
from conformance.adapters.configured import Configurable
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.engine import Run, Subject, Task, plan, run
from conformance.engine.running.suite_errors import SuiteFailureError
from conformance.mutation.code.population import CodeMutant
from conformance.mutation.code.records import JudgedCodeMutant, Notice
from conformance.mutation.code.units import SourceModule
from conformance.results import Results
from conformance.results.events import Event, SuiteFailed, TargetFinished, TargetUnavailable
from conformance.scenarios import Setup
from conformance.specs import load

FOLDER = Path(__file__).parents[1] / "worker"


def changed(target: Target, files: Mapping[str, Path]) -> Target:
    """The target with these modules loaded from these files; installed files stay unchanged."""
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
    """The outcome of a run of some functions."""

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
            sessions = list(self._open)
        for session in sessions:
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
    """Run these functions of the target by one worker, for at most a number of seconds.

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
        started = sessions.added(Session(launch(target, number), functions=functions))
        # an end before the worker has started leaves the engine nothing to judge
        assert started.identity is not None
        return started

    return Subject(
        name=target.name,
        edition=target.edition,
        implementation=target.implementation,
        open=opened,
        open_configured=configured,
        workers=1,
        library=target.library,
    )


GROUPS = (2, 6, 24)
"""How many functions are run by one worker: first the nearest to the change, then more."""
CONTROL_SECONDS = 3600.0
LEAST_SECONDS = 120.0
PATIENCE = 10.0
"""How many times as long as the run without it a run with a change may take, plus
`LEAST_SECONDS`."""


class GateWithKnownFailures(Protocol):
    """The judge of a run: it knows the failures without a change."""

    def learn(self, first: Results, second: Results) -> None:
        """Mark what fails in these runs of the same functions without a change."""

    def noticed(self, results: Results) -> Notice | None:
        """The unexpected part; None if the run passes."""

    def quiet(self, results: Results) -> list[str]:
        """The new part of a run that passes."""


@dataclass(slots=True)
class JudgingStage:
    """A profile in which changes are judged, and a gate that knows what fails there without one."""

    common: Run
    gate: GateWithKnownFailures
    tasks: dict[str, Task] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    """The time that each function took without a change."""


@dataclass(slots=True)
class CodeScoring:
    """The common settings of all workers: the target and the stages.

    A change that the first stage does not notice reaches the next one. A quick profile saves time
    as the first.
    """

    target: Target
    modules: Sequence[SourceModule]
    stages: Sequence[JudgingStage]
    report: Callable[[JudgedCodeMutant], None]
    stop: threading.Event = field(default_factory=threading.Event)
    _running: dict[int, Sessions] = field(default_factory=dict)
    _control_lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        for stage in self.stages:
            tasks = plan(load(), self.target.edition, stage.common.profile, stage.common.seed)
            stage.tasks.update({task.spec.name: task for task in tasks})

    def run(self, mutants: Sequence[CodeMutant], jobs: int) -> None:
        """Judge the mutants by `jobs` workers.

        Raises:
            WorkerStartError: the target does not start.
        """
        waiting, lock = iter(mutants), threading.Lock()
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self._work, waiting, lock, number) for number in range(jobs)]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self.end()
                raise

    def _work(self, waiting: Iterator[CodeMutant], lock: threading.Lock, number: int) -> None:
        while not self.stop.is_set():
            with lock:
                mutant = next(waiting, None)
            if mutant is None:
                return
            judged = self.judged(mutant, number)
            if judged is not None:
                self.report(judged)

    def end(self) -> None:
        """End the workers; what they are at is not reported."""
        self.stop.set()
        for sessions in list(self._running.values()):
            sessions.end()

    def judged(self, mutant: CodeMutant, number: int) -> JudgedCodeMutant | None:
        """The outcome of one mutant, by worker `number`; None if the judging was ended
        meanwhile."""
        begun = time.monotonic()
        quiet: list[str] = []
        for stage in self.stages:
            done: list[str] = []
            for functions in groups(mutant.reached_from):
                self._without_change(stage, functions, number)
                if self.stop.is_set():  # the times without the change may be missing
                    return None
                notice, more = self._look(stage, mutant, functions, number)
                if self.stop.is_set():
                    return None
                done += functions
                quiet += (text for text in more if text not in quiet)
                if notice is not None:
                    return _record(mutant, notice, done, [], time.monotonic() - begun)
        return _record(mutant, None, list(mutant.reached_from), quiet, time.monotonic() - begun)

    def _look(
        self, stage: JudgingStage, mutant: CodeMutant, functions: Sequence[str], number: int
    ) -> tuple[Notice | None, list[str]]:
        limit = LEAST_SECONDS + PATIENCE * sum(stage.seconds[name] for name in functions)
        source = {mutant.module.name: mutant.source()}
        tried = self._attempt(stage, source, functions, number, limit)
        if tried.results is None and not tried.time_over:
            last = (tried.problem.strip().splitlines() or [""])[-1]
            return Notice(how="does not start", says=last), []
        notice = None if tried.results is None else stage.gate.noticed(tried.results)
        if tried.time_over and (notice is None or notice.how == "not reached"):
            return Notice(how="time over", says=f"after {limit:.0f} s"), []
        return notice, stage.gate.quiet(tried.results) if tried.results and not notice else []

    def _without_change(self, stage: JudgingStage, functions: Sequence[str], number: int) -> None:
        """Run these functions twice without a change, unless that was done before."""
        with self._control_lock:
            new = [name for name in functions if name not in stage.seconds]
            if not new or self.stop.is_set():
                return
            sources = {module.name: module.text.source for module in self.modules}
            runs = [self._attempt(stage, sources, new, number, CONTROL_SECONDS) for _ in range(2)]
            first, second = (run.results for run in runs)
            if self.stop.is_set():
                return
            if first is None or second is None:
                raise WorkerStartError(runs[0].problem or runs[1].problem)
            stage.gate.learn(first, second)
            stage.seconds.update(dict.fromkeys(new, runs[1].seconds / len(new)))

    def _attempt(
        self,
        stage: JudgingStage,
        sources: Mapping[str, bytes],
        functions: Sequence[str],
        number: int,
        seconds: float,
    ) -> Attempt:
        sessions = self._running[threading.get_ident()] = Sessions()
        if self.stop.is_set():  # too late to be ended by `end`
            sessions.end()
        tasks = [stage.tasks[name] for name in functions]
        with tempfile.TemporaryDirectory(prefix="conformance-mutant-") as folder:
            files = {name: Path(folder, f"{name}.py") for name in sources}
            for name, file in files.items():
                file.write_bytes(sources[name])
            target = changed(self.target, files)
            return attempt(target, tasks, stage.common, sessions, seconds=seconds, number=number)


def groups(functions: Sequence[str]) -> Iterator[Sequence[str]]:
    """The functions in groups that grow, in their order."""
    place = 0
    for size in (*GROUPS, len(functions)):
        if functions[place : place + size]:
            yield functions[place : place + size]
        place += size


def _record(
    mutant: CodeMutant,
    notice: Notice | None,
    done: Sequence[str],
    quiet: Sequence[str],
    seconds: float,
) -> JudgedCodeMutant:
    return JudgedCodeMutant(
        id=mutant.id,
        file=Path(mutant.module.file).name,
        line=mutant.line,
        function=mutant.unit,
        operator=mutant.edit.operator,
        before=mutant.before,
        after=mutant.after,
        outcome="survived" if notice is None else "killed",
        notice=notice,
        run=list(done),
        quiet=list(quiet),
        seconds=round(seconds, 1),
    )
