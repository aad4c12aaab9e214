"""Which numbers a structure is filled with: value profiles, spread over the classes of features."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from conformance.generators.coverage.classes import classes_of
from conformance.generators.structure import Structure
from conformance.generators.values import suits

Filled = defaultdict[tuple[str, str], Counter[str]]
"""How often each class of a feature has been filled with each profile."""


def spread(
    structures: Sequence[Structure], profiles: Sequence[str], count: int
) -> list[tuple[str, ...]]:
    """`count` of the value profiles for each structure: the first, and the rarest of the others.

    A profile is as rare as the classes of the structure have been filled with it so far. With no
    more profiles than `count`, every structure gets all of them. Each gets those that suit it.
    """
    filled: Filled = defaultdict(Counter)
    return [
        _rarest(structure, [p for p in profiles if suits(p, structure)], count, filled)
        for structure in structures
    ]


def _rarest(
    structure: Structure,
    profiles: Sequence[str],
    count: int,
    filled: Filled,
) -> tuple[str, ...]:
    if count >= len(profiles):
        return tuple(profiles)
    classes = [filled[one] for one in classes_of(structure).items()]
    others = dict.fromkeys(profiles[1:])

    def had(profile: str) -> tuple[int, int]:
        times = [known.get(profile, 0) for known in classes]
        return -times.count(0), sum(times)

    chosen = [profiles[0], *sorted(others, key=had)[: count - 1]]
    for known in classes:
        known.update(chosen)
    return tuple(chosen)
