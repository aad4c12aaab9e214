"""Normalisations of Keras 3: by given statistics, by norms, by statistics of the tensor itself.

`normalize` is x / max(norm(x), epsilon), `rms_normalization` x / sqrt(mean(x^2)) times a scale,
and `layer_normalization` x less its mean, over the root of its variance, scaled and shifted. How
epsilon keeps the last two from dividing by zero is a convention: it is added under the root, or
(`least`) the root is no less than it.

Bounds (u the unit roundoff, n the number of terms), beside those of `normalisation`:

* normalize: a sum of n powers, each within 16 ULP (OpenCL allows pow as much) of terms with order
  roundings, has a relative error of gamma_(n + 32 + order), its root of that order not more, the
  root itself 16 ULP, quotient and limit 3 roundings; with squares and roots as `l2_normalize`.
  Where a power leaves the range of the dtype, nothing is demanded.
* rms_normalization: mean of squares, epsilon and root as there, and 3 roundings for the products.

Source: the docstrings of `keras.ops` for the values, Higham 2002, section 3.1, for gamma.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle import normalisation, reductions
from conformance.oracle.axes import Axis, axes_of
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]
EPSILON = 1e-7
"""keras.backend.epsilon() as the suite leaves it."""


def _or(array: Array | None, number: float, like: Array) -> Array:
    return np.full(like.shape, number, like.dtype) if array is None else array


def _limit(epsilon: Any) -> Any:
    return EPSILON if epsilon is None else epsilon


def by_statistics(  # noqa: PLR0917 - as documented
    x: Array,
    mean: Array,
    variance: Array,
    axis: int,
    offset: Array | None = None,
    scale: Array | None = None,
    epsilon: Any = 1e-3,
) -> Array:
    """x less a mean, over the root of a variance, scaled and shifted, along one axis.

    Shapes: any x; mean, variance, offset and scale are (length of the axis,); the result has the
    shape of x.
    """
    beta, gamma = _or(offset, 0, mean), _or(scale, 1, mean)
    return normalisation.batch_normalization(x, mean, variance, beta, gamma, axis, epsilon)


def bounded_by_statistics(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    x: Array,
    mean: Array,
    variance: Array,
    axis: int,
    offset: Array | None = None,
    scale: Array | None = None,
    epsilon: Any = 1e-3,
) -> Bounded:
    """Value and bound of `by_statistics`.

    Shapes: value and bound have the shape of x.
    """
    arguments = (x, mean, variance, _or(offset, 0, mean), _or(scale, 1, mean), axis, epsilon)
    return normalisation.bounded_batch_normalization(model, *arguments)


def length(x: Array, axis: Axis, order: int, *, of_matrix: bool = False) -> Array:
    """The norm along the axes, which are kept; with `of_matrix` that of matrices in two axes.

    Shapes: any x; the result has length 1 on the axes.

    Raises:
        ValueError: there is no such norm.
    """
    where = axes_of(axis)
    if of_matrix:
        if order > 2 or not isinstance(where, tuple) or len(where) != 2:
            raise ValueError("a norm of matrices has two axes, and the order 1 or 2")
        return np.asarray(np.linalg.norm(x.astype(np.float64), order, where, keepdims=True))
    top = np.max(np.abs(x), axis=where, keepdims=True, initial=0)
    top = np.where((top > 0) & np.isfinite(top), top, 1)
    total = np.sum(np.abs(x / top) ** order, axis=where, keepdims=True)
    root = np.sqrt(total) if order == 2 else total ** (x.dtype.type(1) / order)
    return np.asarray(root * top)


def normalize(
    x: Array, axis: Axis = -1, order: int = 2, epsilon: Any = None, *, of_matrix: bool = False
) -> Array:
    """x over its norm, or over epsilon where that is larger.

    Shapes: any x; the result has the shape of x.
    """
    norm = length(x, axis, order, of_matrix=of_matrix)
    return np.asarray(x / np.maximum(norm, x.dtype.type(_limit(epsilon))))


def bounded_normalize(
    model: Arithmetic,
    x: Array,
    axis: Axis = -1,
    order: int = 2,
    epsilon: Any = None,
    **how: bool,
) -> Bounded:
    """Value and bound of `normalize`.

    Shapes: value and bound have the shape of x.
    """
    value, count = normalize(x, axis, order, epsilon, **how), reductions.terms(x, axis)
    roundings = count / 2 + 9 if order == 2 else count + 67 + order
    bound = allowance(roundings, model) * finite_magnitude(value) + 4 * model.underflow
    powers = np.maximum(length(x, axis, order), float(_limit(epsilon))) ** order
    # a norm that is nothing beside epsilon may be lost
    small = powers < count * model.smallest_normal / model.unit
    outside = np.isfinite(powers) & (small | (powers * 2 >= model.overflow))
    return value, np.where(outside, np.inf, bound)


def _inverse(square: Array, epsilon: Any, least: bool) -> Array:
    limit = square.dtype.type(_limit(epsilon))
    root = np.maximum(np.sqrt(square), limit) if least else np.sqrt(square + limit)
    return np.asarray(1 / root)


def rms_normalization(
    x: Array,
    scale: Array | None = None,
    axis: Axis = -1,
    epsilon: Any = None,
    *,
    least: bool = False,
) -> Array:
    """x over the root of the mean of its squares, times a scale.

    Shapes: any x; scale broadcasts with x; the result has the shape of x.
    """
    mean = reductions.mean(np.square(x), axes_of(axis), True)
    result = x * _inverse(mean, epsilon, least)
    return np.asarray(result if scale is None else result * scale)


def bounded_rms_normalization(
    model: Arithmetic,
    x: Array,
    scale: Array | None = None,
    axis: Axis = -1,
    epsilon: Any = None,
    **how: bool,
) -> Bounded:
    """Value and bound of `rms_normalization`.

    Shapes: value and bound have the shape of x.
    """
    value, count = rms_normalization(x, scale, axis, epsilon, **how), reductions.terms(x, axis)
    bound = allowance(count / 2 + 12, model) * finite_magnitude(value) + 4 * model.underflow
    total = count * reductions.mean(np.square(x), axes_of(axis), True)
    floor = np.minimum(float(_limit(epsilon)), float(_limit(epsilon)) ** 2 if how else np.inf)
    small = np.maximum(total, floor) < count * model.smallest_normal / model.unit
    outside = np.isfinite(total) & (small | (total * 2 >= model.overflow))
    return value, np.where(outside, np.inf, bound)


def layer_normalization(
    x: Array,
    gamma: Array | None = None,
    beta: Array | None = None,
    axis: Axis = -1,
    epsilon: Any = None,
    *,
    least: bool = False,
    **_: Any,
) -> Array:
    """x less its mean, over the root of its variance, scaled and shifted.

    Shapes: any x; gamma and beta broadcast with x; the result has the shape of x.
    """
    where = axes_of(axis)
    mean, var = reductions.mean(x, where, True), reductions.var(x, where, True)
    value = (x - mean) * _inverse(var, epsilon, least)
    value = value if gamma is None else value * gamma
    return np.asarray(value if beta is None else value + beta)


def bounded_layer_normalization(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    x: Array,
    gamma: Array | None = None,
    beta: Array | None = None,
    axis: Axis = -1,
    epsilon: Any = None,
    *,
    least: bool = False,
    squares: bool = False,
    **_: Any,
) -> Bounded:
    """Value and bound of `layer_normalization`.

    Shapes: value and bound have the shape of x.
    """
    where = axes_of(axis)
    mean, drift = reductions.bounded_mean(model, x, where, True)
    var, wide = reductions.bounded_var(model, x, where, True, squares=squares)
    wide = np.where(var + wide >= model.overflow, np.inf, wide)
    moved = normalisation.Moved(mean, drift, var, wide)
    scale, shift = np.abs(_or(gamma, 1, mean)), _or(beta, 0, mean)
    bound = normalisation.of_moved(
        model, x, moved, scale, shift, lambda v: _inverse(v, epsilon, least)
    )
    return layer_normalization(x, gamma, beta, axis, epsilon, least=least), bound


def _moment(function: Callable[..., Any]) -> Callable[..., Any]:
    def moment(*model: Any, x: Array, axes: Axis, keepdims: bool = False, **how: Any) -> Any:
        squares = {"squares": how["squares"]} if "squares" in how else {}
        return function(*model, x, axes_of(axes), keepdims, **squares)

    return moment


WITH_EPSILON = ("rms_normalization", "layer_normalization")
"""Functions of which no docstring says what epsilon does, but that it is a lower bound."""

ORACLES: Mapping[str, Callable[..., Array]] = {
    "by_statistics": by_statistics,
    "normalize": normalize,
    "rms_normalization": rms_normalization,
    "layer_normalization": layer_normalization,
    "moments.mean": _moment(reductions.mean),
    "moments.variance": _moment(reductions.var),
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "by_statistics": bounded_by_statistics,
    "normalize": bounded_normalize,
    "rms_normalization": bounded_rms_normalization,
    "layer_normalization": bounded_layer_normalization,
    "moments.mean": _moment(reductions.bounded_mean),
    "moments.variance": _moment(reductions.bounded_var),
}
