"""Selects from structures with gradients those that together show the most of a function."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.generators.coverage.features import features_of_gradients
from conformance.generators.coverage.windows import Feature
from conformance.generators.structure import Structure

FIRST = ("domain", "beside the last axis")
"""Kinds of features that the first structures show."""
MOST_UNSETTLED = 3
"""At most one in so many structures for gradients rests on conventions, if there are others."""


def select_settled(
    pool: Sequence[Structure], unsettled: Sequence[bool], count: int, begun: Sequence[int] = ()
) -> list[int]:
    """The places of `count` structures for gradients, most of which the documents settle.

    Those of `begun` come first: a smaller plan has them. Of the settled ones, and of the others,
    those that add features come before the earlier ones.
    """
    features = [frozenset(features_of_gradients(s)) for s in pool]
    settled, others = (
        _in_order([i for i, u in enumerate(unsettled) if u is wanted], features, begun)
        for wanted in (False, True)
    )
    share = count - count // MOST_UNSETTLED - sum(not unsettled[i] for i in begun)
    left = max(0, count - len(begun))
    first = min(left, max(0, share, left - len(others)))
    return [*begun, *settled[:first], *others[: max(0, left - len(settled[:first]))]]


def _in_order(
    places: list[int], features: Sequence[frozenset[Feature]], begun: Sequence[int]
) -> list[int]:
    """The places that are not begun with: first those that add domains of an input or numbers that
    cut it off, then those that add features."""
    mine = [i for i in begun if i in places]
    domains = [frozenset(f for f in one if f[0] in FIRST) for one in features]
    first = _covering(domains, places, mine) if len({domains[i] for i in places}) > 1 else []
    added = _covering(features, places, mine)
    kept = [i for i in dict.fromkeys([*first, *added]) if i not in mine]
    return [*kept, *(i for i in places if i not in kept and i not in mine)]


def _covering(
    features: Sequence[frozenset[Feature]], places: Sequence[int], begun: Sequence[int]
) -> list[int]:
    """`begun`, and places, each the one that adds the most features, until none is missing."""
    kept = [*begun]
    missing = set().union(*(features[i] for i in places)).difference(*(features[i] for i in kept))
    while missing:
        best = max(places, key=lambda i: (len(features[i] & missing), -i))
        kept.append(best)
        missing -= features[best]
    return kept
