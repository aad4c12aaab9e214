"""How many terms of a sum, a product or another reduction a structure has for each element."""

from __future__ import annotations

import math
from collections.abc import Sequence

from conformance.generators.sizes import LONG, Dims, class_of
from conformance.generators.structure import Structure
from conformance.specs import Spec, kinds


def terms_class(structure: Structure) -> str | None:
    """The class of the length that is reduced, accumulated or contracted; None if nothing is."""
    count = _count(structure)
    return None if count is None else class_of(count)


def wanted_for(spec: Spec) -> dict[str, dict[str, str]]:
    """For each class of long sums, what is to be wanted of a draw to meet it; empty for a function
    without sums."""
    summed = any(isinstance(rule, _SUMMED) for rule in spec.parameters.values())
    tensor = next((n for n, r in spec.parameters.items() if isinstance(r, kinds.TensorKind)), None)
    if not summed or tensor is None:
        return {}
    return {name: {f"{tensor} size": name} for name in LONG}


_SUMMED = (kinds.Axes, kinds.Axis, kinds.ReductionAxes, kinds.Companion)


def _count(structure: Structure) -> int | None:
    values, shapes = structure.runtime.values, structure.runtime.shapes
    for name, rule in structure.spec.parameters.items():
        if isinstance(rule, kinds.Axis | kinds.Axes | kinds.ReductionAxes):
            return _along(shapes.get(rule.of), values.get(name))
        if isinstance(rule, kinds.Companion) and rule.relation == "contraction":
            return _along(shapes.get(rule.of), -1)
    return None


def _along(shape: Dims | None, axis: int | Sequence[int] | None) -> int | None:
    if not shape or not isinstance(shape[0], int):  # a list of shapes
        return None
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return math.prod(shape[a] for a in axes if -len(shape) <= a < len(shape))
