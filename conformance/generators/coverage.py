"""Which structures to keep of many: those that together show the most of a function."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from conformance.generators import images
from conformance.generators.forms import FEW
from conformance.generators.pairs import pairs, plain, switched, telling
from conformance.generators.structure import Structure, expected_shape
from conformance.program import Argument, Ref
from conformance.specs import kinds

Feature = tuple[Hashable, ...]

MOST_UNSETTLED = 3
"""One in so many gradients is of a structure that rests on conventions, where others can be had."""


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
        frozenset([*_together(s), *(p for p in its if switched(p, s))])
        for s, its in zip(pool, shown, strict=True)
    ]
    kept: list[int] = []
    for wanted in (features, together, [frozenset[Feature](its) for its in shown]):
        kept = _covering(wanted, count, kept)
    both = [a | b for a, b in zip(features, together, strict=True)]
    kept = _again([i for i in told if i not in kept], both, count, kept)
    rest = sorted(set(range(len(pool))) - set(kept), key=lambda i: (bool(pool[i].unsettled), i))
    return [pool[i] for i in sorted([*kept, *rest[: count - len(kept)]])]


def _again(
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
    features = [frozenset(_features_of_slopes(s)) for s in pool]
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


def _features_of_slopes(structure: Structure) -> Iterator[Feature]:
    """As of calls, but long axes of the result, where places can be confused, not short ones.

    Of which domain an input is decides whether its gradient can be asked for.
    """
    yield from (f for f in features_of(structure) if f[0] != "dimension")
    shape = expected_shape(structure)
    yield from (("long axes", n) for n in range(sum(d > 1 for d in shape)))
    yield ("a long last axis", shape[-1:] > (1,))
    yield from (("domain", name, domain) for name, domain in structure.domains.items())
    numbers = ((n, v) for n, v in structure.arguments.items() if isinstance(v, int))
    yield from (("above one", name) for name, value in numbers if value > 1)


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


def features_of(structure: Structure) -> Iterator[Feature]:
    """What a structure shows: bindings, dtypes, ranks, dimensions, forms of arguments."""
    for item in structure.program.inputs:
        name = item.name.rstrip("0123456789")
        yield ("binding", name, item.binding)
        yield ("dtype", name, item.dtype)
        yield ("rank", name, len(item.shape))
        yield from (("dimension", name, d) for d in item.shape if d < 2)
    yield from (("convention", name) for name in structure.unsettled)
    if not structure.unsettled:
        yield ("settled", *(i.binding for i in structure.program.inputs))
    if structure.part is not None:
        yield ("part", structure.part.name)
    yield from _class_axes(structure)
    yield from _passing(structure)
    yield from _relations(structure)
    yield from _switches(structure)
    yield from images.features(structure)
    for name, value in structure.arguments.items():
        yield from _value(structure, name, value)


def _together(structure: Structure) -> Iterator[Feature]:
    """Features that come together, or alone: what may hide behind another one."""
    if not structure.unsettled:
        yield ("settled", *sorted({i.dtype for i in structure.program.inputs}))
    if structure.part is not None:
        yield ("part", structure.part.name, "input-dtype" in structure.unsettled, plain(structure))
    if len(structure.unsettled) == 1 and plain(structure):
        yield ("convention alone", *structure.unsettled)


def _passing(structure: Structure) -> Iterator[Feature]:
    step = structure.program.steps[0]
    yield ("positional", len(step.args))
    yield from (("keyword", name) for name, _ in step.kwargs)
    yield ("arguments", len(step.args) + len(step.kwargs))


def _class_axes(structure: Structure) -> Iterator[Feature]:
    """Whether classes are on the last axis, together with what every switch says."""
    rules, values = structure.spec.parameters, structure.runtime.values
    switches = tuple((n, bool(values[n])) for n, r in rules.items() if isinstance(r, kinds.Boolean))
    for name, rule in rules.items():
        if isinstance(rule, kinds.ClassAxis):
            rank = len(structure.runtime.shapes[rule.of])
            last = values[name] in (-1, rank - 1)
            dtypes = tuple(sorted({*structure.runtime.dtypes.values()}))
            settled = not structure.unsettled
            yield ("classes", name, last, switches)
            yield ("classes", name, last, switches, settled, dtypes)


def _switches(structure: Structure) -> Iterator[Feature]:
    """What every switch says, together with the form of each other argument, on a real array."""
    rules, given = structure.spec.parameters, structure.arguments
    large = any(sum(d > 1 for d in item.shape) > 1 for item in structure.program.inputs)
    for name in (n for n, rule in rules.items() if isinstance(rule, kinds.Boolean)):
        for other in rules:
            if other != name and not isinstance(given.get(other), Ref):
                form = type(given[other]).__name__ if other in given else "omitted"
                yield ("beside", name, structure.runtime.values.get(name), other, form, large)


def _relations(structure: Structure) -> Iterator[Feature]:
    """How the shapes of two tensors stand to each other."""
    shapes = list(structure.runtime.shapes.values())
    if len(shapes) != 2 or not all(isinstance(s, tuple) for s in shapes):
        return
    x, y = shapes
    yield ("same shape", x == y)
    yield ("ranks", (len(x) > len(y)) - (len(x) < len(y)))
    for a, b in zip(reversed(x), reversed(y), strict=False):
        yield ("stretched", 0 not in (a, b), (a == 1 != b) - (b == 1 != a))


def _value(structure: Structure, name: str, value: Argument) -> Iterator[Feature]:
    rule = structure.spec.parameters.get(name)
    if isinstance(value, Ref) or rule is None or isinstance(rule, kinds.Omitted):
        return
    if isinstance(rule, FEW):
        yield ("value", name, repr(value))
    if isinstance(rule, kinds.Dtype):
        dtypes = {i.dtype for i in structure.program.inputs if math.prod(i.shape)}
        yield ("nothing converted", name, value if value in dtypes else None)
    yield ("type", name, type(value).__name__)
    if isinstance(value, list | tuple):
        yield ("several", name, len(value) > 1)
        yield from (("from the end", name, "in several") for v in value if _negative(v))
    elif isinstance(value, int):
        yield ("from the end", name, _negative(value))


def _negative(value: Any) -> bool:
    return isinstance(value, int) and value < 0
