"""Gradients by finite differences of the oracle in extended precision.

For each input element the derivative of the whole result is taken by central differences of the
fourth order with two steps and Richardson's extrapolation (Fornberg 1988; Richardson 1911), so
that the error is of the sixth order. Where the two steps disagree there is a kink nearby, and only
the slopes on both sides are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.oracle.evaluate import ORACLES, widened
from conformance.oracle.expectation import Array

STEP = 2.0**-10
"""Distance of the outer points, relative to the element (or to 1/64 if that is larger)."""
LEAST = 2.0**-6
SIDE = 2.0**-24
"""Distance of the points that give the slopes on both sides of a kink."""
KINK = 1e-5
"""Disagreement of the two steps, relative to the slopes, from which there is a kink."""
BEND = 0.02
"""Difference of the slopes on both sides, relative to them, from which there is a kink. Where a
smooth function bends as much, the slopes on both sides are so near that nothing is lost."""
TINY = 1e-12
MOST = 16
"""Elements of one input whose derivatives are taken; each costs eight evaluations."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """The gradient with respect to one input, all of that input's shape.

    `value` is the gradient, `scale` the sum of the magnitudes that it is the sum of, `terms` the
    magnitude of the loss over that of the element: what may cancel on the way. `error` is an
    estimate of how wrong `value` is. Where `kink`
    is set, any number from `low` to `high` is a slope of the function there. Of a large input only
    `MOST` elements are looked at; the others are NaN.
    """

    value: Array
    scale: Array
    terms: Array
    error: Array
    kink: Array
    low: Array
    high: Array


Place = tuple[str, int | None]
"""A parameter, and which of its tensors if it takes a list."""


def slopes(function: str, arguments: Mapping[str, Any], weights: Array) -> dict[Place, Slopes]:
    """The gradient of the sum of `weights` times the result, for every floating tensor.

    `arguments` are those of `expect`. KeyError: no such function.
    """
    precise = {name: _float64(value) for name, value in arguments.items()}
    wide = widened(precise, "float64")
    factors = np.asarray(weights, np.longdouble)
    with np.errstate(all="ignore"):
        return {
            place: _of(_Along(ORACLES[function], wide, place), factors) for place in _places(wide)
        }


def _float64(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(np.float64)
    if isinstance(value, list):
        return [_float64(item) for item in value]
    return value


def _places(wide: Mapping[str, Any]) -> Iterator[Place]:
    for name, value in wide.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            yield name, None
        elif isinstance(value, list) and value and isinstance(value[0], np.ndarray):
            yield from ((name, i) for i in range(len(value)))


@dataclass(frozen=True, slots=True)
class _Along:
    """A function of one of its tensors, the others fixed."""

    oracle: Callable[..., Array]
    wide: Mapping[str, Any]
    place: Place

    @property
    def tensor(self) -> Array:
        name, index = self.place
        found: Array = self.wide[name] if index is None else self.wide[name][index]
        return found

    def at(self, element: int, distance: Any) -> Array:
        """The result with one element moved."""
        name, index = self.place
        moved = self.tensor.copy()
        moved.reshape(-1)[element] += distance
        value: Any = moved
        if index is not None:
            value = [moved if i == index else t for i, t in enumerate(self.wide[name])]
        return np.asarray(self.oracle(**{**self.wide, name: value}), np.longdouble)


def _of(function: _Along, weights: Array) -> Slopes:
    tensor = function.tensor
    table = np.full((7, tensor.size), np.nan)
    for i in np.random.Generator(np.random.PCG64(tensor.size)).permutation(tensor.size)[:MOST]:
        table[:, i] = _element(function, int(i), weights)
    return Slopes(*(row.reshape(tensor.shape) for row in table))


def _element(function: _Along, element: int, weights: Array) -> tuple[float, ...]:
    """Value, scale, terms, error, kink, low and high for one input element."""
    size = np.maximum(np.abs(function.tensor.reshape(-1)[element]), LEAST)
    step = size * STEP
    ends = {k: function.at(element, k * step) for k in (-2, -1, -0.5, 0, 0.5, 1, 2)}
    coarse = _fourth_order(ends[-2], ends[-1], ends[1], ends[2], step)
    fine = _fourth_order(ends[-1], ends[-0.5], ends[0.5], ends[1], step / 2)
    column = (16 * fine - coarse) / 15
    scale = np.abs(weights * column).sum()
    value = (weights * column).sum()
    error = np.abs(weights * (fine - coarse)).sum()
    bend = np.abs(weights * (ends[1] - 2 * ends[0] + ends[-1])).sum() / step
    terms = np.abs(weights * ends[0]).sum() / size
    known = float(value), float(scale), float(terms), float(error)
    if error <= KINK * scale + TINY and bend <= BEND * scale + TINY:
        return (*known, 0.0, float(value), float(value))
    return (*known, 1.0, *_sides(function, element, size * SIDE, weights))


def _fourth_order(far_left: Array, left: Array, right: Array, far_right: Array, step: Any) -> Array:
    result: Array = (8 * (right - left) - (far_right - far_left)) / (12 * step)
    return result


def _sides(function: _Along, element: int, step: Any, weights: Array) -> tuple[float, float]:
    """The least and the greatest slope that lie between those on both sides."""
    middle = function.at(element, 0)
    before = weights * (middle - function.at(element, -step)) / step
    after = weights * (function.at(element, step) - middle) / step
    low, high = np.minimum(before, after).sum(), np.maximum(before, after).sum()
    return float(low), float(high)
