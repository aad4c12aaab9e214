"""One aspect of a function as a run judged it, which known failures are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.results import Aspect, Failure, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCell:
    """One aspect of one function on one target, as a run judged it."""

    target: str
    function: str
    aspect: Aspect
    verdict: Verdict
    failures: Sequence[Failure] = ()
    edition: str = "keras-2.2"
    versions: Mapping[str, str] = field(default_factory=dict)
    """Version by name of what the target is made of, and of its `python`."""
    cases: int = 0
    """How many cases of the aspect were judged, by these profile and seed."""
    profile: str = ""
    seed: int = 0

    @property
    def key(self) -> tuple[str, str, Aspect]:
        """Which cell it is: its target, function and aspect."""
        return self.target, self.function, self.aspect
