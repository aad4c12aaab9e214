"""What is examined, and how: the records that a run is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.session import Session, WorkerStartError
from conformance.editions import Edition
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.portions import Shard
from conformance.engine.planning.profiles import Profile
from conformance.observations import (
    Batch,
    DrawObservation,
    NotRun,
    Outcome,
    Raised,
    StructureObservation,
)
from conformance.program import Prelude
from conformance.results import Failure
from conformance.scenarios import Setup


@dataclass(frozen=True, slots=True)
class Subject:
    """A target as the engine sees it: what it claims to be, and how to reach it."""

    name: str
    edition: Edition
    implementation: str
    open: Callable[[Sequence[str], int], Session]
    """Makes the session with worker N that also looks up the signatures of these functions."""
    prelude: Prelude = field(default_factory=Prelude)
    open_configured: Callable[[Setup], AbstractContextManager[Session]] | None = None
    """Makes a session in a process with a configuration of its own, where that can be done."""
    workers: int = 2
    """How many workers share the plan of a run; what is found depends on it."""
    library: str = ""
    """What computes: what functions are expected to cost depends on it."""
    cure: str = ""
    """What to do if its worker does not start."""
    perform: Callable[[Any], Any] | None = None
    """Examines an `Assignment` in another process and gives its `Answer`; can be pickled."""

    def run_apart(self, trials: Sequence[Trial]) -> list[StructureObservation]:
        """What comes of trials with one setup in a process that is set up for them.

        A process that does not start has raised at its import.
        """
        setup = trials[0].setup
        if self.open_configured is None or setup is None:
            return [_alike(NotRun("no process can be set up for it"), t.batch) for t in trials]
        try:
            with self.open_configured(setup) as session:
                return [session.run_batch(trial.batch) for trial in trials]
        except WorkerStartError as error:
            raised = Raised("ImportError", ("ImportError", "Exception"), str(error), "import")
            return [_alike(raised, trial.batch) for trial in trials]


@dataclass(frozen=True, slots=True)
class Run:
    """What is common to all subjects of a run."""

    suite_version: str
    profile: Profile
    seed: int
    started: str
    """UTC, ISO 8601."""
    selection: str | None = None
    shard: Shard | None = None
    max_time: float | None = None
    """Seconds after which the run ends; what matters most is run first."""
    remembered: Mapping[tuple[str, str], Mapping[str, Sequence[Failure]]] = field(
        default_factory=dict
    )
    """Failures of earlier runs whose cases are tried first: by target and edition, and function."""


def _alike(outcome: Outcome, batch: Batch) -> StructureObservation:
    return StructureObservation((), (), (DrawObservation(outcome),) * batch.draws)
