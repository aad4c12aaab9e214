"""The plan of a function as a table: features, classes, what exists of them and what is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random

from conformance.generators.coverage.array import CoveringArray
from conformance.generators.coverage.classes import classes_of
from conformance.generators.coverage.items import SETTLED, Item, apart

SAMPLE = 400
"""Structures in the sample that a plan is held against."""
OFTEN = 8
"""What so many structures of the sample show exists; what one alone shows is a matter of chance."""
_OTHER = 99_991


@dataclass(frozen=True, slots=True)
class Table:
    """What a plan shows of a function."""

    structures: int
    features: dict[str, dict[str, int]]
    """For each feature and class, how many structures have it."""
    existing: int
    """Pairs, triples and points of which any draw has shown that they exist."""
    settled: int
    """How many of them exist in a call that the documents settle."""
    missing: tuple[Item, ...]
    """Those that no structure shows, or none at the best level."""
    excluded: dict[Item, str]
    """Pairs that could not be drawn, and why."""
    apart: dict[tuple[str, str], str]
    """Pairs of features that need not be shown together, and why."""


def table(array: CoveringArray) -> Table:
    """The table of an array that is complete."""
    features: dict[str, Counter[str]] = {}
    for draw in array.kept:
        for feature, one in classes_of(draw.value).items():
            features.setdefault(feature, Counter())[one] += 1
    shown, exist = array.shown(), array.items()
    return Table(
        len(array.kept),
        {feature: dict(counted.most_common()) for feature, counted in features.items()},
        len(exist),
        sum(level == SETTLED for level in exist.values()),
        tuple(item for item, level in exist.items() if shown.get(item, -1) < level),
        {array.pair(number): why for number, why in array.excluded.items()},
        {pair: why for pair in combinations(features, 2) if (why := apart(*pair)) is not None},
    )


def lacking(array: CoveringArray, seed: int) -> list[Item]:
    """What a sample of other structures shows that the plan does not show, or not as settled."""
    shown = array.shown()
    return [item for item, level in _sampled(array, seed) if _lacks(shown.get(item), level)]


def _lacks(mine: int | None, level: int) -> bool:
    return mine is None or mine < level == SETTLED


def _sampled(array: CoveringArray, seed: int) -> Iterator[tuple[Item, int]]:
    """What several structures of a sample show, and the best level at which several do."""
    random = Random(seed + _OTHER)  # noqa: S311
    sample = CoveringArray(array.spec, array.edition, random, array.effort)
    sample.draw_freely(SAMPLE)
    yield from sample.often(OFTEN).items()
