"""A mutation score: every mutant through the default profile, with its outcome."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from conformance.adapters.target_records import Target
from conformance.engine import Profile, Run, Task, plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import RUN_ASPECTS, documented_names
from conformance.engine.running.examination import Examination
from conformance.engine.running.stop import Stop
from conformance.engine.running.suite_errors import SuiteFailureError
from conformance.engine.verdicts.tally import GRAVITY, Tally, verdict
from conformance.mutation.backend import MutatedTarget
from conformance.mutation.model import Mutant
from conformance.mutation.records import JudgedMutant, Kill, MutantOutcome
from conformance.results import Aspect, FunctionResult, Verdict
from conformance.results.events import CasesDone, Event
from conformance.specs import Specs
from conformance.specs.load import documented_name

CellKey = tuple[str, Aspect]
Verdicts = Mapping[CellKey, Verdict]


@dataclass(slots=True)
class Watch:
    """Looks at the verdicts of a run as they arrive, and ends it when one is worse than before."""

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
        for cell, seen in verdicts(functions).items():
            if self.kill is None:
                self._compare(cell, seen)
        return self.kill

    def _look(self, name: str, tally: Tally) -> None:
        """Skip `unsupported`: until the end, another case may still be checked."""
        groups = list(tally.groups.values())
        for aspect in {g.finding.aspect for g in groups}:
            seen = verdict(tally, aspect, groups)
            if self.kill is None and seen is not Verdict.UNSUPPORTED:
                self._compare((name, aspect), seen)
        if self.kill is not None:
            self.stop.set()

    def _compare(self, cell: CellKey, seen: Verdict) -> None:
        function, aspect = cell
        was = self.base.get(cell)
        if was is None or (self.aspects and aspect not in self.aspects):
            return
        if GRAVITY[seen] > GRAVITY[was]:
            kind, gives = self._shown(function, aspect, seen)
            self.kill = Kill(
                function=function, aspect=aspect, verdict=seen, was=was, kind=kind, gives=gives
            )

    def _shown(self, function: str, aspect: Aspect, seen: Verdict) -> tuple[str, str]:
        assert self.examination is not None, "verdicts need an examination"
        groups = self.examination.tallies[function].groups.values()
        of_it = [g.finding for g in groups if g.finding.aspect is aspect]
        shown = next((f for f in of_it if f.verdict is seen), None)
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
    outcomes = list(examination.all(lambda _: None))
    for outcome in outcomes:
        if outcome.error is not None:
            raise SuiteFailureError(outcome.error)
    return [outcome.result for outcome in outcomes]


def only(task: Task, aspects: Sequence[Aspect]) -> Task:
    """The task with those of its trials that look at one of the aspects."""
    trials = [trial for trial in task.trials() if _looks_at(trial, frozenset(aspects))]
    return replace(task, aspects=task.aspects & frozenset(aspects), _trials=trials)


def _looks_at(trial: Trial, aspects: frozenset[Aspect]) -> bool:
    if isinstance(trial, ScenarioTrial):
        return any(check.aspect in aspects for check in trial.scenario.checks)
    if isinstance(trial, GradientTrial):
        return Aspect.GRADIENT in aspects
    invalid = isinstance(trial, CallTrial) and trial.prepared.structure.error is not None
    return bool(aspects & ({Aspect.ERROR} if invalid else RUN_ASPECTS))


Report = Callable[[JudgedMutant], None]
SHOWING = (Aspect.VALUE, Aspect.STATE, Aspect.DISTRIBUTION, Aspect.CONFIGURATION)
"""The aspects that show errors of operators that are about none in particular."""


def unminimised(profile: Profile) -> Profile:
    """The profile without minimising."""
    return replace(profile, shrink=0, shrink_other=0)


def showing(mutant: Mutant, judged: Collection[Aspect]) -> tuple[Aspect, ...]:
    """The aspects, of those that are judged of its function, that would show the error."""
    if mutant.operator.aspects:
        return mutant.operator.aspects
    if mutant.options.get("parameter") == "seed":
        return (Aspect.SEED,)
    # results of `gradients` are judged as gradients: the function has no aspect value
    return tuple(a for a in SHOWING if a in judged) or (Aspect.GRADIENT,)


@dataclass(slots=True)
class Scoring:
    """The common settings of all workers: the plan, the verdicts without an error, and the
    reasons."""

    target: Target
    specs: Specs
    common: Run
    reasons: Mapping[str, str]
    """Why mutants are equivalent, by name."""
    report: Report
    callers_too: bool = True
    """Whether what survives is looked for with the other functions that call it."""
    stop: threading.Event = field(default_factory=threading.Event)
    tasks: dict[str, Task] = field(init=False)

    def __post_init__(self) -> None:
        tasks = plan(self.specs, self.target.edition, self.common.profile, self.common.seed)
        self.tasks = {task.spec.name: task for task in tasks}

    def run(self, mutants: Sequence[Mutant], jobs: int) -> None:
        """Judge the mutants, those of one function after each other, by `jobs` workers."""
        groups: dict[str, list[Mutant]] = {}
        for mutant in mutants:
            groups.setdefault(mutant.function, []).append(mutant)
        waiting = list(groups.values())
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self._work, waiting[n::jobs]) for n in range(jobs)]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self.stop.set()
                raise

    def _work(self, groups: Iterable[Sequence[Mutant]]) -> None:
        worker = ScoringWorker(self)
        try:
            for group in groups:
                worker.function(group)
        finally:
            worker.backend.close()

    def callers(self, function: str) -> list[Task]:
        """The other functions whose programs call this one."""
        name = documented_name(self.specs[function], self.target.edition)
        others = [task for task in self.tasks.values() if task.spec.name != function]
        return [
            task
            for task in others
            if any(name in trial.batch.program.functions() for trial in task.trials())
        ]


class ScoringWorker:
    """One worker, and the functions that it judges the mutants of."""

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        edition = scoring.target.edition
        self.backend = MutatedTarget(scoring.target, documented_names(edition))
        self._base: dict[str, Verdicts] = {}

    def function(self, mutants: Sequence[Mutant]) -> None:
        """Judge the mutants of one function; again, each in a worker of its own, if one spoilt it.

        Whether the worker was spoilt is seen in the verdicts without an error, before and after.
        """
        task = self.scoring.tasks[mutants[0].function]
        before = self._without_error(task)
        judged = [self._mutant(m, task) for m in mutants if not self.scoring.stop.is_set()]
        if self.scoring.stop.is_set():
            return
        if self._without_error(task, again=True) != before:
            self.backend.restart()
            judged = [self._alone(m, task) for m in mutants]
        for mutant in judged:
            self.scoring.report(mutant)

    def _alone(self, mutant: Mutant, task: Task) -> JudgedMutant:
        self.backend.restart()
        try:
            return self._mutant(mutant, task)
        finally:
            self.backend.restart()

    def _mutant(self, mutant: Mutant, task: Task) -> JudgedMutant:
        target = self.scoring.target
        name = documented_name(task.spec, target.edition)
        problem = self.backend.set_mutant(mutant.text(target.names.get(name, name)))
        if problem:
            return _judged(mutant, "not made", reason=problem)
        kill = self._killed(mutant, [task])
        if kill is None and self.scoring.callers_too and mutant.name not in self.scoring.reasons:
            kill = self._killed_by_callers(mutant)
        if kill is not None:
            return _judged(mutant, "killed", shown=kill)
        if mutant.name in self.scoring.reasons:
            return _judged(mutant, "equivalent", reason=self.scoring.reasons[mutant.name])
        if hiding := self._hiding(mutant):
            return _judged(mutant, "masked", reason=hiding)
        return _judged(mutant, "survived")

    def _hiding(self, mutant: Mutant) -> str:
        """The cells that would show the error, and in which the target fails without it."""
        base = self._base[mutant.function]
        worse = {a: v for (f, a), v in base.items() if f == mutant.function}
        hidden = [(a, worse.get(a, Verdict.CONFORMS)) for a in showing(mutant, worse)]
        return ", ".join(f"{a}: {v} without it" for a, v in hidden if v is not Verdict.CONFORMS)

    def _killed_by_callers(self, mutant: Mutant) -> Kill | None:
        for task in self.scoring.callers(mutant.function):
            if self.scoring.stop.is_set():
                return None
            if task.spec.name not in self._base:
                order = self.backend.text
                self._without_error(task)
                self.backend.set_mutant(order)
            if (kill := self._killed(mutant, [task])) is not None:
                return kill
        return None

    def _killed(self, mutant: Mutant, tasks: Sequence[Task]) -> Kill | None:
        aspects = mutant.operator.aspects
        base = {cell: v for t in tasks for cell, v in self._base[t.spec.name].items()}
        chosen = [only(task, aspects) for task in tasks] if aspects else list(tasks)
        watch = Watch(base, aspects)
        return watch.conclude(examined(self.backend, chosen, self.scoring.common, watch))

    def _without_error(self, task: Task, *, again: bool = False) -> Verdicts:
        """The verdicts on the backend without a mutant."""
        name = task.spec.name
        if again or name not in self._base:
            self.backend.set_mutant("")
            watch = Watch({})
            cells = verdicts(examined(self.backend, [task], self.scoring.common, watch))
            if again:
                return cells
            self._base[name] = cells
        return self._base[name]


def _judged(
    mutant: Mutant, outcome: MutantOutcome, *, shown: Kill | None = None, reason: str = ""
) -> JudgedMutant:
    return JudgedMutant(
        name=mutant.name,
        function=mutant.function,
        theme=mutant.theme,
        operator=mutant.operator.name,
        outcome=outcome,
        shown=shown,
        reason=reason,
    )
