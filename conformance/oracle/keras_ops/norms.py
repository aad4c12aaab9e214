"""Norms of vectors and matrices, by the table of orders in the docstring of `keras.ops.norm`.

A vector's norm of order p is the p-th root of the sum of the p-th powers. A power is off by a few
units for each digit of its logarithm, and so is the root. Norms of a matrix by its rows or columns
are sums of magnitudes; those by its singular values have their bounds (`matrices.spectral`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle import reductions
from conformance.oracle.axes import Axis, axes_of
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops.matrices import spectral
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]
Order = float | str | None
_ADD = reductions.ORACLES["sum"]
_POWER = 16
"""Roundings of a power and of a root, in a library whose function is good to a few units."""
OF_VALUES: Mapping[Order, Callable[..., Any]] = {"nuc": np.sum, 2: np.max, -2: np.min}
"""How a norm of this order follows from the singular values of a matrix."""
OF_SUMS: Mapping[Order, tuple[int, Callable[..., Any]]] = {
    1: (0, np.max),
    -1: (0, np.min),
    np.inf: (1, np.max),
    -np.inf: (1, np.min),
}
"""The axis of a matrix along which magnitudes are added, and how the norm follows from the sums."""


def _order(ord_: Order) -> Order:
    return None if ord_ == "fro" else ord_


def _is_of_matrices(x: Array, ord_: Order, axis: Axis) -> bool:
    """Whether it is a norm of matrices that is not the root of a sum of squares."""
    rank = x.ndim if axis is None else 1 if isinstance(axis, int) else len(axis)
    return ord_ is not None and rank > 1


def norm(x: Array, ord: Order = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The norm of all elements, of the vectors along an axis, or of the matrices along two.

    Shapes: any x; the result is without the axes, or has length 1 there with `keepdims`.
    Source: keras-3.15.1, `Note` of keras.ops.norm.
    """
    order, where = _order(ord), axes_of(axis)
    if _is_of_matrices(x, order, axis):
        return _expanded(_of_matrices(_matrices(x, axis), order), x, axis, keepdims)
    if order in (None, 2):
        return _euclidean(x, where, keepdims)
    magnitude = np.abs(x)
    if order == 0:
        return np.asarray(_ADD((x != 0).astype(x.dtype), axis=where, keepdims=keepdims))
    if order in (np.inf, -np.inf):
        extreme = np.max if order > 0 else np.min
        return np.asarray(extreme(magnitude, axis=where, keepdims=keepdims))
    assert isinstance(order, int | float)
    with np.errstate(all="ignore"):
        total = _ADD(np.power(magnitude, order), axis=where, keepdims=keepdims)
        return np.asarray(np.power(total, 1 / np.float64(order)))


def _euclidean(x: Array, where: Any, keepdims: bool) -> Array:
    top = np.max(np.abs(x), axis=where, keepdims=True, initial=0)
    scale = np.where((top > 0) & np.isfinite(top), top, 1)
    length = np.sqrt(_ADD(np.square(x / scale), axis=where, keepdims=True)) * scale
    return np.asarray(length if keepdims else np.squeeze(length, where))


def _axes(x: Array, axis: Axis) -> tuple[int, ...]:
    """The axes that the norm runs along, as positive numbers."""
    where = axes_of(axis)
    axes = range(x.ndim) if where is None else (where,) if isinstance(where, int) else where
    return tuple(n % x.ndim for n in axes)


def _matrices(x: Array, axis: Axis) -> Array:
    """The matrices along the last two axes."""
    return np.moveaxis(x, _axes(x, axis), (-2, -1))


def _of_matrices(matrices: Array, order: Order) -> Array:
    if order in OF_VALUES:
        known = np.asarray(np.isfinite(matrices).all((-2, -1)))
        finite = np.where(known[..., None, None], matrices, 0).astype(np.float64)
        values = np.linalg.svd(finite, compute_uv=False)
        return np.where(known, OF_VALUES[order](values, axis=-1), np.nan)
    along, extreme = OF_SUMS[order]
    return np.asarray(extreme(_ADD(np.abs(matrices), axis=along - 2), axis=-1))


def _expanded(result: Array, x: Array, axis: Axis, keepdims: bool) -> Array:
    return np.expand_dims(result, _axes(x, axis)) if keepdims else result


def bounded_norm(
    model: Arithmetic,
    x: Array,
    ord: Order = None,
    axis: Axis = None,
    keepdims: bool = False,
) -> Bounded:
    """Value and bound of `norm`.

    Shapes: value and bound have the shape of `norm`.
    Source: Higham 2002, section 3.1, for sums; `matrices.spectral` for singular values.
    """
    order, value = _order(ord), norm(x, ord, axis, keepdims)
    if _is_of_matrices(x, order, axis):
        bound = _bound_of_matrices(model, _matrices(x, axis), order)
        return value, _expanded(bound, x, axis, keepdims)
    if order in (None, 2):
        return value, _bound_of_root(model, x, value, axis)
    if order in (0, np.inf, -np.inf):
        return value, np.zeros_like(value, dtype=np.float64)
    if order == 1:
        return reductions.bounded_sum(model, np.abs(x), axis, keepdims)
    assert isinstance(order, int | float)
    return value, _bound_of_powers(model, x, order, value, axis)


def _bound_of_root(model: Arithmetic, x: Array, value: Array, axis: Axis) -> Array:
    """The bound of a root of squares: infinite where a square may overflow or be tiny."""
    terms = reductions.terms(x, axis)
    bound = allowance(terms / 2 + 9, model) * finite_magnitude(value) + 4 * model.underflow
    squares = np.square(value)
    small = (squares < terms * model.smallest_normal / model.unit) & (value > 0)
    outside = np.isfinite(value) & (small | (squares * 2 >= model.overflow))
    return np.where(outside, np.inf, bound)


def _bound_of_powers(model: Arithmetic, x: Array, order: float, value: Array, axis: Axis) -> Array:
    """The bound of a root of a sum of powers: infinite where the sum may leave the normal range.

    Powers below that range are lost in a sum that is far larger. They count as one rounding.
    """
    terms = reductions.terms(x, axis)
    magnitude = finite_magnitude(x)
    with np.errstate(all="ignore"):
        powers = np.power(magnitude, order)
        logarithm = np.abs(np.log(np.where(value > 0, value, 1)))
        roundings = _POWER * (1 + 1 / abs(order)) + (terms + 1) / abs(order) + 4 * logarithm
        bound = allowance(np.ceil(roundings), model) * finite_magnitude(value)
        total = np.sum(powers, axis=axes_of(axis), keepdims=True).reshape(value.shape)
    small = (total > 0) & (total < terms * model.smallest_normal / model.unit)
    return np.where(small | ~(total * 4 < model.overflow), np.inf, bound)


def _bound_of_matrices(model: Arithmetic, matrices: Array, order: Order) -> Array:
    if order in OF_VALUES:
        lost, bound = spectral(matrices, model.dtype)
        count = min(matrices.shape[-2:]) if order == "nuc" else 1
        return np.asarray(2 * count * bound if 0 <= lost < 1 else np.full_like(bound, np.inf))
    along, _ = OF_SUMS[order]
    _, bound = reductions.bounded_sum(model, np.abs(matrices), along - 2)
    return np.asarray(np.max(bound, axis=-1))


ORACLES: Mapping[str, Callable[..., Array]] = {"norm": norm}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"norm": bounded_norm}
