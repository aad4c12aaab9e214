"""A mutation score: every mutant through the default profile, and what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from conformance.adapters.registry import Target
from conformance.engine import Profile, Run, Task, plan
from conformance.engine.planning.plan import documented_names
from conformance.mutation.backend import MutatedTarget
from conformance.mutation.examine import Verdicts, Watch, examined, only, verdicts
from conformance.mutation.model import Mutant
from conformance.mutation.records import JudgedMutant, Kill, MutantOutcome
from conformance.results import Aspect, Verdict
from conformance.specs import Specs
from conformance.specs.load import documented_name

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
    if mutant.given.get("parameter") == "seed":
        return (Aspect.SEED,)
    # all that `gradients` returns is judged as a gradient, so that it has no aspect value
    return tuple(a for a in SHOWING if a in judged) or (Aspect.GRADIENT,)


@dataclass(slots=True)
class Scoring:
    """What all workers share: the plan, the verdicts without an error, and the reasons."""

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
        made = plan(self.specs, self.target.edition, self.common.profile, self.common.seed)
        self.tasks = {task.spec.name: task for task in made}

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
        judged = [self._one(m, task) for m in mutants if not self.scoring.stop.is_set()]
        if self.scoring.stop.is_set():
            return
        if self._without_error(task, again=True) != before:
            self.backend.restart()
            judged = [self._alone(m, task) for m in mutants]
        for one in judged:
            self.scoring.report(one)

    def _alone(self, mutant: Mutant, task: Task) -> JudgedMutant:
        self.backend.restart()
        try:
            return self._one(mutant, task)
        finally:
            self.backend.restart()

    def _one(self, mutant: Mutant, task: Task) -> JudgedMutant:
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
        found = {a: v for (f, a), v in base.items() if f == mutant.function}
        hidden = [(a, found.get(a, Verdict.CONFORMS)) for a in showing(mutant, found)]
        return ", ".join(f"{a}: {v} without it" for a, v in hidden if v is not Verdict.CONFORMS)

    def _killed_by_callers(self, mutant: Mutant) -> Kill | None:
        for task in self.scoring.callers(mutant.function):
            if self.scoring.stop.is_set():
                return None
            if task.spec.name not in self._base:
                told = self.backend.text
                self._without_error(task)
                self.backend.set_mutant(told)
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
        """The verdicts on the backend as it is."""
        name = task.spec.name
        if again or name not in self._base:
            self.backend.set_mutant("")
            watch = Watch({})
            found = verdicts(examined(self.backend, [task], self.scoring.common, watch))
            if again:
                return found
            self._base[name] = found
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
