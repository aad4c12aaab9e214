"""Which numbers a structure is filled with: value profiles, spread over the classes of features."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, repeat

from conformance.generators.coverage.classes import classes_of
from conformance.generators.structure import Structure
from conformance.generators.values import suits

Values = tuple[str, ...]
"""The value profiles of the draws of one structure."""
Filled = defaultdict[tuple[str, str], Counter[str]]
"""How often each class of a feature has been filled with each profile."""


def spread(
    structures: Sequence[Structure],
    profiles: Sequence[str],
    count: int,
    begun: Sequence[Values] = (),
) -> list[Values]:
    """`count` of the value profiles for each structure: the first, and the rarest of the others.

    A profile is as rare as the classes of the structure have been filled with it so far. With no
    more profiles than `count`, every structure gets all of them. Each gets those that suit it. The
    first structures keep those of `begun`, which a smaller plan fills them with.
    """
    filled: Filled = defaultdict(Counter)
    return [
        _rarest(structure, [p for p in profiles if suits(p, structure)], count, filled, own)
        for structure, own in zip(structures, chain(begun, repeat(())), strict=False)
    ]


def extended(begun: Values, profiles: Sequence[str], count: int) -> Values:
    """`begun`, and the profiles that are not among them, in order, up to `count` in all."""
    return (*begun, *_left(begun, profiles)[: max(0, count - len(begun))])


def _left(begun: Values, profiles: Sequence[str]) -> list[str]:
    """The profiles without those of `begun`, each as often as it is there."""
    left = [*profiles]
    for profile in begun:
        if profile in left:
            left.remove(profile)
    return left


def _rarest(
    structure: Structure,
    profiles: Sequence[str],
    count: int,
    filled: Filled,
    begun: Values,
) -> Values:
    left = _left(begun, profiles)
    if count >= len(begun) + len(left):
        return (*begun, *left)
    classes = [filled[one] for one in classes_of(structure).items()]
    first = begun or tuple(left[:1])
    others = dict.fromkeys(left if begun else left[1:])

    def had(profile: str) -> tuple[int, int]:
        times = [known.get(profile, 0) for known in classes]
        return -times.count(0), sum(times)

    chosen = (*first, *sorted(others, key=had)[: max(0, count - len(first))])
    for known in classes:
        known.update(chosen)
    return chosen
