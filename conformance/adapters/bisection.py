"""The state of a batch that ended its worker, while `Session` looks for the draws to blame."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.adapters.answers import without_values
from conformance.adapters.patience import HANG
from conformance.observations import DrawObservation, Fault, NotRun, StructureObservation, TimedOut


@dataclass(slots=True)
class Bisection:
    """The state of bisecting a failed batch: draws with an outcome, and ranges still to run."""

    pending: list[tuple[int, int]]
    parts: list[StructureObservation] = field(default_factory=list)
    draws: dict[int, DrawObservation] = field(default_factory=dict)
    incidents: list[Fault] = field(default_factory=list)

    @property
    def spent(self) -> int:
        """How often the batch has failed; what hangs counts more."""
        return sum(HANG if isinstance(i, TimedOut) else 1 for i in self.incidents)

    @property
    def blamed(self) -> int:
        """How many draws are to blame, as far as is known."""
        return sum(isinstance(draw.outcome, Fault) for draw in self.draws.values())

    def skip_rest(self, reason: str) -> None:
        """Leave out the draws that are still to run."""
        left = (draw for start, stop in self.pending for draw in range(start, stop))
        self.draws.update(dict.fromkeys(left, without_values(NotRun(reason))))
        self.pending.clear()


def halves(start: int, stop: int) -> list[tuple[int, int]]:
    """The two halves, the later first; a single draw as it is."""
    middle = (start + stop) // 2
    return [(a, b) for a, b in ((middle, stop), (start, middle)) if a < b]
