"""Run the suite on one mutant, and compare its verdicts with those of the correct backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.engine import Run, Task
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import RUN_ASPECTS
from conformance.engine.running.examination import Examination
from conformance.engine.running.stop import Stop
from conformance.engine.running.suite_errors import SuiteFailureError
from conformance.engine.verdicts.tally import GRAVITY, Tally, verdict
from conformance.mutation.backend import MutatedTarget
from conformance.mutation.records import Kill
from conformance.results import Aspect, FunctionResult, Verdict
from conformance.results.events import CasesDone, Event

CellKey = tuple[str, Aspect]
Verdicts = Mapping[CellKey, Verdict]


@dataclass(slots=True)
class Watch:
    """Looks at the verdicts of a run as they come, and ends it when one is worse than before."""

    base: Verdicts
    aspects: Sequence[Aspect] = ()
    """Only these aspects count; all if empty."""
    stop: Stop = field(default_factory=Stop)
    kill: Kill | None = None
    examination: Examination | None = None

    def handle(self, event: Event) -> None:
        """Look again after cases that failed."""
        if isinstance(event, CasesDone) and event.failed and self.examination is not None:
            for name, tally in self.examination.tallies.items():
                self._look(name, tally)

    def conclude(self, functions: Sequence[FunctionResult]) -> Kill | None:
        """The first cell that is worse in the end, unless one was found on the way."""
        for cell, found in verdicts(functions).items():
            if self.kill is None:
                self._compare(cell, found)
        return self.kill

    def _look(self, name: str, tally: Tally) -> None:
        """Skip `unsupported`: until the end, another case may still be checked."""
        groups = list(tally.groups.values())
        for aspect in {g.finding.aspect for g in groups}:
            found = verdict(tally, aspect, groups)
            if self.kill is None and found is not Verdict.UNSUPPORTED:
                self._compare((name, aspect), found)
        if self.kill is not None:
            self.stop.set()

    def _compare(self, cell: CellKey, found: Verdict) -> None:
        function, aspect = cell
        was = self.base.get(cell)
        if was is None or (self.aspects and aspect not in self.aspects):
            return
        if GRAVITY[found] > GRAVITY[was]:
            kind, gives = self._shown(function, aspect, found)
            self.kill = Kill(
                function=function, aspect=aspect, verdict=found, was=was, kind=kind, gives=gives
            )

    def _shown(self, function: str, aspect: Aspect, found: Verdict) -> tuple[str, str]:
        assert self.examination is not None, "verdicts come of an examination"
        groups = self.examination.tallies[function].groups.values()
        of_it = [g.finding for g in groups if g.finding.aspect is aspect]
        shown = next((f for f in of_it if f.verdict is found), None)
        return (shown.kind, shown.gives) if shown else ("nothing checked", "")


def verdicts(functions: Sequence[FunctionResult]) -> dict[CellKey, Verdict]:
    """The verdict of every cell that was run."""
    cells = ((f.function, a) for f in functions for a in f.aspects)
    return {(name, a.aspect): a.verdict for name, a in cells if a.verdict is not Verdict.NOT_RUN}


def examined(
    backend: MutatedTarget, tasks: Sequence[Task], common: Run, watch: Watch
) -> list[FunctionResult]:
    """The results of these tasks, or of the part before something worse was found.

    Raises:
        SuiteFailureError: the suite itself failed in one of them.
    """
    subject = backend.subject()
    examination = Examination(subject, backend.session, tasks, common, watch.handle, watch.stop)
    watch.examination = examination
    found = list(examination.all(lambda _: None))
    for one in found:
        if one.error is not None:
            raise SuiteFailureError(one.error)
    return [one.result for one in found]


def only(task: Task, aspects: Sequence[Aspect]) -> Task:
    """The task with those of its trials that look at one of the aspects."""
    kept = [trial for trial in task.trials() if _looks_at(trial, frozenset(aspects))]
    return replace(task, aspects=task.aspects & frozenset(aspects), _trials=kept)


def _looks_at(trial: Trial, aspects: frozenset[Aspect]) -> bool:
    if isinstance(trial, ScenarioTrial):
        return any(check.aspect in aspects for check in trial.scenario.checks)
    if isinstance(trial, GradientTrial):
        return Aspect.GRADIENT in aspects
    invalid = isinstance(trial, CallTrial) and trial.prepared.structure.error is not None
    return bool(aspects & ({Aspect.ERROR} if invalid else RUN_ASPECTS))
