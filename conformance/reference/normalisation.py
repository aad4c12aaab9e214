"""Normalisation: shape and dtype of x; integers and bool are computed in floatx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import (
    SMALLEST,
    Axis,
    axes_of,
    axis_of,
    cast,
    number,
    tensor,
    widened,
)
from conformance.reference.symbolic.graph import Tensor, apply, binary, floating
from conformance.reference.symbolic.rules import same_dimension, same_dtype


@documented(
    "ja-1:843 normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.0001)",
    "ja-2.0:1423 normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.001)",
    "ko-2.2:1885 normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=0.001)",
)
def normalize_batch_in_training(
    x: Tensor, gamma: Tensor, beta: Tensor, reduction_axes: Any, epsilon: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """(normalised x, mean, variance) (ko-2.2:1902), over an iterable of axes (ko-2.2:1896).

    gamma and beta have the shape of x without the reduction axes, and so have mean and variance,
    which divides by the number of elements. ValueError: another shape or dtype, no such axis.
    """
    where = "normalize_batch_in_training"
    x = floating(tensor(x, where))
    axes = _reduced(x, reduction_axes, where)
    scale, shift = (_along(x, t, axes, where, n) for t, n in ((gamma, "gamma"), (beta, "beta")))
    wide = widened(x)
    mean = apply("mean", wide, axis=axes, keepdims=True)
    centred = wide - mean
    variance = apply("mean", apply("square", centred), axis=axes, keepdims=True)
    result = _scaled(centred, (variance, shift, scale), _epsilon(epsilon, where))
    first, second = (cast(_without(moment, axes), x.dtype) for moment in (mean, variance))
    return _like(result, x), first, second


def _without(moment: Tensor, axes: tuple[int, ...]) -> Tensor:
    for axis in sorted(axes, reverse=True):
        moment = apply("squeeze", moment, axis=axis)
    return moment


def _reduced(x: Tensor, axes: Any, where: str) -> tuple[int, ...]:
    if not isinstance(axes, Iterable) or isinstance(axes, str):
        raise ValueError(f"{where}: reduction_axes must be a list of integers, not {axes!r}")
    return axes_of(x, axes, where, "reduction_axes")


def _along(x: Tensor, statistic: Any, axes: tuple[int, ...], where: str, what: str) -> Tensor:
    """A tensor with the shape of x without the axes, with length 1 for each of these."""
    array = tensor(statistic, where, what)
    same_dtype(where, x, array)
    others = [axis for axis in range(x.ndim) if axis not in axes]
    if array.ndim != len(others):
        raise ValueError(
            f"{where}: {what} is {array!r}; "
            f"it needs rank {len(others)}, as {x!r} has without {axes}"
        )
    for position, axis in enumerate(others):
        same_dimension(array.shape[position], x.shape[axis], f"{where}: {what}, axis {axis} of x")
    for axis in sorted(axes):
        array = apply("expand_dims", array, axis=axis)
    return widened(array)


def _like(result: Tensor, x: Tensor) -> Tensor:
    """The result in the dtype of x; it is an error if broadcasting made it larger."""
    return apply("alike", cast(result, x.dtype), x)


def _epsilon(value: Any, where: str) -> float:
    return float(number(value, where, "epsilon"))


def _scaled(centred: Tensor, features: Sequence[Tensor], epsilon: float) -> Tensor:
    var, beta, gamma = features
    return centred * (gamma / apply("sqrt", var + epsilon)) + beta


@documented(
    "ja-1:853 batch_normalization(x, mean, var, beta, gamma, epsilon=0.0001)",
    "ja-2.0:1445 batch_normalization(x, mean, var, beta, gamma, epsilon=0.001)",
    "ko-2.2:1910 batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=0.001)",
)
def batch_normalization(  # noqa: PLR0917 - as documented
    x: Tensor,
    mean: Tensor,
    var: Tensor,
    beta: Tensor,
    gamma: Tensor,
    axis: int = -1,
    epsilon: float = 0.001,
) -> Tensor:
    """(x - mean) / sqrt(var + epsilon) * gamma + beta (ko-2.2:1917; conflict C066).

    mean, var, beta and gamma are vectors along the axis (before keras-2.2 the last), or have the
    rank of x and broadcast. ValueError: another rank, length or dtype.

    Shapes: any x; the result has the shape of x.
    """
    where = "batch_normalization"
    x = floating(tensor(x, where))
    position = axis_of(x, axis, where)
    named = (("mean", mean), ("var", var), ("beta", beta), ("gamma", gamma))
    first, *features = (_feature(x, t, position, where, name) for name, t in named)
    return _like(_scaled(widened(x) - first, features, _epsilon(epsilon, where)), x)


def _feature(x: Tensor, statistic: Any, axis: int, where: str, what: str) -> Tensor:
    """A vector with the new axes that bring it to its axis; a tensor of the rank of x as it is."""
    array = tensor(statistic, where, what)
    same_dtype(where, x, array)
    if array.ndim not in (1, x.ndim):
        raise ValueError(f"{where}: {what} is {array!r}; it needs rank 1, or {x.ndim} as x")
    if array.ndim == 1:
        same_dimension(array.shape[0], x.shape[axis], f"{where}: {what} and axis {axis} of x")
        for _ in range(x.ndim - 1 - axis):
            array = apply("expand_dims", array, axis=array.ndim)
    return widened(array)


@documented(
    "ja-1:1387 l2_normalize(x, axis)",
    "ja-2.0:2928 l2_normalize(x, axis)",
    "ko-2.2:3024 l2_normalize(x, axis=None)",
)
def l2_normalize(x: Tensor, axis: Axis = None) -> Tensor:
    """x over its L2 norm along axes (ko-2.2:3028); keras-2.2: None for all. Zeros stay.

    Shapes: any x; the result has the shape of x.
    """
    x = floating(tensor(x, "l2_normalize"))
    axes = axes_of(x, axis, "l2_normalize")
    wide = widened(x)
    total = apply("sum", apply("square", wide), axis=axes, keepdims=True)
    norm = apply("sqrt", binary("maximum", total, SMALLEST[x.dtype]))
    return cast(wide / norm, x.dtype)
