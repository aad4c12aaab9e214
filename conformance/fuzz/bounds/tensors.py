"""A tensor of a program: its type, its right numbers with a reach, and its share of a gradient.

`Typed` has the shape and the dtypes, by the rules of the specs. `Known` has the right numbers, and
how far a correct implementation may be from each. A `Share` is the same for the part that a tensor
contributes to a gradient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.fuzz.programs import ProgramCall
from conformance.generators.gradients import resolved
from conformance.oracle.rounding import signs
from conformance.program import Argument, Made, Ref
from conformance.specs.rules import Scope, evaluate

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The numbers that a correct implementation may have in one place of a program.

    Every element is within `reach` of `value`, which has the dtype and the shape of the tensor.
    `reach` is float64 of the same shape: 0 for the very number, infinity where nothing is known.
    Where `exact` is set, `reach` is 0 everywhere.
    """

    value: Array
    reach: npt.NDArray[np.float64]

    @property
    def exact(self) -> bool:
        """Whether every element is known."""
        return not self.reach.any()

    @property
    def scale(self) -> float:
        """The largest magnitude of the elements that are known; 0 if there is none."""
        if self.value.dtype.kind != "f" or not self.value.size:
            return 1.0
        return float(np.abs(self.value).max())

    @property
    def useless(self) -> bool:
        """Whether more than half of the digits of the largest element are lost somewhere.

        For integers and truth values a single unknown element is enough.
        """
        if not self.value.size or self.exact:
            return False
        if self.value.dtype.kind != "f":
            return True
        half = float(np.sqrt(np.finfo(self.value.dtype).eps)) * self.scale
        return not bool((self.reach <= half).all())


def exactly(value: Array) -> Known:
    """A tensor whose numbers are given."""
    return Known(value, np.zeros(value.shape))


FLOATX = "float32"


@dataclass(frozen=True, slots=True)
class Typed:
    """The shape of a tensor, and the dtypes that it may have, the usual one first."""

    shape: tuple[int, ...]
    dtypes: tuple[str, ...]
    domain: str = "real"

    @property
    def dtype(self) -> str:
        """The usual dtype."""
        return self.dtypes[0]

    @property
    def form(self) -> tuple[str, int]:
        """The usual dtype and the rank."""
        return self.dtypes[0], len(self.shape)


def scope(call: ProgramCall, tensors: Mapping[str, Typed]) -> Scope:
    """The values of the names in the function's rules, for this call."""
    shapes: dict[str, Any] = {}
    dtypes: dict[str, str] = {}
    values: dict[str, Any] = {}
    domains: dict[str, str] = {}
    for name, value in call.arguments.items():
        own = _tensors(value, tensors)
        if not own:
            values[name] = value.value if isinstance(value, Made) else value
            continue
        shapes[name] = [t.shape for t in own] if isinstance(value, list) else own[0].shape
        dtypes[name], domains[name] = own[0].dtype, own[0].domain
    return Scope(values, shapes, dtypes, FLOATX, domains)


def _tensors(value: Argument, tensors: Mapping[str, Typed]) -> list[Typed]:
    items = value if isinstance(value, list) else [value]
    return [tensors[item.name] for item in items if isinstance(item, Ref)]


def typed(call: ProgramCall, tensors: Mapping[str, Typed], computed: tuple[int, ...]) -> Typed:
    """The type of the result; its shape is `computed` where no document settles it."""
    known = scope(call, tensors)
    accepted = (call.part and call.part.dtype) or call.spec.dtype
    assert accepted is not None
    dtypes = tuple(dict.fromkeys(evaluate(rule, known) for rule in accepted.accept))
    rule = call.shape_rule
    return Typed(computed if rule is None else tuple(evaluate(rule, known)), dtypes)


Share = tuple[Array, Array]
"""A share: the wide number, and its reach."""


def added(dtype: str, old: Share | None, new: Share) -> Share:
    """The sum of two contributions, which is rounded once to the dtype."""
    if old is None:
        return new
    value = old[0] + new[0]
    unit = float(np.finfo(dtype).eps)
    return value, old[1] + new[1] + unit * np.abs(value).astype(np.float64)


def reaches(call: ProgramCall, tensors: Mapping[str, Known]) -> dict[str, Any]:
    """How far each floating tensor argument is to be moved."""
    held = {
        name: value
        for name, value in call.arguments.items()
        if isinstance(value, Ref)
        or (isinstance(value, list) and value and isinstance(value[0], Ref))
    }
    return resolved(held, {n: distance(k) for n, k in tensors.items()})


def distance(known: Known) -> Array:
    """The reach of every element, or one rounding of it if that is more."""
    if known.value.dtype.kind != "f":
        return known.reach
    unit = float(np.finfo(known.value.dtype).eps) / 2
    return np.maximum(known.reach, unit * np.abs(known.value).astype(np.float64))


def moved(wide: Mapping[str, Any], reaches: Mapping[str, Any], pattern: int) -> dict[str, Any]:
    """The arguments with every element of the floating tensors moved by its reach, up or down as
    the pattern of signs says."""
    moved_one = partial(_one_moved, pattern=pattern)
    return {n: moved_one(v, reaches[n]) if n in reaches else v for n, v in wide.items()}


def _one_moved(value: Any, reach: Any, pattern: int) -> Any:
    if isinstance(value, list):
        return [_one_moved(v, r, pattern) for v, r in zip(value, reach, strict=True)]
    if value.dtype.kind != "f":
        return value
    return np.asarray(value + signs(value.shape)[pattern] * reach)
