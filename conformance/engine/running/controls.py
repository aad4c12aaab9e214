"""Controls: right answers of other functions, whose lines are rarely the cause of a failure.

Where a function fails in every case, no passing case of its own tells its lines from those of the
helpers that many functions call. The controls do: some common functions, and some of the theme of
the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task, evenly, plan
from conformance.engine.planning.profiles import SURVEY
from conformance.engine.running.subject import Subject
from conformance.engine.verdicts.places import MOST_SECONDS, RunBatch, Trace
from conformance.observations import StructureObservation
from conformance.results import Aspect
from conformance.specs import load

COMMON = frozenset(
    {
        "abs",
        "argmax",
        "cast",
        "concatenate",
        "conv",
        "conv2d",
        "dot",
        "equal",
        "matmul",
        "max_pool",
        "maximum",
        "mean",
        "one_hot",
        "pool2d",
        "relu",
        "reshape",
        "softmax",
        "square",
        "stack",
        "sum",
        "transpose",
        "where",
    }
)
"""The last parts of the names of common functions: of every kind one or two."""
MOST_OF_THEME = 16
"""How many functions of one theme are controls."""
CALLS = 2
"""How many calls of each function run."""
ASPECTS = (Aspect.VALUE, Aspect.GRADIENT)


@dataclass(slots=True)
class Controls:
    """The controls of one target; each runs once, when the first failure needs it."""

    subject: Subject
    seed: int
    _tasks: dict[str, Task] | None = None
    """All functions of the edition, by name."""
    _traces: dict[str, list[Trace]] = field(default_factory=dict)
    """The traces of the right answers of each function that ran."""
    _seconds: float = 0.0
    """How long the controls took inside the implementation."""
    _lost: bool = False

    def traces(self, run: RunBatch, task: Task) -> list[Trace]:
        """The traces of right answers of other functions than that of the task."""
        names = [name for name in self._names(task) if name != task.spec.name]
        return [trace for name in names for trace in self._of(name, run)]

    def _names(self, task: Task) -> list[str]:
        tasks = self._planned()
        common = [name for name in tasks if name.rpartition(".")[2] in COMMON]
        of_theme = [name for name, other in tasks.items() if other.theme == task.theme]
        return [*dict.fromkeys([*common, *evenly(of_theme, MOST_OF_THEME)])]

    def _planned(self) -> dict[str, Task]:
        if self._tasks is None:
            tasks = plan(load(), self.subject.edition, SURVEY, self.seed, aspects=ASPECTS)
            self._tasks = {task.spec.name: task for task in tasks}
        return self._tasks

    def _of(self, name: str, run: RunBatch) -> list[Trace]:
        if name not in self._traces:
            task = self._planned()[name]
            self._traces[name] = [*self._run(task, run)]
            task.release()
        return self._traces[name]

    def _run(self, task: Task, run: RunBatch) -> Iterator[Trace]:
        able = [t for t in task.trials() if t.setup is None and not self.subject.lacking(t)]
        calls = [trial for trial in able if _is_call(trial)][:CALLS]
        others = [trial for trial in able if not isinstance(trial, CallTrial)][:1]
        for trial in (*calls, *others):
            if self._lost or self._seconds > MOST_SECONDS:
                return
            observed = run(replace(trial.batch, trace=True))
            self._seconds += observed.seconds.total
            self._lost = bool(observed.incidents)
            if _is_right(trial, observed):
                yield observed.trace


def _is_right(trial: Trial, observed: StructureObservation) -> bool:
    """Whether the oracle knows the answer and nothing is wrong with that of the target."""
    try:
        return not trial.judge(observed).findings
    except (ValueError, IndexError):
        return False


def _is_call(trial: Trial) -> bool:
    """Whether it is a call with an answer."""
    return isinstance(trial, CallTrial) and trial.prepared.structure.error is None
