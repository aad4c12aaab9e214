"""Sums, products and order statistics that Keras 3 has and K had not.

Bounds (u the unit roundoff, n the number of terms):

* Functions that ignore NaN have the bounds of `reductions`, with 0 (in products, 1) in place of
  NaN, which adds no rounding. nanmean: the bound of the sum and two roundings, over the number of
  terms. nanvar: as `var`, with that drift of the mean.
* trace, vdot, tensordot: gamma_n of the sum of magnitudes (Higham, section 3.1).
* average: gamma_(2n+4) sum |x| w / sum w, for products, two sums, one of weights, and a quotient.
* diff: one rounding each time; those of the differences before it are at most gamma_n of their
  magnitudes. trapezoid: gamma_(n+5) of the sum of the magnitudes times their weights.
* norm: as `l2_normalize`, gamma_(n/2 + 9) |value|, and nothing where a square leaves the range.
* quantiles are conditioned: numbers between two elements move no more than these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle import reductions
from conformance.oracle.axes import Axis, axes_of
from conformance.oracle.elementwise import binary
from conformance.oracle.expectation import Array
from conformance.oracle.linear_algebra import inner_product
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]
_ADD: Any = np.add.reduce


def _without_nan(x: Array, number: float) -> Array:
    if x.dtype.kind != "f":
        return x
    return np.where(np.isnan(x), x.dtype.type(number), x)


def _left_out(function: Callable[..., Any], number: float) -> Callable[..., Any]:
    """The function of a tensor, or of an arithmetic and a tensor, with a number for each NaN."""

    def changed(*others: Any, x: Array, **how: Any) -> Any:
        return function(*others, x=_without_nan(x, number), **how)

    return changed


def _extreme(function: Any, number: float) -> Callable[..., Array]:
    """The largest or smallest element that is not NaN; NaN of none."""

    def oracle(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
        how: dict[str, Any] = {"axis": axes_of(axis), "keepdims": keepdims}
        value = function(_without_nan(x, number), **how)
        if x.dtype.kind in "biu":
            return np.asarray(value)
        return np.where(np.all(np.isnan(x), **how), np.nan, value)

    return oracle


def _count(x: Array, axis: Axis, keepdims: bool) -> Array:
    return np.asarray(_ADD(~np.isnan(x), axis=axes_of(axis), keepdims=keepdims, dtype=x.dtype))


def nanmean(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The mean of the elements that are not NaN; NaN of none.

    Shapes: any x; a reduced axis is gone, or has length 1 with `keepdims`.
    """
    total = _ADD(_without_nan(x, 0), axis=axes_of(axis), keepdims=keepdims)
    return np.asarray(total / _count(x, axis, keepdims))


def nanvar(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The mean of the squared differences from the mean, without the NaN.

    Shapes: as `nanmean`.
    """
    return nanmean(np.square(x - nanmean(x, axis, True)), axis, keepdims)


def nanstd(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The square root of `nanvar`.

    Shapes: as `nanmean`.
    """
    return np.asarray(np.sqrt(nanvar(x, axis, keepdims)))


def bounded_nanmean(
    model: Arithmetic, x: Array, axis: Axis = None, keepdims: bool = False
) -> Bounded:
    """Value and bound of `nanmean`; infinite where the sum of magnitudes overflows.

    Shapes: value and bound have the shape of `nanmean`.
    """
    value, terms = nanmean(x, axis, keepdims), reductions.terms(x, axis)
    size = finite_magnitude(x)
    magnitude = _ADD(size, axis=axes_of(axis), keepdims=keepdims)
    factor = allowance(terms + 2, model)
    bound = (factor * magnitude + 2 * terms * model.underflow) / _count(x, axis, keepdims)
    return value, np.where(magnitude * (1 + factor) >= model.overflow, np.inf, bound)


def bounded_nanvar(
    model: Arithmetic, x: Array, axis: Axis = None, keepdims: bool = False
) -> Bounded:
    """Value and bound of `nanvar`: that of `var`, of the elements that are not NaN.

    Shapes: value and bound have the shape of `nanvar`.
    """
    value, (_, drift) = nanvar(x, axis, keepdims), bounded_nanmean(model, x, axis, keepdims)
    terms = reductions.terms(x, axis)
    factor = allowance(terms + 5, model)
    bound = factor * (value + drift**2) + drift**2 + 4 * model.underflow
    risky = terms * (value + drift**2) * (1 + factor) >= model.overflow
    return value, np.where(risky, np.inf, bound)


def bounded_nanstd(
    model: Arithmetic, x: Array, axis: Axis = None, keepdims: bool = False
) -> Bounded:
    """Value and bound of `nanstd` from those of `nanvar`.

    Shapes: value and bound have the shape of `nanstd`.
    """
    square, spread = bounded_nanvar(model, x, axis, keepdims)
    value = np.sqrt(square)
    error = np.minimum(spread / np.where(value > 0, value, 1), np.sqrt(spread))
    error = np.where(value > 0, error, np.sqrt(spread))
    return value, error + 4 * model.unit * (value + error)


def quantile(
    x: Array,
    q: Any,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    skips: bool = False,
    method: str = "linear",
) -> Array:
    """The number below which a share q of the elements lies, between two of them as `method` says;
    of several shares, along a first axis.

    With `skips` NaN is left out; else it is the answer wherever there is one.

    Shapes: as `nanmean`; a list of n shares puts an axis (n,) in front.
    """
    if isinstance(q, list):
        parts = [quantile(x, part, axis, keepdims, skips=skips, method=method) for part in q]
        return np.stack(parts)
    axes = [a % x.ndim for a in np.atleast_1d(range(x.ndim) if axis is None else axis)]
    others = [a for a in range(x.ndim) if a not in axes]
    rows = np.sort(np.transpose(x, [*others, *axes]).reshape(*(x.shape[a] for a in others), -1))
    value = _between(rows, x.dtype.type(q), skips, method)
    return np.expand_dims(value, tuple(sorted(axes))) if keepdims else value


_METHODS: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    "linear": lambda low, high, way: low + (high - low) * way,
    "lower": lambda low, _high, _way: low,
    "higher": lambda _low, high, _way: high,
    "midpoint": lambda low, high, _way: (low + high) / 2,
    "nearest": lambda low, high, way: np.where(way > 1 / 2, high, low),
}
"""The number at a share of the way from one element to the next, by method."""


def _between(rows: Array, q: Any, skips: bool, method: str) -> Array:
    """The quantile of sorted rows, NaN at their ends."""
    if not rows.shape[-1]:
        return np.full(rows.shape[:-1], np.nan)
    missing = np.isnan(rows).sum(axis=-1)
    last = rows.shape[-1] - missing - 1
    place = q * np.maximum(last, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(last, 0))
    low, high = (np.take_along_axis(rows, i[..., np.newaxis], -1)[..., 0] for i in (below, above))
    value = np.where(place == below, low, _METHODS[method](low, high, place - below))
    return np.where((last < 0) | ((missing > 0) & (not skips)), np.nan, value)


def _quantile(share: float, skips: bool) -> Callable[..., Array]:
    def oracle(
        x: Array, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
    ) -> Array:
        parts = [part / share for part in q] if isinstance(q, list) else q / share
        return quantile(x, parts, axis, keepdims, skips=skips, method=method)

    return oracle


def _median(skips: bool) -> Callable[..., Array]:
    def oracle(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
        return quantile(x, 0.5, axis, keepdims, skips=skips)

    return oracle


def ptp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The largest element less the smallest.

    Shapes: as `nanmean`.
    """
    how: dict[str, Any] = {"axis": axes_of(axis), "keepdims": keepdims}
    return np.asarray(np.max(x, **how) - np.min(x, **how))


def for_each_element(x: Array, axis: int | None, weights: Array) -> Array:
    """The weights in the shape of x: those in a row are of the places on the axis."""
    if weights.shape == x.shape or axis is None:
        return weights
    return np.broadcast_to(np.expand_dims(weights, [*range(1, x.ndim - axis % x.ndim)]), x.shape)


def average(x: Array, axis: int | None = None, weights: Array | None = None) -> Array:
    """The mean, each element with its weight.

    Shapes: any x; weights (length of the axis,) or the shape of x; the axis is gone.
    """
    if weights is None:
        return reductions.mean(x, axis)
    weights = for_each_element(x, axis, weights)
    return np.asarray(_ADD(x * weights, axis=axis) / _ADD(weights, axis=axis))


def bounded_average(
    model: Arithmetic, x: Array, axis: int | None = None, weights: Array | None = None
) -> Bounded:
    """Value and bound of `average`; infinite where a sum of magnitudes overflows.

    Shapes: value and bound have the shape of `average`.
    """
    if weights is None:
        return reductions.bounded_mean(model, x, axis)
    weights = for_each_element(x, axis, weights)
    terms, size = reductions.terms(x, axis), finite_magnitude(x) * finite_magnitude(weights)
    magnitude, total = _ADD(size, axis=axis), _ADD(finite_magnitude(weights), axis=axis)
    factor = allowance(2 * terms + 4, model)
    bound = (factor * magnitude + 2 * terms * model.underflow) / total
    risky = np.maximum(magnitude, total) * (1 + factor) >= model.overflow
    return average(x, axis, weights), np.where(risky | (total == 0), np.inf, bound)


def bounded_trace(
    model: Arithmetic, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Bounded:
    """Value and bound of `trace`: a sum along a diagonal.

    Shapes: any x of rank 2 or more; value and bound have the axes of x without the two.
    """
    return reductions.bounded_sum(model, np.diagonal(x, offset, axis1, axis2), -1)


def vdot(x: Array, y: Array) -> Array:
    """The sum of the products of all elements.

    Shapes: x and y with equal numbers of elements; the result has the shape ().
    """
    return np.asarray(np.einsum("i,i->", x.reshape(-1), y.reshape(-1)))


Axes = int | Sequence[Sequence[int]]
LAST = ((-1,), (-1,))
"""The last axis of both tensors."""


def _contracted(x: Array, y: Array, axes: Axes) -> tuple[list[int], list[int]]:
    """The axes of x and those of y that are summed over."""
    if isinstance(axes, int):
        return [*range(x.ndim - axes, x.ndim)], [*range(axes)]
    return [axis % x.ndim for axis in axes[0]], [axis % y.ndim for axis in axes[1]]


def tensordot(x: Array, y: Array, axes: Axes = 2) -> Array:
    """The sum of the products over the last axes of x and the first of y, or over those listed.

    Shapes: the result has the axes of x, then of y, that are not summed.
    """
    mine, yours = _contracted(x, y, axes)
    names = dict(zip(yours, mine, strict=True))
    second = [names.get(axis, x.ndim + axis) for axis in range(y.ndim)]
    others = [axis for axis in range(x.ndim) if axis not in mine]
    result: Array = np.einsum(
        x, [*range(x.ndim)], y, second, [*others, *(n for n in second if n >= x.ndim)]
    )
    return result


def bounded_tensordot(model: Arithmetic, x: Array, y: Array, axes: Axes = 2) -> Bounded:
    """Value and bound of `tensordot`.

    Shapes: value and bound have the shape of `tensordot`.
    """
    terms = int(np.prod([x.shape[axis] for axis in _contracted(x, y, axes)[0]], dtype=int))
    return inner_product(lambda a, b: tensordot(a, b, axes), terms, model, x, y, direct=True)


def bounded_diff(model: Arithmetic, x: Array, n: int = 1, axis: int = -1) -> Bounded:
    """Value and bound of `diff`.

    Shapes: any x; value and bound are n shorter on the axis.
    """
    value = np.diff(x, n, axis)
    before = np.moveaxis(np.abs(np.diff(x, n - 1, axis)), axis, -1)
    size = np.abs(value) if n == 1 else np.moveaxis(before[..., 1:] + before[..., :-1], -1, axis)
    return value, allowance(n, model) * size + n * model.underflow


def _weighted(y: Array, points: Array | None, dx: Any, axis: int) -> Array:
    """The terms of a trapezoidal sum: half of the first and the last, and the others, times dx.

    With points there are two for each pair of neighbours, times half of the way between them.
    """
    if points is not None:
        row, steps = np.moveaxis(y, axis, -1), np.diff(np.moveaxis(points, axis, -1)) / 2
        return np.concatenate([row[..., 1:] * steps, row[..., :-1] * steps], -1)
    weights = np.full(y.shape[axis], dx, y.dtype)
    weights[:1] /= 2
    weights[-1:] /= 2
    return np.moveaxis(y, axis, -1) * (weights if len(weights) > 1 else 0 * weights)


def trapezoid(x: Array, points: Array | None = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """The integral along an axis, dx from one point to the next if no points are passed.

    Shapes: any x; points (length of the axis,) or the shape of x; the axis is gone.
    """
    return np.asarray(_ADD(_weighted(x, points, dx, axis), axis=-1))


def bounded_trapezoid(
    model: Arithmetic, x: Array, points: Array | None = None, dx: Any = 1.0, axis: int = -1
) -> Bounded:
    """Value and bound of `trapezoid`; infinite where the sum of magnitudes overflows.

    Shapes: value and bound have the shape of `trapezoid`.
    """
    terms = x.shape[axis]
    magnitude = _ADD(np.abs(_weighted(finite_magnitude(x), points, dx, axis)), axis=-1)
    factor = allowance(terms + 5, model)
    bound = factor * magnitude + 4 * terms * model.underflow
    risky = 4 * magnitude * (1 + factor) >= model.overflow
    return trapezoid(x, points, dx, axis), np.where(risky, np.inf, bound)


ORACLES: Mapping[str, Callable[..., Array]] = {
    **{
        f"nan{name}": _left_out(reductions.ORACLES[name], number)
        for name, number in (("sum", 0), ("prod", 1), ("cumsum", 0), ("cumprod", 1))
    },
    "nanmax": _extreme(np.max, -np.inf),
    "nanmin": _extreme(np.min, np.inf),
    "nanmean": nanmean,
    "nanvar": nanvar,
    "nanstd": nanstd,
    "median": _median(skips=False),
    "nanmedian": _median(skips=True),
    "quantile": _quantile(1, skips=False),
    "nanquantile": _quantile(1, skips=True),
    "percentile": _quantile(100, skips=False),
    "nanpercentile": _quantile(100, skips=True),
    "ptp": ptp,
    "average": average,
    "trace": lambda x, offset=0, axis1=0, axis2=1: np.asarray(np.trace(x, offset, axis1, axis2)),
    "vdot": vdot,
    "tensordot": tensordot,
    "inner": lambda x, y: tensordot(x, y, LAST),
    "kron": binary(np.kron),
    "diff": lambda x, n=1, axis=-1: np.diff(x, n, axis),
    "trapezoid": trapezoid,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    **{
        f"nan{name}": _left_out(reductions.CONTRACTIONS[name], number)
        for name, number in (("sum", 0), ("prod", 1), ("cumsum", 0), ("cumprod", 1))
    },
    "nanmean": bounded_nanmean,
    "nanvar": bounded_nanvar,
    "nanstd": bounded_nanstd,
    "average": bounded_average,
    "trace": bounded_trace,
    "vdot": lambda model, x, y: inner_product(vdot, x.size, model, x, y, direct=True),
    "tensordot": bounded_tensordot,
    "inner": lambda model, x, y: bounded_tensordot(model, x, y, LAST),
    "diff": bounded_diff,
    "trapezoid": bounded_trapezoid,
}
