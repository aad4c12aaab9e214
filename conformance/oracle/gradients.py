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

Where the two steps disagree, or the function bends much, there is a kink nearby. Then only the
slopes on both sides are known: by one-sided differences with two steps, extrapolated. Their errors
are bounded in the same manner: for every p of at least 1 the extrapolated value is wrong by no more
than the difference of the two, and the coefficients sum to 10 / h.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from conformance.oracle.batches import Place, Versions
from conformance.oracle.evaluate import ORACLES, widened
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import gamma
from conformance.oracle.variants import Readings, read_otherwise

STEP = 2.0**-10
"""Distance of the outer points but one, relative to the element (or to `LEAST` if that is larger).

It is a power of two. Therefore the points are exact. Truncation, of the sixth order, and rounding
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
STEEPER = 1.05
"""From half of `SIDE` a slope that is so many times the slope from `SIDE` grows without end, as
that of a root at zero does (1.6 times for the third). No number bounds it, and nothing is known of
it.
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
    function there; elsewhere both are `value`. For a large input only `MOST` elements are looked
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
    columns = zip(*(dataclasses.astuple(slopes) for slopes in several), strict=True)
    sums = [np.sum(column, axis=0) for column in columns]
    total = Slopes(*sums)
    return dataclasses.replace(total, kink=np.minimum(total.kink, 1))


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
        known = "" if readings else function
        along = (
            _Along(Versions(known, chosen, wide, place, middle.shape), middle)
            for place in _places(wide)
        )
        return {function.versions.place: _of(function, factors) for function in along}


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
            yield from ((name, i) for i, item in enumerate(value) if item.dtype.kind == "f")


@dataclass(frozen=True, slots=True)
class _Along:
    """A function of one of its tensors, the others fixed."""

    versions: Versions
    middle: Array
    """The result with no element moved."""

    @property
    def tensor(self) -> Array:
        name, index = self.versions.place
        value = self.versions.arguments[name]
        tensor: Array = value if index is None else value[index]
        return tensor

    def at(self, elements: Sequence[int], distances: Array) -> Array:
        """For each row of distances, and each of the elements, the result with it moved so far."""
        rows, count = distances.shape
        moved = np.repeat(self.tensor.reshape(1, -1), rows * count, axis=0)
        moved[np.arange(rows * count), [*elements] * rows] += distances.reshape(-1)
        values = self.versions.results(moved.reshape(-1, *self.tensor.shape))
        return values.reshape(rows, count, *self.middle.shape)


def _of(function: _Along, weights: Array) -> Slopes:
    tensor = function.tensor
    table = np.full((7, tensor.size), np.nan)
    looked_at = _looked_at(tensor.size)
    if looked_at:
        table[:, looked_at] = _elements(function, looked_at, weights)
    return Slopes(*(row.reshape(tensor.shape) for row in table))


@cache
def _looked_at(size: int) -> list[int]:
    """The elements whose derivatives are taken: the last, the first, and some between them."""
    between = np.random.Generator(np.random.PCG64(size)).permutation(size).tolist()
    return list(dict.fromkeys([*([size - 1, 0] if size else []), *between]))[:MOST]


def _elements(function: _Along, elements: Sequence[int], weights: Array) -> Array:
    """Rows of value, scale, count, error, kink, low and high, for some input elements."""
    numbers = function.tensor.reshape(-1)[elements]
    sizes = np.maximum(np.abs(numbers), LEAST)
    step = sizes * STEP
    ways = np.stack([*np.multiply.outer(_ENDS, step), _to_other_sign(numbers)])
    *ends, other = function.at(elements, ways)
    far_left, left, half_left, half_right, right, far_right = ends
    coarse = _fourth_order(far_left, left, right, far_right, _beside(step, left))
    fine = _fourth_order(left, half_left, half_right, right, _beside(step / 2, left))
    terms = weights * (16 * fine - coarse) / 15
    value, scale, error = _sum(terms), _sum(np.abs(terms)), _sum(np.abs(weights * (fine - coarse)))
    bend = _sum(np.abs(weights * (right - 2 * function.middle + left))) / step
    noise = _noise(weights, np.stack(ends), function.middle, other)
    count = np.count_nonzero(terms.reshape(len(terms), -1), axis=1)
    fields = [value, scale, count, error + 3.3 * noise / step, np.zeros(len(step)), value, value]
    table = np.array([np.asarray(row, np.float64) for row in fields])
    bent = ~((error <= KINK * scale + TINY) & (bend <= BEND * scale + TINY))
    if bent.any():
        chosen = [element for element, is_bent in zip(elements, bent, strict=True) if is_bent]
        table[3:, bent] = _sides(function, chosen, sizes[bent] * SIDE, weights, noise[bent])
    return table


_ENDS = np.array([-2, -1, -0.5, 0.5, 1, 2], np.longdouble)
"""The points of the two formulas, in steps."""


def _beside(numbers: Array, results: Array) -> Array:
    """One number for each of the results along the first axis."""
    return numbers.reshape(-1, *(1,) * (results.ndim - 1))


def _sum(terms: Array) -> Array:
    """The sum of each result along the first axis."""
    total: Array = terms.reshape(len(terms), -1).sum(axis=1)
    return total


def _fourth_order(far_left: Array, left: Array, right: Array, far_right: Array, step: Any) -> Array:
    result: Array = (8 * (right - left) - (far_right - far_left)) / (12 * step)
    return result


def _to_other_sign(numbers: Array) -> Array:
    """The ways from numbers to their negatives; for 0, to a number that is not 0."""
    ways: Array = np.where(numbers == 0, LEAST, -2 * numbers)
    return ways


def _noise(weights: Array, ends: Array, middle: Array, other: Array) -> Array:
    """Bounds of the rounding error of the weighted sums of results, where the element matters:
    where it changes the result, be it nearby or (`other`) with another sign."""
    same = (ends == ends[0]).all(axis=0) & (ends[0] == middle) & (other == middle)
    largest = np.where(same, 0, np.maximum(np.abs(ends).max(axis=0), np.abs(middle)))
    bound: Array = gamma(EVALUATION, _UNIT) * _sum(np.abs(weights * largest))
    return bound


_UNIT = float(np.finfo(np.longdouble).eps) / 2


def _sides(
    function: _Along, elements: Sequence[int], step: Array, weights: Array, noise: Array
) -> list[Array]:
    """Error, 1, and the least and the greatest slope that lie between those on both sides."""
    middle = function.middle
    terms, error = [], 10 * noise / step
    far, near = function.at(elements, np.stack([-step, step, -step / 2, step / 2])).reshape(
        2, 2, len(step), *middle.shape
    )
    for outer, inner, side in zip(far, near, (-step, step), strict=True):
        coarse = (outer - middle) / _beside(side, outer)
        fine = (inner - middle) / _beside(side / 2, inner)
        terms.append(weights * (2 * fine - coarse))
        before, after = (_sum(np.abs(weights * slopes)) for slopes in (coarse, fine))
        endless = after > STEEPER * before + 10 * noise / step
        error = np.where(endless, np.inf, error + _sum(np.abs(weights * (fine - coarse))))
    return [error, np.ones(len(step)), _sum(np.minimum(*terms)), _sum(np.maximum(*terms))]
