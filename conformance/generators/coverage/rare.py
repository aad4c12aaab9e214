"""What a spec names and few draws show: dtypes, two of them in one call, conventions, long axes,
effects of windows, which dimensions of a placeholder are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from conformance.editions import Edition
from conformance.generators.classes import DTYPE, Classes
from conformance.generators.coverage.classes import of_tensors
from conformance.generators.coverage.terms import LongAxis, first_tensor, long_axes_of
from conformance.generators.coverage.windows import beginnings, demanded_for, has_effect
from conformance.generators.defaults import mixtures
from conformance.generators.sizes import CLASSES
from conformance.generators.structure import Structure
from conformance.generators.tensors import (
    MIXED,
    knowledge,
    known_patterns,
    orders,
    pattern,
    ranks_of,
    then,
)
from conformance.specs import Spec, kinds

Condition = Callable[[Structure], bool]


def rare(spec: Spec, edition: Edition, elements: int) -> Iterator[tuple[Condition, Classes]]:
    """Conditions that a plan is to meet once, each with the classes to demand of a draw for it.

    A tensor is to have at most about so many `elements`.
    """
    plain = {DTYPE: spec.dtypes.documented[0]}
    yield from _of_dtypes(spec, edition)
    for point in spec.unsettled:
        if point.holds_in(edition):
            yield partial(_rests_on, convention=point.convention), {}
    for long in long_axes_of(spec):
        if CLASSES[long.size][0] <= elements:
            yield partial(_has_long, long=long), {**plain, **long.wanted}
    for beginning in beginnings(spec):
        yield partial(has_effect, beginning=beginning), {**plain, **demanded_for(beginning)}
    tensor = first_tensor(spec)
    for known in () if tensor is None else patterns_of(spec.parameters[tensor]):
        told = partial(_has_known, tensor=tensor, known=known)
        yield told, {**plain, f"{tensor} known": known}


def _of_dtypes(spec: Spec, edition: Edition) -> Iterator[tuple[Condition, Classes]]:
    for dtype in (*spec.dtypes.documented, *spec.dtypes.probed):
        yield partial(_has_dtype, dtype=dtype), {DTYPE: dtype}
    for order in orders(mixtures(spec, edition)):
        wanted = {DTYPE: order[0], MIXED: then(*order)}
        yield partial(_mixes, order=then(*order)), wanted


def patterns_of(rule: kinds.ParameterRule) -> list[str]:
    """The classes of which dimensions of a tensor are known, for each rank that it may have."""
    ranks, alone = ranks_of(rule), len(ranks_of(rule)) == 1
    found = (map(pattern, known_patterns(rank, alone=alone)) for rank in ranks)
    return [*dict.fromkeys(name for names in found for name in names)]


def _has_known(structure: Structure, tensor: str | None, known: str) -> bool:
    named = (item for item in structure.program.inputs if item.name == tensor)
    return any(knowledge(item) == known for item in named)


def _mixes(structure: Structure, order: str) -> bool:
    return of_tensors(structure).get(MIXED) == order


def _has_dtype(structure: Structure, dtype: str) -> bool:
    return dtype in structure.runtime.dtypes.values()


def _has_long(structure: Structure, long: LongAxis) -> bool:
    return structure.settled and long.is_in(structure)


def _rests_on(structure: Structure, convention: str) -> bool:
    return convention in structure.unsettled
