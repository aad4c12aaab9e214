"""Selects from many structures those that together show the most of a function."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.generators.coverage.features import (
    features_of,
    features_of_gradients,
    together_in,
)
from conformance.generators.coverage.pairs import pairs, switched, telling
from conformance.generators.coverage.windows import Feature
from conformance.generators.structure import Structure

MOST_UNSETTLED = 3
"""At most one in so many structures for gradients rests on conventions, if there are others."""


def select(pool: Sequence[Structure], count: int) -> list[Structure]:
    """`count` of the structures, in their order.

    First those that add features until none is missing; as far as there is room what comes
    together, first with a switch, then any two forms of arguments; then those that the documents
    settle, which show features once more; then the rest: what is unsettled matters less than what
    can be violated.
    """
    told = set(telling(pool))
    shown = [pairs(s) if place in told else set() for place, s in enumerate(pool)]
    features = [frozenset(features_of(s)) for s in pool]
    together = [
        frozenset([*together_in(s), *(p for p in its if switched(p, s))])
        for s, its in zip(pool, shown, strict=True)
    ]
    kept: list[int] = []
    for wanted in (features, together, [frozenset[Feature](its) for its in shown]):
        kept = _covering(wanted, count, kept)
    both = [a | b for a, b in zip(features, together, strict=True)]
    kept = _once_more([i for i in told if i not in kept], both, count, kept)
    rest = sorted(set(range(len(pool))) - set(kept), key=lambda i: (bool(pool[i].unsettled), i))
    return [pool[i] for i in sorted([*kept, *rest[: count - len(kept)]])]


def _once_more(
    places: Sequence[int], features: Sequence[frozenset[Feature]], count: int, kept: Sequence[int]
) -> list[int]:
    """`kept`, and of the places those that show features once more, until there are enough."""
    left, found = sorted(places), list(kept)
    while left and len(found) < count:
        round_ = _covering([features[i] for i in left], count - len(found))
        found += [left[n] for n in round_]
        left = [i for n, i in enumerate(left) if n not in round_]
    return found


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
