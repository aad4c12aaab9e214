"""What is tried again before a failure is put down to a dtype, a binding or a convention."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from conformance.engine.judging.findings import Judgement
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task
from conformance.results import FindingKind

MOST_TWINS = 24
"""How many twins with documented dtypes the suite runs of one function, the simplest first."""


@dataclass(slots=True)
class Twins:
    """The trials of each function that were refused, or whose inputs could not be made."""

    refused: dict[str, list[Trial]] = field(default_factory=dict)
    """Trials with an exception that is put down to a dtype, a binding or a convention."""
    put_off: dict[str, dict[str, tuple[Trial, Judgement]]] = field(default_factory=dict)
    """Trials whose inputs the target could not make so far, by key, with their results."""

    stages: dict[str, dict[str, int]] = field(default_factory=dict)
    """The smallest stage of the plan of which each trial was run, by function and key."""

    def was_run(self, task: Task, twin: Trial) -> bool:
        """Whether a trial like the twin was run: one that every profile has that runs the twin."""
        stage = self.stages.get(task.spec.name, {}).get(twin.key)
        return stage is not None and stage <= task.stage(twin)

    def keeps(self, task: Task, trial: Trial, judgement: Judgement, *, twin: bool) -> bool:
        """Whether what a trial shows counts now; if not, its inputs may yet be made otherwise."""
        name, stage = task.spec.name, task.stage(trial)
        stages = self.stages.setdefault(name, {})
        stages[trial.key] = min(stage, stages.get(trial.key, stage))
        if twin:
            return not unmade(judgement)
        later = unmade(judgement) and any(True for _ in task.rebound_twins(trial))
        if later:
            self.put_off.setdefault(name, {})[trial.key] = (trial, judgement)
        if not later and any(f.is_refusal for f in judgement.findings):
            self.refused.setdefault(name, []).append(trial)
        return not later

    def try_again(self, task: Task, run: Callable[[Trial], bool]) -> None:
        """Run the twins of a function: inputs made otherwise first, then the documented dtypes.

        What fails then is no fault of the binding or the dtype: the twin's own finding has fewer
        conventions, and stands for both. `run` says whether the inputs of a twin could be made.
        The twins of a smaller profile's trials are the first, so that no limit leaves them out.
        """
        refused = self.refused.pop(task.spec.name, [])
        tried: set[str] = set()
        for stage in range(len(task.profile.chain)):
            self._make_otherwise(task, stage, run)
            waiting = (trial for trial, _ in self.put_off.get(task.spec.name, {}).values())
            mine = [trial for trial in (*refused, *waiting) if task.stage(trial) == stage]
            simplest = sorted(mine, key=lambda trial: trial.size)
            twins = {t.key: t for t in map(task.first_dtype_twin, simplest) if t is not None}
            for key in [k for k in twins if k not in tried][: MOST_TWINS - len(tried)]:
                tried.add(key)
                run(twins[key])

    def _make_otherwise(self, task: Task, stage: int, run: Callable[[Trial], bool]) -> None:
        """Run the trials of a stage with inputs made otherwise; forget those where that helps."""
        waiting = self.put_off.get(task.spec.name, {})
        for trial, _ in list(waiting.values()):
            twins = task.rebound_twins(trial) if task.stage(trial) == stage else ()
            if any(run(twin) for twin in twins):
                del waiting[trial.key]

    def left(self, task: Task) -> Iterator[tuple[Trial, Judgement]]:
        """The trials whose inputs the target cannot make in any way, with their results."""
        yield from self.put_off.pop(task.spec.name, {}).values()


def unmade(judgement: Judgement) -> bool:
    """Whether inputs of the trial could not be made, in any draw."""
    return any(f.kind == FindingKind.UNMADE_INPUT for f in judgement.findings)
