"""Pairs of forms of arguments.

What an implementation makes of an argument may depend on another one, so two forms that can stand
beside each other are to be tried beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from conformance.generators.forms import ABSENT, form
from conformance.generators.structure import Structure, expected_shape
from conformance.program import Argument, Ref
from conformance.specs import kinds
from conformance.specs.convention_names import ConventionName

AXES = ("zero", "positive")
"""Forms of an axis that are searched for even if no structure of the pool has them."""

Form = tuple[str, str]
"""A parameter, and the form of its argument."""
Pair = tuple[Form, Form]


def forms_of(structure: Structure) -> Iterator[Form]:
    """The form of every argument that is no tensor; `absent` where the default is left."""
    for name, rule in structure.spec.parameters.items():
        value = structure.arguments.get(name)
        if not isinstance(rule, kinds.Omitted) and not _holds_tensors(value):
            yield name, form(rule, value) if name in structure.passed else ABSENT


def pairs(structure: Structure) -> set[Pair]:
    """The forms of every two arguments."""
    return set(combinations(forms_of(structure), 2))


def missing_pairs(pool: Sequence[Structure]) -> list[Pair]:
    """Pairs of forms that no telling structure has. Some of them may be impossible."""
    known = {pair for place in telling(pool) for pair in pairs(pool[place])}
    listed = [[(name, one) for one in its] for name, its in _settled_forms(pool).items()]
    possible = (pair for mine, others in combinations(listed, 2) for pair in product(mine, others))
    return [pair for pair in possible if pair not in known]


def _settled_forms(pool: Sequence[Structure]) -> dict[str, list[str]]:
    """The forms of each parameter but those that always rest on one and the same convention.

    That of dtypes does not count: they can be others. An axis can always be counted from the front.
    """
    rules = pool[0].spec.parameters if pool else {}
    resting = {name: _always(rule) for name, rule in rules.items()}
    for structure in pool:
        for name, one in forms_of(structure):
            rests = {*structure.unsettled} - {ConventionName.INPUT_DTYPE}
            resting[name].setdefault(one, {*rests}).intersection_update(rests)
    return {name: [one for one, rest in its.items() if not rest] for name, its in resting.items()}


def _always(rule: kinds.ParameterRule) -> dict[str, set[str]]:
    axis = isinstance(rule, kinds.Axis | kinds.Axes)
    return {one: set() for one in AXES if axis}


def telling(pool: Sequence[Structure]) -> list[int]:
    """The indices of the structures that show how an argument is understood.

    The documents settle them, nothing is empty, and a tensor has two axes that can be mixed up,
    unless the function takes none such.
    """
    settled = [i for i, s in enumerate(pool) if s.settled and _filled(s)]
    large = [i for i in settled if _large(pool[i])]
    return large or settled


def plain(structure: Structure) -> bool:
    """Whether nothing is empty, and a tensor has two axes that can be mixed up."""
    return _filled(structure) and _large(structure)


def switched(pair: Pair, structure: Structure) -> bool:
    """Whether one of the two is a switch."""
    rules = structure.spec.parameters
    return any(isinstance(rules[name], kinds.Boolean) for name, _ in pair)


def _filled(structure: Structure) -> bool:
    shapes = [i.shape for i in structure.program.inputs]
    return all(map(math.prod, [*shapes, expected_shape(structure)]))


def _large(structure: Structure) -> bool:
    return any(sum(d > 1 for d in item.shape) > 1 for item in structure.program.inputs)


def _holds_tensors(value: Argument) -> bool:
    return any(isinstance(v, Ref) for v in (value if isinstance(value, list) else [value]))
