"""What is examined, and how: the records that a run is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.patience import HURRIED, USUAL, Patience
from conformance.adapters.session import Session, WorkerStartError
from conformance.editions import Edition
from conformance.engine.judging.lacking_dtypes import lacking_dtype
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task
from conformance.engine.planning.portions import Shard
from conformance.engine.planning.profiles import Profile
from conformance.observations import (
    Batch,
    DrawObservation,
    NotRun,
    Outcome,
    Raised,
    StructureObservation,
    TimedOut,
)
from conformance.results import Aspect, Failure, Replacement
from conformance.scenarios import Setup
from conformance.scripts import Prelude

TARGET_SECONDS = 6 * 3600.0
"""As long as one target may take: many times what the slowest one takes on a slow machine."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A target as the engine needs it: what it claims to be, and how to reach it."""

    name: str
    edition: Edition
    implementation: str
    open: Callable[[Sequence[str], int], Session]
    """Opens the session with worker N, which looks up the signatures of these functions."""
    prelude: Prelude = field(default_factory=Prelude)
    open_configured: Callable[[Setup], AbstractContextManager[Session]] | None = None
    """Opens a session in a process with a configuration of its own; None if that is impossible."""
    workers: int = 2
    """The most workers that may share the plan of a run."""
    library: str = ""
    """What the estimated costs of functions are found by: see `Estimates.key`."""
    lacks: frozenset[str] = frozenset()
    """Dtypes that it does not have: cases that need one are left out."""
    shortfalls: Mapping[str, str] = field(default_factory=dict)
    """What its environment falls short of, by a text in the exceptions that show it."""
    follows: Sequence[Edition] = ()
    """The later editions whose documents it may follow; it is newer than its own document."""
    replacements: Mapping[str, Replacement] | None = None
    """The calls that replace documented functions, by function, if the target is a successor; None
    if it promises what the documents say."""
    cure: str = ""
    """What to do if its worker does not start."""
    fingerprints: Callable[[Sequence[Task]], Mapping[str, Mapping[str, str]]] = lambda _: {}
    """Digests of everything on which the results of tasks depend, by function and part."""
    perform: Callable[[Any], Any] | None = None
    """Examines an `Assignment` in another process and returns its `Answer`; can be pickled."""

    def lacking(self, trial: Trial) -> str | None:
        """The dtype that a trial needs and the target does not have; None if it has all."""
        return lacking_dtype(trial, self.lacks)

    def run_configured(
        self, trials: Sequence[Trial], patience: Patience = USUAL
    ) -> list[StructureObservation]:
        """Run trials with the same setup in a process that is set up for them.

        Once one has hung, the others are waited for briefly. If the process does not start, its
        import is taken to have raised the exception.
        """
        setup = trials[0].setup
        if self.open_configured is None or setup is None:
            return [
                _same_for_all_draws(NotRun("no process can be set up for it"), t.batch)
                for t in trials
            ]
        try:
            with self.open_configured(setup) as session:
                return [*_in_turn(session, trials, patience)]
        except WorkerStartError as error:
            raised = Raised("ImportError", ("ImportError", "Exception"), str(error), "import")
            return [_same_for_all_draws(raised, trial.batch) for trial in trials]


@dataclass(frozen=True, slots=True)
class Run:
    """What is common to all subjects of a run."""

    suite_version: str
    profile: Profile
    seed: int
    started: str
    """UTC, ISO 8601."""
    selection: str | None = None
    aspects: Sequence[Aspect] = ()
    """The aspects that were chosen; empty for all."""
    shard: Shard | None = None
    max_time: float | None = None
    """Seconds after which the run ends; the functions most likely to fail are run first."""
    target_time: float = TARGET_SECONDS
    """Seconds after which the run of each target ends, from its first worker on."""
    remembered: Mapping[tuple[str, str], Mapping[str, Sequence[Failure]]] = field(
        default_factory=dict
    )
    """Failures of earlier runs whose cases are run first, by target and edition, then function."""
    fingerprints: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    """Those of each target's functions, which its results carry."""
    alone: bool = False
    """Whether there is one subject, so that no other asks for the same expectations."""
    locate: bool = False
    """Whether wrong answers get the lines of the implementation that may be the cause."""
    jobs: int | None = None
    """How many workers run at the same time; None if other machines decide that."""


def _in_turn(
    session: Session, trials: Sequence[Trial], patience: Patience
) -> Iterator[StructureObservation]:
    for trial in trials:
        observed = session.run_batch(trial.batch, patience)
        if any(isinstance(fault, TimedOut) for fault in observed.incidents):
            patience = HURRIED
        yield observed


def _same_for_all_draws(outcome: Outcome, batch: Batch) -> StructureObservation:
    return StructureObservation((), (), (DrawObservation(outcome),) * batch.draws)
