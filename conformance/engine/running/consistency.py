"""Calls that may be refused because they do not fit a reading: only on a target that takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from conformance.engine.judging.answers import only_value
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Judgement
from conformance.engine.judging.in_time import judged_in_time
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task
from conformance.observations import Returned, StructureObservation
from conformance.results import Verdict
from conformance.specs.conventions import load_conventions, of_misfit, taken


@dataclass(slots=True)
class Consistency:
    """Judges the calls of one target by the readings that it takes.

    A call that does not fit a reading may raise, or give another shape, if the target takes that
    reading. Whether it does is shown by a call of the same function that fits.
    """

    run: Callable[[Task, Trial], StructureObservation]
    _takes: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By function and reading."""

    def judged(self, task: Task, trial: Trial, observed: StructureObservation) -> Judgement:
        """What the trial finds, where nothing is allowed for the sake of a reading that the target
        does not take."""
        found = judged_in_time(trial, observed)
        named = misfits(found)
        others = {n.partition(": ")[0] for n in named if not self._may_take(task, n)}
        if not others or not isinstance(trial, CallTrial):
            return found
        return judged_in_time(trial.closing(frozenset(others)), observed)

    def _may_take(self, task: Task, misfit: str) -> bool:
        key = task.spec.name, misfit
        if key not in self._takes:
            twin = task.fitting_twin(misfit)
            self._takes[key] = twin is None or self._shows(task, twin, misfit)
        return self._takes[key]

    def _shows(self, task: Task, twin: Trial, misfit: str) -> bool:
        """False if a call that fits is answered by the suite's own reading, or wrongly."""
        found = judged_in_time(twin, self.run(task, twin))
        convention = misfit.partition(": ")[0]
        own = taken(convention, load_conventions()[convention].choice)
        wrong = any(finding.verdict is Verdict.VIOLATES for finding in found.findings)
        return not wrong and own not in {reading for _, reading in found.readings}


def waits(trial: Trial, observed: StructureObservation) -> bool:
    """Whether it takes another call to judge this one: it may have failed because it does not fit a
    reading."""
    if not isinstance(trial, CallTrial):
        return False
    known = load_conventions()
    if not any(known[name].of_misfits for name in trial.unsettled):
        return False
    answered = all(isinstance(draw.outcome, Returned) for draw in observed.draws)
    shapes = {_shape(draw.outcome) for draw in observed.draws if isinstance(draw.outcome, Returned)}
    return not answered or shapes != {trial.prepared.shape}


def _shape(returned: Returned) -> tuple[int, ...] | None:
    value = only_value(returned)
    return None if value is None or value.array is None else value.array.shape


def misfits(found: Judgement) -> set[str]:
    """The readings to which failures are put down, and which only calls may take that do not fit
    another."""
    return {name for finding in found.findings for name in finding.readings if of_misfit(name)}
