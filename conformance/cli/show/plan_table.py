"""The plan of a function for a terminal: `conformance show FUNCTION --plan`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.editions import Edition
from conformance.engine import PROFILES, plan
from conformance.generators.coverage.items import Item
from conformance.generators.coverage.rows import covering_array
from conformance.generators.coverage.table import Table, lacking, table
from conformance.specs import Spec, Specs

_MOST = 12
"""How many excluded pairs are listed for each reason."""


def plan_lines(specs: Specs, spec: Spec, edition: Edition, seed: int) -> tuple[list[str], bool]:
    """The plan of the default profile, and whether it shows everything that exists."""
    if spec.dtype is None:
        return [f"{spec.name} is tested by scenarios alone: its plan has no pairs"], True
    (task,) = plan(specs, edition, PROFILES["default"], seed, select=lambda n: n == spec.name)
    array = covering_array(spec, edition, task.profile.extents, task.own_seed)
    pairs, lacks = table(array), lacking(array, task.own_seed)
    return [*_lines(pairs), *_lacking(lacks)], not (pairs.missing or lacks)


def _lines(pairs: Table) -> Iterator[str]:
    yield f"{pairs.structures} structures"
    yield (
        f"the plan shows {pairs.existing - len(pairs.missing)} of {pairs.existing} pairs, triples "
        f"and effects that exist, {pairs.settled} in a call that the documents settle"
    )
    yield ""
    yield "Features: classes (structures)"
    for feature, classes in pairs.features.items():
        yield f"  {feature}: " + ", ".join(f"{name} ({n})" for name, n in classes.items())
    yield from _apart(pairs)
    yield from _excluded(pairs)


def _apart(pairs: Table) -> Iterator[str]:
    if pairs.apart:
        yield ""
        yield "Not paired, by rule"
    for why in dict.fromkeys(pairs.apart.values()):
        names = (f"{a} and {b}" for (a, b), reason in pairs.apart.items() if reason == why)
        yield f"  {why}: " + "; ".join(names)


def _excluded(pairs: Table) -> Iterator[str]:
    if pairs.excluded:
        yield ""
        yield "Pairs that do not exist, as far as drawing shows"
    features = Counter(tuple(name for name, _ in item) for item in pairs.excluded)
    for pair, count in features.most_common():
        reasons = {i: why for i, why in pairs.excluded.items() if tuple(n for n, _ in i) == pair}
        yield f"  {' and '.join(pair)}: {count}"
        for item, why in [*reasons.items()][:_MOST]:
            yield f"    {words(item)}: {why}"
        if count > _MOST:
            yield f"    and {count - _MOST} more"


def _lacking(items: list[Item]) -> Iterator[str]:
    if items:
        yield ""
        yield "MISSING: a sample of other structures shows what the plan does not show as well"
    yield from (f"  {words(item)}" for item in items)


def words(item: Item) -> str:
    """An item in words."""
    return ", ".join(f"{feature} {value}" for feature, value in item)
