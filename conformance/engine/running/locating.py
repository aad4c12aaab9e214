"""Give the wrong answers of a function the lines that may be the cause, after its cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from conformance.adapters.patience import ONCE
from conformance.adapters.session import SessionAbortedError
from conformance.engine.planning.plan import Task
from conformance.engine.running.controls import Controls
from conformance.engine.running.endings import why_restarted
from conformance.engine.running.sending import Sending
from conformance.engine.running.stop import Stop
from conformance.engine.running.suite_errors import Stage, during
from conformance.engine.verdicts.places import Locator
from conformance.engine.verdicts.symptoms import Symptom
from conformance.engine.verdicts.tally import Group, Tally
from conformance.observations import Batch, StructureObservation
from conformance.results.events import Event, WorkerRestarted


@dataclass(slots=True)
class Locating:
    """Locates the failures of the functions of one target."""

    controls: Controls
    sending: Sending
    emit: Callable[[Event], None]
    stop: Stop

    def located(
        self,
        task: Task,
        groups: list[Group],
        known: Mapping[str, frozenset[Symptom]],
        tally: Tally,
    ) -> list[Group]:
        """The failures, the gravest of the wrong answers with lines; `known` has the symptoms of
        the trials that were run."""
        run = partial(self._run, tally)
        traces = partial(self.controls.traces, run, task)
        trials = task.trials() if groups else ()
        try:
            return Locator(run, trials, known, traces, self.stop.is_set).located(groups)
        except SessionAbortedError:
            self.stop.set()
            return groups

    def _run(self, tally: Tally, batch: Batch) -> StructureObservation:
        """The answer to one batch, whose cost is the function's."""
        observed = self.sending.run(batch, ONCE)
        tally.inside_besides += observed.seconds.total
        with during(Stage.ANNOUNCING):
            for reason in why_restarted(observed):
                name = self.controls.subject.name
                self.emit(WorkerRestarted(name, tally.spec.name, reason))
        return observed
