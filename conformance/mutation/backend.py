"""A target whose worker can be given one mutant after another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec

from conformance.adapters.access import launch
from conformance.adapters.configured import Configurable
from conformance.adapters.process import Launch
from conformance.adapters.registry import literal
from conformance.adapters.session import CallLimits, Session
from conformance.adapters.target_records import Target
from conformance.engine import Subject
from conformance.observations import Batch, Returned
from conformance.program import Program, Step
from conformance.scenarios import Setup

MODULE = "conformance_mutant.backend"
FOLDER = Path(__file__).parent / "worker"
MUTATED, MUTANT = "CONFORMANCE_MUTATED", "CONFORMANCE_MUTANT"
LIMITS = CallLimits(structure=20.0, draw=1.0)
"""Shorter than a run's: an error may well make a worker hang."""


class MutatedTarget:
    """A warm session with a target, and the mutant that its functions have.

    A worker that is started again has the same mutant, as have those of other configurations.
    """

    def __init__(self, target: Target, functions: Sequence[str]) -> None:
        """`functions` are the documented names that are looked up when the worker starts."""
        self._target, self._functions = target, functions
        self._launch = self._started("")
        self.text = ""
        """The mutant, as the worker receives it; empty for none."""
        self.session = self._open()

    def set_mutant(self, text: str) -> str:
        """Give the worker this mutant (none if empty); why it cannot be made, else empty."""
        self.text = text
        self._launch.environment[MUTANT] = text  # type: ignore[index]
        step = Step("made", "conformance_mutate", (text,))
        observed = self.session.run_batch(Batch(Program((), (step,), ("made",)), {}, 1))
        outcome = observed.draws[0].outcome
        if not isinstance(outcome, Returned):
            return str(outcome)
        return outcome.value("made").text or ""

    def restart(self) -> None:
        """Start another worker with the same mutant."""
        self.session.close()
        self.session = self._open()

    def close(self) -> None:
        """Stop the worker."""
        self.session.close()

    def subject(self) -> Subject:
        """The engine's subject; its functions have the current mutant."""
        target = self._target
        return Subject(
            target.name,
            target.edition,
            target.implementation,
            lambda functions, _: self.session,  # noqa: ARG005
            open_configured=self._configured,
        )

    @contextmanager
    def _configured(self, setup: Setup) -> Iterator[Session]:
        configurable = Configurable(_mutated(self._target, self.text))
        with configurable.open(setup.configuration, setup.environment) as session:
            yield session

    def _open(self) -> Session:
        return Session(self._launch, functions=self._functions, limits=LIMITS)

    def _started(self, text: str) -> Launch:
        session = launch(_mutated(self._target, text))
        return replace(session, environment=dict(session.environment))


def _mutated(target: Target, text: str) -> Target:
    """The target with the mutant's module in place of its own."""
    paths = [literal(str(FOLDER)), target.environment.get("PYTHONPATH", "")]
    more = {
        MUTATED: target.module,
        MUTANT: literal(text),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return msgspec.structs.replace(
        target, module=MODULE, environment={**target.environment, **more}
    )
