"""Normalisation: batch_normalization, normalize_batch_in_training and l2_normalize.

`batch_normalization` is (x - mean) / sqrt(var + epsilon) * gamma + beta (ko-2.2 line 1917; C066
decides for it against the older documents). `normalize_batch_in_training` does that with the mean
and the variance of x over the reduction axes, and gives all three. `l2_normalize` divides by the
L2 norm. The norm of zeros is a convention: they stay zeros.

Bounds (u the unit roundoff, n the number of terms):

* batch_normalization: with s = |gamma| / sqrt(var + epsilon), the value is the sum of the terms x
  s, -mean s and beta. Implementations may compute them in any order and grouping. Each has at most
  12 roundings (var + epsilon with epsilon rounded, reciprocal root within 2 ULP as OpenCL allows,
  products, sums): gamma_12 ((|x| + |mean|) s + |beta|) (Higham, section 3.1).
* mean and variance: those of `mean` and `var`, in `reductions`.
* normalised: the same terms, and what an error d of the mean and B of the variance change:
  d s, and |x - mean| |gamma| times the distance of 1 / sqrt(var + epsilon) from its value
  at var + B or var - B.
* l2_normalize: a sum of n squares has a relative error of gamma_(n+1), its root half of it, root
  and quotient (or reciprocal root and product) 8 roundings: gamma_(n/2 + 9) |value|. Where the
  squares are too small for the dtype, nothing is demanded; where they are too large, the quotient
  may be 0, or anything nearer to the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from conformance.oracle import reductions
from conformance.oracle.axes import Axis, axes_of
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]


def _along(statistic: Array, x: Array, axis: int) -> Array:
    """A vector of statistics in a shape that broadcasts along an axis of x."""
    if statistic.ndim != 1:
        return statistic
    shape = [1] * x.ndim
    shape[axis] = statistic.shape[0]
    return statistic.reshape(shape)


def batch_normalization(  # noqa: PLR0917 - as documented
    x: Array, mean: Array, var: Array, beta: Array, gamma: Array, axis: int = -1, epsilon: Any = 0
) -> Array:
    """x less the mean, over the root of the variance, scaled and shifted.

    Shapes: any x; the others are (length of the axis,) or broadcast with x. The result has their
    common shape.
    """
    mean, var, beta, gamma = (_along(s, x, axis) for s in (mean, var, beta, gamma))
    result: Array = (x - mean) / np.sqrt(var + epsilon) * gamma + beta
    return result


def _normalised_shape(x: Array, axis: int = -1, **others: Any) -> tuple[int, ...]:
    """The shape of `batch_normalization`: vectors stretch an axis of length 1."""
    vectors = (others[name] for name in ("mean", "var", "beta", "gamma"))
    return np.broadcast_shapes(x.shape, *(_along(v, x, axis).shape for v in vectors))


def bounded_batch_normalization(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    x: Array,
    mean: Array,
    var: Array,
    beta: Array,
    gamma: Array,
    axis: int = -1,
    epsilon: Any = 0,
) -> Bounded:
    """Value and bound of `batch_normalization`.

    Shapes: value and bound have the shape of `batch_normalization`.
    """
    value = batch_normalization(x, mean, var, beta, gamma, axis, epsilon)
    mean, var, beta, gamma = (_along(s, x, axis) for s in (mean, var, beta, gamma))
    return value, _terms(model, x, mean, 1 / np.sqrt(var + epsilon), gamma, beta)


def _terms(  # noqa: PLR0917 - as documented
    model: Arithmetic, x: Array, mean: Array, inverse: Array, gamma: Array, beta: Array
) -> Array:
    """The share of the bound that rounding the terms x s, -mean s and beta adds.

    Infinite where a partial product leaves the range of the dtype: some order overflows.
    """
    size, factor = finite_magnitude(x) + finite_magnitude(mean), finite_magnitude(gamma)
    inverse = finite_magnitude(inverse)
    total = size * inverse * factor + finite_magnitude(beta)
    bound: Array = allowance(12, model) * total + 12 * model.underflow
    parts = (size, inverse, inverse * factor, size * inverse, size * inverse * factor, total)
    low, high = model.smallest_normal / model.unit, model.overflow / 4
    for part in parts:
        bound = np.where(((part > 0) & (part < low)) | (part >= high), np.inf, bound)
    return bound


def spread(statistic: Array, x: Array, axes: Sequence[int]) -> Array:
    """A statistic of the axes that are kept in a shape that broadcasts with x."""
    reduced = {a % x.ndim for a in axes}
    return statistic.reshape([1 if i in reduced else d for i, d in enumerate(x.shape)])


def normalised(
    x: Array, gamma: Array, beta: Array, reduction_axes: Sequence[int], epsilon: Any = 0, **_: Any
) -> Array:
    """x normalised by its own mean and variance.

    Shapes: any x; gamma and beta have an element for each place on the other axes; the result has
    the shape of x.
    """
    axes = tuple(reduction_axes)
    mean, var = reductions.mean(x, axes, True), reductions.var(x, axes, True)
    scale, shift = spread(gamma, x, axes), spread(beta, x, axes)
    result: Array = (x - mean) / np.sqrt(var + epsilon) * scale + shift
    return result


def bounded_normalised(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    x: Array,
    gamma: Array,
    beta: Array,
    reduction_axes: Sequence[int],
    epsilon: Any = 0,
    **how: Any,
) -> Bounded:
    """Value and bound of `normalised`; `how` the variance is computed as `bounded_var` has it.

    Shapes: value and bound have the shape of x.
    """
    axes = tuple(reduction_axes)
    mean, drift = reductions.bounded_mean(model, x, axes, True)
    var, wide = reductions.bounded_var(model, x, axes, True, **how)
    wide = np.where(var + wide >= model.overflow, np.inf, wide)
    scale, shift = np.abs(spread(gamma, x, axes)), spread(beta, x, axes)
    moved = Moved(mean, drift, var, wide)
    bound = of_moved(model, x, moved, scale, shift, lambda v: 1 / np.sqrt(v + epsilon))
    return normalised(x, gamma, beta, axes, epsilon), bound


class Moved(NamedTuple):
    """A mean and a variance, and how far an implementation may be off them."""

    mean: Array
    drift: Array
    var: Array
    wide: Array


def of_moved(  # noqa: PLR0917 - what a bound is made of
    model: Arithmetic,
    x: Array,
    moved: Moved,
    scale: Array,
    shift: Array,
    inverse_of: Callable[[Array], Array],
) -> Array:
    """The bound of x less a mean, times the inverse of the root of a variance, scaled and shifted.

    `scale` is a magnitude; `inverse_of` falls as the variance rises.

    Shapes: statistics, scale and shift broadcast with x; the result has the shape of x.
    """
    inverse = inverse_of(moved.var)
    above = inverse_of(np.maximum(moved.var - moved.wide, 0)) - inverse
    below = inverse - inverse_of(moved.var + moved.wide)
    error = np.maximum(above, below)
    bound = _terms(model, x, moved.mean, inverse + error, scale, shift)
    bound = bound + scale * (inverse + error) * moved.drift
    bound = bound + scale * np.abs(x - moved.mean) * error
    return np.where(np.isnan(bound), np.inf, bound)


def batch_mean(x: Array, reduction_axes: Sequence[int], **_: Any) -> Array:
    """The mean over the axes, its elements in a row.

    Shapes: any x; the result is (product of the other axes,).
    """
    return reductions.mean(x, tuple(reduction_axes)).reshape(-1)


def batch_variance(
    x: Array,
    reduction_axes: Sequence[int],
    epsilon: float = 0,
    *,
    sample: bool = False,
    guarded: bool = False,
    **_: Any,
) -> Array:
    """The variance over the axes, its elements in a row; of a population or of a sample, or
    `guarded` by epsilon.

    Shapes: any x; the result is (product of the other axes,).
    """
    variance = reductions.var(x, tuple(reduction_axes)).reshape(-1)
    variance = variance + epsilon if guarded else variance
    return variance * _correction(x, reduction_axes) if sample else variance


def _correction(x: Array, axes: Sequence[int]) -> float:
    """Bessel's: n / (n - 1) for n elements, and 1 for a single one."""
    count = reductions.terms(x, tuple(axes))
    return count / max(count - 1, 1)


def bounded_batch_variance(
    model: Arithmetic,
    x: Array,
    reduction_axes: Sequence[int],
    epsilon: float = 0,
    *,
    sample: bool = False,
    guarded: bool = False,
    squares: bool = False,
    **_: Any,
) -> Bounded:
    """Value and bound of `batch_variance`: a sample's has three roundings more.

    A guarded quotient has those of an inverse root, of its square and of another inverse.

    Shapes: value and bound have the shape of `batch_variance`.
    """
    var = partial(reductions.bounded_var, squares=squares)
    value, bound = _in_a_row(var)(model, x, reduction_axes)
    if guarded:
        value = value + epsilon
        bound = bound + allowance(8, model) * (value + bound)
    if not sample:
        return value, bound
    factor = _correction(x, reduction_axes)
    return value * factor, (bound + allowance(3, model) * (value + bound)) * factor


def _in_a_row(bounded: Callable[..., Bounded]) -> Callable[..., Bounded]:
    def row(model: Arithmetic, x: Array, reduction_axes: Sequence[int], **_: Any) -> Bounded:
        value, bound = bounded(model, x, tuple(reduction_axes))
        return value.reshape(-1), np.broadcast_to(bound, value.shape).reshape(-1)

    return row


def l2_normalize(
    x: Array, axis: Axis = None, *, least: float = 0.0, divides_zero: bool = False
) -> Array:
    """x over the root of the sum of its squares along the axis; zeros stay zeros.

    `least` is what the sum of squares is raised to where it is smaller. With `divides_zero` zeros
    are also divided by their length.

    Shapes: any x; the result has the shape of x.
    """
    length = np.maximum(norm(x, axis), np.sqrt(x.dtype.type(least)))
    if divides_zero:
        where = axes_of(axis)
        length = np.where(np.any(x, axis=where, keepdims=True), length, 0)
    result: Array = x / length
    return result


def norm(x: Array, axis: Axis) -> Array:
    """The L2 norm along the axis, which is kept; 1 in place of 0.

    Shapes: any x; the result has length 1 on the axes.
    """
    where = axes_of(axis)
    top = np.max(np.abs(x), axis=where, keepdims=True, initial=0)
    top = np.where((top > 0) & np.isfinite(top), top, 1)
    length: Array = np.sqrt(np.sum(np.square(x / top), axis=where, keepdims=True)) * top
    return np.where(length == 0, 1, length)


def bounded_l2_normalize(model: Arithmetic, x: Array, axis: Axis = None, **how: Any) -> Bounded:
    """Value and bound of `l2_normalize`.

    Shapes: value and bound have the shape of x.
    """
    value = l2_normalize(x, axis, **how)
    count = reductions.terms(x, axis)
    bound = allowance(count / 2 + 9, model) * finite_magnitude(value) + 4 * model.underflow
    length = norm(x, axis)
    squares = np.square(length)
    small = squares < count * model.smallest_normal / model.unit
    bound = np.where(np.isfinite(length) & small, np.inf, bound)
    beyond = np.isfinite(length) & (squares * 2 >= model.overflow)
    return value, np.where(beyond, bound + finite_magnitude(value), bound)


_TRAINING = "normalize_batch_in_training"
OF_SQUARES = (
    "var",
    "std",
    f"{_TRAINING}.variance",
    f"{_TRAINING}.normalised tensor",
    "moments.variance",
    "layer_normalization",
)
"""The decisions of a variance, which may be computed from the mean of squares (`squares`)."""

ORACLES: Mapping[str, Callable[..., Array]] = {
    "batch_normalization": batch_normalization,
    f"{_TRAINING}.normalised tensor": normalised,
    f"{_TRAINING}.mean": batch_mean,
    f"{_TRAINING}.variance": batch_variance,
    "l2_normalize": l2_normalize,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "batch_normalization": bounded_batch_normalization,
    f"{_TRAINING}.normalised tensor": bounded_normalised,
    f"{_TRAINING}.mean": _in_a_row(reductions.bounded_mean),
    f"{_TRAINING}.variance": bounded_batch_variance,
    "l2_normalize": bounded_l2_normalize,
}

SHAPES: Mapping[str, Callable[..., tuple[int, ...]]] = {"batch_normalization": _normalised_shape}
"""The shapes of results that may be very large under another reading than the suite's own."""
