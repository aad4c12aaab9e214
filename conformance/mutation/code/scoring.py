"""Run the functions that reach each change, and ask a gate whether it notices."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from conformance.adapters.registry import Target
from conformance.adapters.session import WorkerStartError
from conformance.engine import Run, Task, plan
from conformance.mutation.code.loading import Attempt, Sessions, attempt, changed
from conformance.mutation.code.population import CodeMutant
from conformance.mutation.code.records import JudgedCodeMutant, Notice
from conformance.mutation.code.units import SourceModule
from conformance.results import Results
from conformance.specs import load

GROUPS = (2, 6, 24)
"""How many functions are run by one worker: first the nearest to the change, then more."""
CONTROL_SECONDS = 3600.0
LEAST_SECONDS = 120.0
PATIENCE = 10.0
"""A run with a change may take so many times as long as the one without, and `LEAST_SECONDS`."""


class GateWithKnownFailures(Protocol):
    """What judges a run: it knows what fails without a change."""

    def learn(self, first: Results, second: Results) -> None:
        """Mark what fails in these runs of the same functions without a change."""

    def noticed(self, results: Results) -> Notice | None:
        """What is not as expected; None if the run passes."""

    def quiet(self, results: Results) -> list[str]:
        """What is new in a run that passes."""


@dataclass(slots=True)
class CodeScoring:
    """What all workers share: the target, the plan and the gate."""

    target: Target
    modules: Sequence[SourceModule]
    common: Run
    gate: GateWithKnownFailures
    report: Callable[[JudgedCodeMutant], None]
    stop: threading.Event = field(default_factory=threading.Event)
    _tasks: dict[str, Task] = field(init=False)
    _seconds: dict[str, float] = field(default_factory=dict)
    """What each function took without a change."""
    _running: dict[int, Sessions] = field(default_factory=dict)
    _control_lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        made = plan(load(), self.target.edition, self.common.profile, self.common.seed)
        self._tasks = {task.spec.name: task for task in made}

    def run(self, mutants: Sequence[CodeMutant], jobs: int) -> None:
        """Judge the mutants by `jobs` workers; WorkerStartError if the target does not start."""
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
        """What comes of one mutant, by worker `number`; None if the judging was ended meanwhile."""
        begun = time.monotonic()
        done: list[str] = []
        quiet: list[str] = []
        for functions in groups(mutant.reached_from):
            self._without_change(functions, number)
            notice, more = self._look(mutant, functions, number)
            if self.stop.is_set():
                return None
            done += functions
            quiet += more
            if notice is not None:
                return _record(mutant, notice, done, [], time.monotonic() - begun)
        return _record(mutant, None, done, quiet, time.monotonic() - begun)

    def _look(
        self, mutant: CodeMutant, functions: Sequence[str], number: int
    ) -> tuple[Notice | None, list[str]]:
        limit = LEAST_SECONDS + PATIENCE * sum(self._seconds[name] for name in functions)
        tried = self._attempt({mutant.module.name: mutant.source()}, functions, number, limit)
        if tried.results is None and not tried.time_over:
            last = (tried.problem.strip().splitlines() or [""])[-1]
            return Notice(how="does not start", says=last), []
        notice = None if tried.results is None else self.gate.noticed(tried.results)
        if tried.time_over and (notice is None or notice.how == "not reached"):
            return Notice(how="time over", says=f"after {limit:.0f} s"), []
        return notice, self.gate.quiet(tried.results) if tried.results and not notice else []

    def _without_change(self, functions: Sequence[str], number: int) -> None:
        """Run these functions twice without a change, unless that was done before."""
        with self._control_lock:
            new = [name for name in functions if name not in self._seconds]
            if not new or self.stop.is_set():
                return
            sources = {module.name: module.text.source for module in self.modules}
            runs = [self._attempt(sources, new, number, CONTROL_SECONDS) for _ in range(2)]
            first, second = (one.results for one in runs)
            if self.stop.is_set():
                return
            if first is None or second is None:
                raise WorkerStartError(runs[0].problem or runs[1].problem)
            self.gate.learn(first, second)
            self._seconds.update(dict.fromkeys(new, runs[1].seconds / len(new)))

    def _attempt(
        self, sources: Mapping[str, bytes], functions: Sequence[str], number: int, seconds: float
    ) -> Attempt:
        sessions = self._running[threading.get_ident()] = Sessions()
        tasks = [self._tasks[name] for name in functions]
        with tempfile.TemporaryDirectory(prefix="conformance-mutant-") as folder:
            files = {name: Path(folder, f"{name}.py") for name in sources}
            for name, file in files.items():
                file.write_bytes(sources[name])
            target = changed(self.target, files)
            return attempt(target, tasks, self.common, sessions, seconds=seconds, number=number)


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
