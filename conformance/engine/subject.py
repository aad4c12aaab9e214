"""What is examined, and how: the records that a run is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance.adapters.session import Session
from conformance.engine.profiles import Profile
from conformance.program import Prelude


@dataclass(frozen=True, slots=True)
class Subject:
    """A target as the engine sees it: what it claims to be, and how to reach it."""

    name: str
    edition: str
    implementation: str
    open: Callable[[Sequence[str]], Session]
    """Makes a session that also looks up the signatures of these functions."""
    prelude: Prelude = field(default_factory=Prelude)


@dataclass(frozen=True, slots=True)
class Run:
    """What is common to all subjects of a run."""

    suite_version: str
    profile: Profile
    seed: int
    started: str
    """UTC, ISO 8601."""
    selection: str | None = None
