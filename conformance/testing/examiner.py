"""Examine functions one at a time, each once in a process of pytest."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Collection
from contextlib import ExitStack

import conformance
from conformance.adapters import environments
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.process import keep_in_cache
from conformance.cli.targets.subjects import subject
from conformance.engine import Run, Stop, Subject, Task, plan
from conformance.engine.running.examination import Examination
from conformance.engine.running.preludes import asked_for
from conformance.results import Aspect, Results, RunInfo, TargetInfo, summarise
from conformance.results.events import SuiteFailed
from conformance.specs import load
from conformance.testing.settings import TestedTargets

_OPTION = re.compile(r"(?<![\w-])--(path|python)\b")
"""Options of `conformance run` in a hint, which pytest has under other names."""


class CannotRunError(RuntimeError):
    """A target cannot be run; the message has the reason and what to do."""


class Examiner:
    """Holds a session with each target, and the results of its functions so far.

    `number` is the number of this process among the `count` processes of pytest. Concurrent workers
    of a target need separate folders, and some targets allow only one worker.
    """

    def __init__(self, number: int = 0, count: int = 1) -> None:
        keep_in_cache()
        self._number, self._count = number, count
        self._held = ExitStack()
        self._reached: dict[int, tuple[Subject, Session]] = {}
        self._lost: dict[int, CannotRunError] = {}
        self._results: dict[tuple[int, int, str], Results] = {}
        self._failed: dict[int, SuiteFailed] = {}
        """The error of the suite that results are of, by their identity in memory."""

    def close(self) -> None:
        """End the workers."""
        self._held.close()

    def start(self, target: Target) -> None:
        """Make sure that the target's worker runs.

        Raises:
            CannotRunError: it does not start.
        """
        try:
            _ = self._reach(target)[1].identity
        except WorkerStartError as error:
            raise self._lose(target, str(error), error.hint or subject(target).cure) from None

    def results(
        self, settings: TestedTargets, target: Target, function: str, aspects: Collection[Aspect]
    ) -> Results:
        """The results of a run of this function alone.

        The first call decides which aspects are checked: later calls return the same results.

        Raises:
            CannotRunError: the target does not start.
        """
        key = (id(settings), id(target), function)
        if key not in self._results:
            tested, session = self._reach(target)
            tasks = plan(
                load(),
                target.edition,
                settings.profile,
                settings.seed,
                select=function.__eq__,
                aspects=tuple(aspects),
            )
            try:
                common = _common(settings, function)
                self._results[key], failed = _examined(tested, session, tasks, common)
            except WorkerStartError as error:
                raise self._lose(target, str(error), error.hint or tested.cure) from None
            self._failed |= {id(self._results[key]): failure for failure in failed}
        return self._results[key]

    def traceback(self, results: Results) -> str:
        """That of the error of the suite in these results; empty if there was none."""
        failed = self._failed.get(id(results))
        return "" if failed is None else failed.traceback

    def _reach(self, target: Target) -> tuple[Subject, Session]:
        if id(target) in self._lost:
            raise self._lost[id(target)]
        if id(target) not in self._reached:
            state = environments.status(target)
            if isinstance(state, environments.Missing):
                raise self._lose(target, state.reason, state.hint)
            if target.workers == 1 < self._count:
                raise self._lose(target, "it must not run twice at once", "run pytest without -n")
            tested = subject(target)
            session = tested.open(asked_for(target.edition), self._number)
            self._reached[id(target)] = tested, self._held.enter_context(session)
        return self._reached[id(target)]

    def _lose(self, target: Target, reason: str, cure: str) -> CannotRunError:
        hint = _OPTION.sub(r"--conformance-\1", cure)
        first = reason.partition("\n")[0]
        lost = CannotRunError(f"{target.name} cannot be run: {first}\nhint: {hint}")
        self._lost[id(target)] = lost
        return lost


def _common(settings: TestedTargets, function: str) -> Run:
    return Run(
        suite_version=conformance.__version__,
        profile=settings.profile,
        seed=settings.seed,
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        selection=function,
    )


def _examined(
    tested: Subject, session: Session, tasks: list[Task], common: Run
) -> tuple[Results, list[SuiteFailed]]:
    """The results of these tasks, and the errors of the suite in them."""
    begun, known = time.monotonic(), list[TargetInfo]()
    examination = Examination(tested, session, tasks, common, lambda _: None, Stop())
    examined = list(examination.all(known.append))
    run = RunInfo(
        suite_version=common.suite_version,
        profile=common.profile.name,
        seed=common.seed,
        started=common.started,
        seconds=round(time.monotonic() - begun, 3),
        cases=sum(function.spent.cases for function in examined),
        seconds_in_target=round(sum(function.spent.seconds_in_target for function in examined), 3),
        selection=common.selection,
    )
    functions = [function.result for function in examined]
    results = Results(target=known[0], run=run, summary=summarise(functions), functions=functions)
    return results, [function.error for function in examined if function.error is not None]
