"""What a tensor contributes to a gradient, with its reach, and how far arguments are moved."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from conformance.fuzz.bounds.known import Array, Known
from conformance.fuzz.calls import Call
from conformance.generators.gradients import resolved
from conformance.oracle.rounding import signs
from conformance.program import Ref

Share = tuple[Array, Array]
"""What a tensor contributes: the wide number, and its reach."""


def added(dtype: str, old: Share | None, new: Share) -> Share:
    """The sum of two contributions, which is rounded once to the dtype."""
    if old is None:
        return new
    value = old[0] + new[0]
    unit = float(np.finfo(dtype).eps)
    return value, old[1] + new[1] + unit * np.abs(value).astype(np.float64)


def reaches(made: Call, given: Mapping[str, Known]) -> dict[str, Any]:
    """How far each floating tensor argument is to be moved."""
    held = {
        name: value
        for name, value in made.arguments.items()
        if isinstance(value, Ref)
        or (isinstance(value, list) and value and isinstance(value[0], Ref))
    }
    return resolved(held, {n: distance(k) for n, k in given.items()})


def distance(known: Known) -> Array:
    """The reach of every element, or one rounding of it if that is more."""
    if known.value.dtype.kind != "f":
        return known.reach
    unit = float(np.finfo(known.value.dtype).eps) / 2
    return np.maximum(known.reach, unit * np.abs(known.value).astype(np.float64))


def moved(wide: Mapping[str, Any], reaches: Mapping[str, Any], pattern: int) -> dict[str, Any]:
    """The arguments with every element of the floating tensors moved by its reach, up or down as
    the pattern of signs says."""
    one = partial(_one_moved, pattern=pattern)
    return {n: one(v, reaches[n]) if n in reaches else v for n, v in wide.items()}


def _one_moved(value: Any, reach: Any, pattern: int) -> Any:
    if isinstance(value, list):
        return [_one_moved(v, r, pattern) for v, r in zip(value, reach, strict=True)]
    if value.dtype.kind != "f":
        return value
    return np.asarray(value + signs(value.shape)[pattern] * reach)
