"""Which numbers a structure is filled with: value profiles, spread over the classes of features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from conformance.generators.coverage.classes import classes_of
from conformance.generators.structure import Structure
from conformance.generators.values import suits


def spread(
    structures: Sequence[Structure], profiles: Sequence[str], count: int
) -> list[tuple[str, ...]]:
    """`count` of the value profiles for each structure: the first, and the rarest of the others.

    A profile is as rare as the classes of the structure have been filled with it so far. With no
    more profiles than `count`, every structure gets all of them. Each gets those that suit it.
    """
    filled: Counter[tuple[str, str, str]] = Counter()
    return [
        _rarest(structure, [p for p in profiles if suits(p, structure)], count, filled)
        for structure in structures
    ]


def _rarest(
    structure: Structure,
    profiles: Sequence[str],
    count: int,
    filled: Counter[tuple[str, str, str]],
) -> tuple[str, ...]:
    if count >= len(profiles):
        return tuple(profiles)
    ones = sorted(classes_of(structure).items())
    others = dict.fromkeys(profiles[1:])

    def had(profile: str) -> tuple[int, int]:
        times = [filled[(*one, profile)] for one in ones]
        return -times.count(0), sum(times)

    chosen = [profiles[0], *sorted(others, key=had)[: count - 1]]
    filled.update((*one, profile) for one in ones for profile in chosen)
    return tuple(chosen)
