"""What a plan has to show: pairs of classes, triples where the spec asks, and single points.

An item is shown at a level. It counts for more in a call that the documents settle, in their own
dtype and with elements, because such a call can convict.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Sequence
from functools import cache

from conformance.dtypes import is_floating
from conformance.generators.classes import DTYPE, INTEGERS, PASSING, Classes
from conformance.generators.coverage.terms import terms_class
from conformance.generators.coverage.windows import windows_of
from conformance.generators.structure import Structure, expected_shape, refusable
from conformance.generators.tensors import MIXED
from conformance.specs import Spec
from conformance.specs.convention_names import ConventionName

One = tuple[str, str]
"""A feature and its class."""
Item = tuple[One, ...]
"""What is to be shown together: two of them, three of them, or a point of its own."""
ANY, FILLED, SETTLED = range(3)
"""Levels: any call; one that has elements and rests on at most two conventions; one that has
elements and that the documents settle, in their own dtype."""
MOST_OPEN = 2
MINOR = (" size", " long axis", " channels", " domain", " count")
"""Features of a tensor that are paired with its own features and with arguments, but not with the
features of other tensors."""
OF_TENSORS = (*MINOR, " binding", " rank", " window", " beside", " dtype")
"""How the names of a tensor's features go on after its own."""
POINTS = ("convention", "terms", "window")
"""What is shown by itself and is no feature."""
UNPAIRED = {
    " length": "of how long an axis is, the size is paired, which has fewer classes",
    " known": "of which dimensions are known, whether some are is paired, as a binding",
    "layout": "how an array lies in memory matters to what reads it, and to nothing else",
    " iterable": "that an iterable is neither a list nor a tuple is paired, not which one",
    MIXED: "the documents do not speak of mixed dtypes",
}
"""Features whose classes are shown by themselves alone, and why."""
_ELEMENTS = (
    " size",
    " long axis",
    " channels",
    " written",
    " counted",
    " window",
    " beside",
    " domain",
)
_ELSEWHERE = "which elements a call takes together does not depend on"
APART = {
    PASSING: (
        (DTYPE, INTEGERS, "aliases", *OF_TENSORS),
        "how arguments are passed is settled before anything is looked at",
    ),
    "aliases": (
        (DTYPE, INTEGERS, *OF_TENSORS),
        "that two tensors are one is paired with arguments",
    ),
    DTYPE: (_ELEMENTS, f"{_ELSEWHERE} their dtype"),
    INTEGERS: (
        (*_ELEMENTS, " binding", " rank", DTYPE),
        "a call with a dtype that no document names rests on a convention",
    ),
    "dtype": (
        (" size", " long axis", " rank"),
        "what dtype is asked for does not depend on a shape",
    ),
    " written": (
        (" size", " channels", " domain"),
        "how an axis is written decides which axis it is, and nothing else",
    ),
    " binding": (
        (" size", " long axis", " channels", " domain", " written", " counted"),
        f"{_ELSEWHERE} how a tensor was made",
    ),
}
"""Features that need not be shown together, by the ends of their names, and why."""
OTHER_TENSOR = "a detail of one tensor is not paired with what another tensor is like"


def points_of(structure: Structure, classes: Classes, level: int) -> Iterator[tuple[Item, int]]:
    """What a structure shows besides pairs: triples, classes, conventions, effects of windows."""
    for features in triples_of(structure.spec):
        if all(feature in classes for feature in features):
            yield tuple((feature, classes[feature]) for feature in features), level
    yield from ((((feature, one),), level) for feature, one in classes.items())
    yield from ((_point(POINTS[0], name), ANY) for name in structure.unsettled)
    yield (_point(POINTS[1], str(terms_class(structure))), level)
    yield from ((_point(POINTS[2], *effect), level) for effect in windows_of(structure))


def is_steered(item: Item) -> bool:
    """Whether a draw can be steered towards an item: a pair, or a class of a feature."""
    return len(item) == 2 or (len(item) == 1 and item[0][0] not in POINTS)


def _why_unpaired(feature: str) -> str | None:
    return next((why for name, why in UNPAIRED.items() if _ends(feature, name)), None)


def triples_of(spec: Spec) -> Iterator[tuple[str, ...]]:
    """The features that are to be shown three at a time: what the spec says."""
    yield from map(tuple, spec.triples)


def levels(structure: Structure) -> tuple[int, int]:
    """The level of what has nothing to do with dtypes, and of what has.

    What every call with the same part of the result rests on does not count.
    """
    if not all(map(math.prod, _shapes(structure))):
        return ANY, ANY
    of_part = set() if structure.part is None else {structure.part.convention}
    others = len({*structure.unsettled} - {ConventionName.INPUT_DTYPE} - of_part)
    return _level(others + refusable(structure)), _level(others)


def is_open(structure: Structure) -> bool:
    """Whether a structure has elements, and rests on a few conventions."""
    return bool(structure.unsettled) and max(levels(structure)) > ANY


def _level(open_points: int) -> int:
    return SETTLED if not open_points else FILLED if open_points <= MOST_OPEN else ANY


def _shapes(structure: Structure) -> Iterator[tuple[int, ...]]:
    yield from (item.shape for item in structure.program.inputs)
    yield expected_shape(structure)


def _point(name: str, *what: Hashable) -> Item:
    return ((name, " ".join(map(str, what))),)


@cache
def apart(first: str, second: str) -> str | None:
    """Why two features need not be shown together; None if they must be."""
    unpaired = _why_unpaired(first) or _why_unpaired(second)
    if unpaired is not None:
        return unpaired
    for mine, its in ((first, second), (second, first)):
        for name, (others, why) in APART.items():
            if _ends(mine, name) and _ends_in(its, others):
                return why
    mine, its = owner(first), owner(second)
    if mine and its and mine != its and (first.endswith(MINOR) or second.endswith(MINOR)):
        return OTHER_TENSOR
    return None


def empty_apart(pair: tuple[Hashable, ...]) -> bool:
    """Whether a pair's first class says that a tensor is empty, so that there is nothing to
    compute, and the other one is of no rank and no axes."""
    match pair:
        case (str(size), "0"), (str(other), _):
            return size.endswith(" size") and not other.endswith((" rank", "axis", "axes"))
    return False


def probed_apart(pair: tuple[Hashable, ...], documented: Collection[str]) -> bool:
    """Whether a pair's first class is a dtype that the documents do not name for the function, and
    the other one says how a tensor was made, or its rank: such a call rests on a convention. With
    anything else integers are paired together, not each dtype of theirs."""
    match pair:
        case (str(feature), str(dtype)), (str(other), _):
            alone = _ends_in(other, (" binding", " rank"))
            probed = feature == DTYPE and dtype not in documented
            return probed and (alone or not is_floating(dtype))
    return False


_OPEN = ("variable", "array", "list", "number")


def are_bindings(first: tuple[Hashable, ...], second: tuple[Hashable, ...]) -> bool:
    """Whether two classes pair a symbolic tensor with an input of another kind, or two variables.

    Such pairs are shown, although a convention is about them.
    """
    match first, second:
        case (str(mine), str(how)), (str(its), str(beside)):
            if not (mine.endswith(" binding") and its.endswith(" binding")):
                return False
            pair = {how, beside}
            return pair == {"variable"} or ("fed" in pair and not pair.isdisjoint(_OPEN))
    return False


def _ends_in(feature: str, names: Sequence[str]) -> bool:
    return any(_ends(feature, name) for name in names)


def _ends(feature: str, name: str) -> bool:
    return feature.endswith(name) or f"{name} " in feature if name[0] == " " else feature == name


def owner(feature: str) -> str:
    """The tensor of which this is a feature; nothing for other features."""
    name, _, rest = feature.partition(" ")
    return name if f" {rest}".startswith(OF_TENSORS) else ""
