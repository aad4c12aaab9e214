"""How many of the cases that the documents settle were judged: what an aspect may conform on.

A case that is refused, or whose inputs cannot be made, shows nothing. An aspect of which one case
ran and five hundred were refused has not been shown to conform.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Judgement
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.judging.trials import Trial
from conformance.generators.structure import refusable
from conformance.results import Aspect, Verdict

LEAST = 0.5
"""The share of its settled cases that must be judged before an aspect can conform."""


@dataclass(slots=True)
class Shares:
    """The settled cases of one function on one target, by aspect: all, and those judged."""

    settled: Counter[Aspect] = field(default_factory=Counter)
    judged: Counter[Aspect] = field(default_factory=Counter)

    def add(self, trial: Trial, judgement: Judgement) -> None:
        """Count the cases of a trial, and those that the judgement says something of."""
        lacking = Counter(f.aspect for f in judgement.findings if f.verdict is Verdict.UNSUPPORTED)
        for aspect, cases in settled_cases(trial).items():
            self.settled[aspect] += cases
            seen = judgement.cases.get(aspect, 0) - lacking[aspect]
            self.judged[aspect] += max(0, min(cases, seen))

    def leave_out(self, trial: Trial) -> None:
        """Count the cases of a trial that is not run."""
        self.settled.update(settled_cases(trial))

    def enough(self, aspect: Aspect) -> bool:
        """Whether at least `LEAST` of the settled cases were judged, if there are any."""
        return self.judged[aspect] >= LEAST * self.settled[aspect]


def settled_cases(trial: Trial) -> Counter[Aspect]:
    """The cases by aspect that a trial should show, and that rest on no convention.

    A tensor of another dtype than the first documented one may be refused, and is not counted.
    """
    match trial:
        case ScenarioTrial():
            checks = () if trial.unsettled else trial.scenario.checks
            return Counter(check.aspect for check in checks if not check.conventions)
        case CallTrial() | GradientTrial() if trial.unsettled or _refusable(trial):
            return Counter()
        case CallTrial():
            return _of_call(trial)
        case GradientTrial():
            return Counter({Aspect.GRADIENT: trial.batch.draws})
    return Counter()


def _refusable(trial: CallTrial | GradientTrial) -> bool:
    if isinstance(trial, CallTrial):
        return refusable(trial.prepared.structure)
    return refusable(trial.differentiated.structure)


def _of_call(trial: CallTrial) -> Counter[Aspect]:
    if trial.prepared.structure.error is not None:
        return Counter({Aspect.ERROR: 1})
    draws = trial.batch.draws
    found = Counter({Aspect.VALUE: draws, Aspect.DTYPE: 1, Aspect.STATIC_SHAPE: 1})
    if trial.prepared.structure.program.inputs:
        found[Aspect.PURITY] = draws
    return found
