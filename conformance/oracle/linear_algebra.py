"""Linear algebra: dot, batch_dot and transpose.

`dot` sums the last axis of x with the last but one of y (C046: (2, 3) . (4, 3, 5) gives (2, 4, 5)).
`batch_dot` gives x.shape without the summed axis + y.shape without its batch axis and the summed
axis, and (samples, 1) where that has rank 1 (C047, C052). Its `axes=None` is a convention: the last
axis of x with the last but one of y, or with the last if y has rank 2. The other axis is the batch
axis. `transpose` reverses the axes (C053).

Bound of an inner product of n terms, in any order of summation, with or without fused multiply-add
(Higham 3.1, equation 3.5): gamma_n |x|.|y|. Underflow adds, for every product and every partial
sum, one `underflow`; where subnormals may be flushed, the terms with a subnormal factor add their
magnitudes. Where every product and every partial sum is a number of the dtype, as with small
integers, the bound is 0. (A convolution has no such bound: it may be computed by way of other
numbers, by Winograd's algorithm or a Fourier transform.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import (
    Arithmetic,
    allowance,
    finite_magnitude,
    is_exact,
    overflow_risk,
    quantum,
    signed_parts,
)

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def dot(x: Array, y: Array) -> Array:
    """Sum over the last axis of x and the last but one of y, or its only axis.

    With a scalar it is the product of all elements.

    Shapes: x (..., n), y (..., n, m) or (n,); the result has the axes of x, then of y, without the
    summed ones. A scalar goes with any shape.
    """
    if not (x.ndim and y.ndim):
        return np.asarray(x * y)
    summed, second = x.ndim - 1, max(y.ndim - 2, 0)
    names = list(range(x.ndim, x.ndim + y.ndim))
    names[second] = summed
    names_left = [*range(summed), *(n for n in names if n != summed)]
    # no BLAS, in which an infinity times zero may be zero
    result: Array = np.einsum(x, list(range(x.ndim)), y, names, names_left)
    return result


def batch_axes(x: Array, y: Array, axes: int | Sequence[int] | None) -> tuple[int, int]:
    """The two summed axes, counted from the front.

    Raises:
        ValueError: an axis is the batch axis, or two lengths differ. einsum would broadcast a
            length of 1.
    """
    if axes is None:
        axes = (x.ndim - 1, max(y.ndim - 2, 1))
    elif isinstance(axes, int):
        axes = (axes, axes)
    first, second = (axis % array.ndim for axis, array in zip(axes, (x, y), strict=True))
    if first == 0 or second == 0:
        raise ValueError(f"axes={tuple(axes)} sums the batch axis; name an axis from 1 up")
    if x.shape[first] != y.shape[second] or x.shape[0] != y.shape[0]:
        raise ValueError(f"shapes {x.shape} and {y.shape} do not fit for axes {first}, {second}")
    return first, second


def batch_dot(x: Array, y: Array, axes: int | Sequence[int] | None = None) -> Array:
    """Sum over one axis of each, sample by sample.

    Shapes: x (samples, ...), y (samples, ...); the result is (samples, ...) with the other axes of
    x, then of y, or (samples, 1).
    """
    first, second = batch_axes(x, y, axes)
    left = _LETTERS[: x.ndim]
    right = left[0] + _LETTERS[x.ndim : x.ndim + y.ndim - 1]
    right = right[:second] + left[first] + right[second + 1 :]
    letters = (left + right[1:]).replace(left[first], "")
    result: Array = np.einsum(f"{left},{right}->{letters}", x, y)
    return result[:, np.newaxis] if result.ndim == 1 else result


def transpose(x: Array, *, samples_first: bool = False) -> Array:
    """All axes in reverse order; with `samples_first`, axes 1 and 2 exchanged.

    ValueError: `samples_first`, and there is no axis 2.

    Shapes: any x; the result has the lengths of x in reverse order, or 1 and 2 exchanged.
    """
    return np.swapaxes(x, 1, 2) if samples_first else np.transpose(x)


def inner_product(
    product: Callable[[Array, Array], Array],
    terms: int,
    model: Arithmetic,
    x: Array,
    y: Array,
    *,
    direct: bool = False,
) -> tuple[Array, Array]:
    """Value and bound of a bilinear `product` whose elements are sums of `terms` products.

    With `direct` nothing but these products is added. Therefore the bound is 0 where no order of
    summation rounds.

    Shapes: `product` decides; value and bound have its shape.
    """
    value = product(x, y)
    left, right = finite_magnitude(x), finite_magnitude(y)
    magnitude = product(left, right)
    factor = allowance(terms, model)
    bound = factor * magnitude
    bound += 2 * terms * model.underflow
    if model.flushes:
        small_left = np.where(left < model.smallest_normal, left, 0)
        small_right = np.where(right < model.smallest_normal, right, 0)
        if small_left.any() or small_right.any():
            bound += product(small_left, right)
            bound += product(left, small_right)
    if direct:
        bound = np.where(is_exact(magnitude, quantum(x) * quantum(y), model), 0.0, bound)

    def parts() -> tuple[Array, Array]:
        (above, below), (over, under) = signed_parts(x), signed_parts(y)
        return (
            product(above, over) + product(below, under),
            product(above, under) + product(below, over),
        )

    return value, overflow_risk(value, bound, magnitude, factor, model, parts=parts)


def bounded_dot(model: Arithmetic, x: Array, y: Array) -> tuple[Array, Array]:
    """Value and bound of `dot`.

    Shapes: value and bound have the shape of `dot`.
    """
    return inner_product(dot, x.shape[-1] if x.ndim and y.ndim else 1, model, x, y, direct=True)


def bounded_batch_dot(
    model: Arithmetic, x: Array, y: Array, axes: int | Sequence[int] | None = None
) -> tuple[Array, Array]:
    """Value and bound of `batch_dot`.

    Shapes: value and bound have the shape of `batch_dot`.
    """
    pair = batch_axes(x, y, axes)
    length = x.shape[pair[0]]
    return inner_product(lambda a, b: batch_dot(a, b, pair), length, model, x, y, direct=True)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "dot": dot,
    "batch_dot": batch_dot,
    "transpose": transpose,
}

CONTRACTIONS: Mapping[str, Callable[..., tuple[Array, Array]]] = {
    "dot": bounded_dot,
    "batch_dot": bounded_batch_dot,
}
