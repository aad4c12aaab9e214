"""Selects from structures with gradients those that together show the most of a function."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.generators.coverage.features import features_of_gradients
from conformance.generators.coverage.windows import Feature
from conformance.generators.structure import Structure

MOST_UNSETTLED = 3
"""At most one in so many structures for gradients rests on conventions, if there are others."""


def select_settled(pool: Sequence[Structure], unsettled: Sequence[bool], count: int) -> list[int]:
    """The places of `count` structures for gradients, most of which the documents settle.

    Of these, and of the others, those that add features come first, and then the earlier ones.
    """
    features = [frozenset(features_of_gradients(s)) for s in pool]
    settled, others = (
        _in_order([i for i, u in enumerate(unsettled) if u is wanted], features)
        for wanted in (False, True)
    )
    first = max(count - count // MOST_UNSETTLED, count - len(others))
    return [*settled[:first], *others[: count - len(settled[:first])]]


def _in_order(places: list[int], features: Sequence[frozenset[Feature]]) -> list[int]:
    """The places, first one for each domain of an input, then those that add features."""
    domains = [frozenset(f for f in features[i] if f[0] == "domain") for i in places]
    first = _covering(domains, len(places)) if len(set(domains)) > 1 else []
    added = _covering([features[i] for i in places], len(places))
    kept = [places[i] for i in dict.fromkeys([*first, *added])]
    return [*kept, *(i for i in places if i not in kept)]


def _covering(
    features: Sequence[frozenset[Feature]], count: int, first: Sequence[int] = ()
) -> list[int]:
    """`first`, and places, each the one that adds the most features, until none is missing."""
    kept = list(first)
    missing = set().union(*features).difference(*(features[i] for i in kept))
    while missing and len(kept) < count:
        best = max(range(len(features)), key=lambda i: (len(features[i] & missing), -i))
        if not features[best] & missing:
            break
        kept.append(best)
        missing -= features[best]
    return kept
