"""Gradients by finite differences of the oracle in extended precision.

For each input element the derivative of the whole result is taken by central differences of the
fourth order with two steps, h and h / 2, and Richardson's extrapolation (Fornberg 1988; Richardson
1911; Nocedal and Wright, Numerical Optimization, 2nd edition, section 8.1). What these formulas
are wrong by:

* Truncation. If a formula's error is c h^p with any p of at least 1, the extrapolated value is
  wrong by |16 / 2^p - 1| / (15 |1 - 1 / 2^p|) times the difference of the two formulas. This is
  14/15 for p = 1, which a jump in the second derivative at the very element gives, and less for
  every other p. So the difference bounds the error.
* Rounding. The magnitudes of the formula's coefficients sum to 3.3 / h. With an error of
  gamma_EVALUATION of the wide type in each evaluated number, that many times the largest of the
  seven, weighted, is the bound. It counts for each number of the result that the element has to do
  with: one that none of the steps changes may still have a slope, too small to be seen beside it
  (that of erf at 10), unless it does not change where the element has the other sign.

Where the two steps disagree, or the function bends much, there is a kink nearby, and only the
slopes on both sides are known: by one-sided differences with two steps, extrapolated. Their errors
are bounded in the same manner: for every p of at least 1 the extrapolated value is wrong by no
more than the difference of the two, and the coefficients sum to 10 / h.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.oracle.evaluate import ORACLES, widened
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import gamma
from conformance.oracle.variants import Readings, read_otherwise

STEP = 2.0**-10
"""Distance of the outer points but one, relative to the element (or to `LEAST` if that is larger).

It is a power of two, so that the points are exact. Truncation, of the sixth order, and rounding
are both far below a rounding of float32 with it.
"""
LEAST = 2.0**-6
"""The size of smaller elements: around them functions change over distances of the order of 1."""
SIDE = 2.0**-24
"""Distance of the points that give the slopes on both sides of a kink: one rounding of float32."""
KINK = 1e-5
"""Disagreement of the two steps, relative to the slopes, from which there is a kink.

It tells kinks from curves and excuses nothing: a disagreement below it is part of the bound.
"""
BEND = 0.02
"""Difference of the slopes on both sides, relative to them, from which there is a kink.

Where a smooth function bends as much, the slopes on both sides are so near that nothing is lost.
"""
TINY = 1e-12
"""Slopes and disagreements of this size, absolutely, make no kink."""
MOST = 16
"""Elements of one input whose derivatives are taken; each costs seven evaluations, or eleven."""
EVALUATION = 20
"""Roundings of the wide type in one evaluation of the oracle."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """The gradient with respect to one input; every field has that input's shape.

    `value` is the gradient and `scale` the sum of the magnitudes of its terms, one for each element
    of the result; `count` says how many of these terms are not 0. `error` bounds what the finite
    differences are wrong by. Where `kink` is 1, any number from `low` to `high` is a slope of the
    function there; elsewhere both are `value`. Of a large input only `MOST` elements are looked
    at, the first and the last among them; the others are NaN.
    """

    value: Array
    scale: Array
    count: Array
    error: Array
    kink: Array
    low: Array
    high: Array


def added(several: Iterable[Slopes]) -> Slopes:
    """The gradient with respect to one tensor that is passed in several places."""
    columns = zip(*(dataclasses.astuple(one) for one in several), strict=True)
    sums = [np.sum(column, axis=0) for column in columns]
    found = Slopes(*sums)
    return dataclasses.replace(found, kink=np.minimum(found.kink, 1))


Place = tuple[str, int | None]
"""A parameter, and which of its tensors if it takes a list."""


def slopes(function: str, arguments: Mapping[str, Any], weights: Array) -> dict[Place, Slopes]:
    """The gradient of the sum of `weights` times the result, for every floating tensor.

    `arguments` are those of `expect`, and `weights` has the shape of the result. KeyError: no such
    function.
    """
    return extended_slopes(function, in_extended(arguments), weights)


def extended_slopes(
    function: str, wide: Mapping[str, Any], weights: Array, readings: Readings = ()
) -> dict[Place, Slopes]:
    """`slopes` of arguments that `in_extended` gave, under readings of conventions."""
    factors = np.asarray(weights, np.longdouble)
    oracle = ORACLES[function]

    def answer(**arguments: Any) -> Array:
        return oracle(**read_otherwise(function, arguments, readings))

    chosen = answer if readings else oracle
    with np.errstate(all="ignore"):
        middle = np.asarray(chosen(**wide), np.longdouble)
        along = (_Along(chosen, wide, place, middle) for place in _places(wide))
        return {function.place: _of(function, factors) for function in along}


def in_extended(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with floating tensors in the type in which slopes are computed."""
    return widened({name: _float64(value) for name, value in arguments.items()}, "float64")


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
    middle: Array
    """The result with no element moved."""

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
    for i in _looked_at(tensor.size):
        table[:, i] = _element(function, i, weights)
    return Slopes(*(row.reshape(tensor.shape) for row in table))


def _looked_at(size: int) -> list[int]:
    """The elements whose derivatives are taken: the last, the first, and some between them."""
    between = np.random.Generator(np.random.PCG64(size)).permutation(size).tolist()
    return list(dict.fromkeys([*([size - 1, 0] if size else []), *between]))[:MOST]


def _element(function: _Along, element: int, weights: Array) -> tuple[float, ...]:
    """Value, scale, count, error, kink, low and high for one input element."""
    size = np.maximum(np.abs(function.tensor.reshape(-1)[element]), LEAST)
    step = size * STEP
    ends = {k: function.at(element, k * step) for k in (-2, -1, -0.5, 0.5, 1, 2)}
    other = function.at(element, _to_other_sign(function.tensor.reshape(-1)[element]))
    coarse = _fourth_order(ends[-2], ends[-1], ends[1], ends[2], step)
    fine = _fourth_order(ends[-1], ends[-0.5], ends[0.5], ends[1], step / 2)
    terms = weights * (16 * fine - coarse) / 15
    value, scale, count = terms.sum(), np.abs(terms).sum(), np.count_nonzero(terms)
    error = np.abs(weights * (fine - coarse)).sum()
    bend = np.abs(weights * (ends[1] - 2 * function.middle + ends[-1])).sum() / step
    noise = _noise(weights, np.stack([*ends.values(), function.middle]), other)
    if error <= KINK * scale + TINY and bend <= BEND * scale + TINY:
        found = value, scale, count, error + 3.3 * noise / step, 0, value, value
    else:
        found = value, scale, count, *_sides(function, element, size * SIDE, weights, noise)
    return tuple(map(float, found))


def _fourth_order(far_left: Array, left: Array, right: Array, far_right: Array, step: Any) -> Array:
    result: Array = (8 * (right - left) - (far_right - far_left)) / (12 * step)
    return result


def _to_other_sign(number: Any) -> Any:
    """The way from a number to its negative; for 0, to a number that is not 0."""
    return -2 * number if number else LEAST


def _noise(weights: Array, results: Array, other: Array) -> Any:
    """A bound of the rounding error of the weighted sum of a result, where the element matters:
    where it changes the result, be it nearby or (`other`) with another sign."""
    unit = float(np.finfo(np.longdouble).eps) / 2
    unmoved = (results == results[0]).all(axis=0) & (other == results[0])
    largest = np.where(unmoved, 0, np.abs(results).max(axis=0))
    return gamma(EVALUATION, unit) * np.abs(weights * largest).sum()


def _sides(
    function: _Along, element: int, step: Any, weights: Array, noise: Any
) -> tuple[Any, ...]:
    """Error, 1, and the least and the greatest slope that lie between those on both sides."""
    middle = function.middle
    terms, error = [], 10 * noise / step
    for side in (-step, step):
        coarse = (function.at(element, side) - middle) / side
        fine = (function.at(element, side / 2) - middle) / (side / 2)
        terms.append(weights * (2 * fine - coarse))
        error += np.abs(weights * (fine - coarse)).sum()
    return error, 1, np.minimum(*terms).sum(), np.maximum(*terms).sum()
