"""The tensors that a program under construction has made so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.fuzz.bounds import domains
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.types import Typed


@dataclass(frozen=True, slots=True, eq=False)
class Offered:
    """A tensor that later calls may take: its type, its numbers in each draw, and how many calls it
    is away from the inputs."""

    name: str
    type: Typed
    draws: Sequence[Known]
    depth: int

    def within(self, domain: str) -> bool:
        """Whether all that it may hold belongs to the domain of a parameter."""
        return all(domains.within(known, domain) for known in self.draws)

    def below(self, bound: int) -> bool:
        """Whether its elements are known integers from 0 to less than `bound`."""
        return all(
            k.exact
            and k.value.dtype.kind in "iu"
            and bool(((k.value >= 0) & (k.value < bound)).all())
            for k in self.draws
        )

    def sums_to_one(self, axis: int) -> bool:
        """Whether its elements are probabilities that sum to one along an axis."""
        return all(domains.sums_to_one(known, axis) for known in self.draws)
