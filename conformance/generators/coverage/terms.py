"""How many terms a sum, a product or another reduction has, and which long axes are to be tried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.generators.sizes import CLASSES, LONG, Dims, length_class, long_axis
from conformance.generators.structure import Structure
from conformance.specs import Spec, kinds
from conformance.specs.rules import evaluate


def terms_class(structure: Structure) -> str | None:
    """The class of the length that is reduced, accumulated or contracted; None if nothing is."""
    count = _count(structure)
    return None if count is None else length_class(count)


@dataclass(frozen=True, slots=True)
class LongAxis:
    """A long axis of a tensor that is to be tried: as the terms of a sum, or at a place."""

    tensor: str
    size: str
    """A class of `sizes.LONG`."""
    place: str | None = None
    """A place of `sizes.long_axis`; None for the terms of a sum."""

    @property
    def wanted(self) -> dict[str, str]:
        """What is to be wanted of a draw."""
        place = {} if self.place is None else {f"{self.tensor} long axis": self.place}
        return {f"{self.tensor} length": self.size, **place}

    def is_in(self, structure: Structure) -> bool:
        """Whether the structure has it; at a place also one that is longer."""
        if self.place is None:
            return terms_class(structure) == self.size
        shape = structure.runtime.shapes.get(self.tensor)
        if not shape or not isinstance(shape[0], int):
            return False
        return long_axis(shape) == self.place and max(shape) >= CLASSES[self.size][0]


def long_axes_of(spec: Spec) -> list[LongAxis]:
    """What is to be tried of a function: the longest sum, a long first and a long last axis, and
    then shorter sums."""
    tensor = first_tensor(spec)
    if tensor is None:
        return []
    summed = any(map(_is_summed, spec.parameters.values()))
    sums = [LongAxis(tensor, size) for size in reversed(LONG) if summed]
    places = [LongAxis(tensor, PLACED, place) for place in ("first", "last")]
    return [*sums[:1], *places, *sums[1:]]


def first_tensor(spec: Spec) -> str | None:
    """The name of the first parameter that is one tensor; None if there is none."""
    return next((n for n, r in spec.parameters.items() if isinstance(r, TENSORS)), None)


PLACED = "63-65"
"""The class of a long axis at a place."""
TENSORS = (kinds.TensorKind, kinds.Images)
"""Kinds of parameters that are one tensor, whose axes are drawn freely."""
_REDUCED = (kinds.Axes, kinds.ReductionAxes)


def _is_summed(rule: kinds.ParameterRule) -> bool:
    """Whether the rule is of axes that are reduced or accumulated, or of a contracted tensor."""
    match rule:
        case kinds.Axis():
            return rule.position == "existing"
        case kinds.Companion():
            return rule.relation in ("contraction", "batch_contraction")
    return isinstance(rule, _REDUCED)


def _count(structure: Structure) -> int | None:
    values, shapes = structure.runtime.values, structure.runtime.shapes
    for name, rule in structure.spec.parameters.items():
        if isinstance(rule, kinds.Companion) and _is_summed(rule):
            return _along(shapes.get(rule.of), _contracted(structure, name, rule))
        if isinstance(rule, kinds.Axis | kinds.Axes | kinds.ReductionAxes) and _is_summed(rule):
            return _along(shapes.get(rule.of), values.get(name))
    return None


def _contracted(structure: Structure, name: str, rule: kinds.Companion) -> int:
    """The contracted axis of the first tensor."""
    if rule.axes is None:
        return -1
    ranks = [len(structure.runtime.shapes[one]) for one in (rule.of, name)]
    mine, _ = evaluate(["batch_axes", rule.axes, *ranks], structure.runtime)
    return int(mine)


def _along(shape: Dims | None, axis: int | Sequence[int] | None) -> int | None:
    if not shape or not isinstance(shape[0], int):  # a list of shapes
        return None
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return math.prod(shape[a] for a in axes if -len(shape) <= a < len(shape))
