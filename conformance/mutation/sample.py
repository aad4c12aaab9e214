"""A sample of the mutants, the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.mutation.model import Mutant


def sampled(mutants: Sequence[Mutant], most: int | None) -> list[Mutant]:
    """At most so many of each operator, evenly spread over its mutants; all if None."""
    groups: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault(mutant.operator.name, []).append(mutant)
    kept = {m.name for group in groups.values() for m in _spread(group, most)}
    return [m for m in mutants if m.name in kept]


def _spread(group: Sequence[Mutant], most: int | None) -> list[Mutant]:
    if most is None or len(group) <= most:
        return list(group)
    return [group[place * len(group) // most] for place in range(most)]
