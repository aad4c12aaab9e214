"""Controls: right answers of common functions, whose lines are rarely the cause of a failure.

Where a function fails in every case, no passing case of its own tells its lines from those of the
helpers that all functions call. The controls do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task, plan
from conformance.engine.planning.profiles import SURVEY
from conformance.engine.running.subject import Subject
from conformance.engine.verdicts.places import RunBatch, Trace
from conformance.results import Aspect
from conformance.specs import load

FUNCTIONS = frozenset(
    {
        "cast",
        "concatenate",
        "dot",
        "equal",
        "matmul",
        "maximum",
        "mean",
        "one_hot",
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
"""Of every kind one or two: elementwise, of an axis, of shapes, of several tensors."""
ASPECTS = (Aspect.VALUE, Aspect.GRADIENT)


@dataclass(slots=True)
class Controls:
    """The controls of one target; they run once, when the first failure needs them."""

    subject: Subject
    seed: int
    _traces: list[tuple[str, Trace]] | None = field(default=None)

    def traces(self, run: RunBatch, function: str) -> list[Trace]:
        """The traces of right answers of other functions than this one."""
        if self._traces is None:
            self._traces = [*self._run(run)]
        return [trace for name, trace in self._traces if name != function]

    def _run(self, run: RunBatch) -> Iterator[tuple[str, Trace]]:
        for task in self._tasks():
            for trial in _first_of_each_kind(task.trials()):
                if self.subject.lacking(trial):
                    continue
                observed = run(replace(trial.batch, trace=True))
                if observed.incidents:
                    return
                if not trial.judge(observed).findings:
                    yield task.spec.name, observed.trace

    def _tasks(self) -> Sequence[Task]:
        return plan(
            load(),
            self.subject.edition,
            SURVEY,
            self.seed,
            select=lambda name: name.rpartition(".")[2] in FUNCTIONS,
            aspects=ASPECTS,
        )


def _first_of_each_kind(trials: Sequence[Trial]) -> list[Trial]:
    """The first call, the first gradient and the first scenario that need no own process."""
    first: dict[type, Trial] = {}
    for trial in trials:
        if trial.setup is None:
            first.setdefault(type(trial), trial)
    return list(first.values())
