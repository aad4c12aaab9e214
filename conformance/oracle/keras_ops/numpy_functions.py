"""Functions of Keras 3 that mean what NumPy's of the same name do, and its activations.

Activations are those of their formulas, so written that nothing cancels or overflows in wide
arithmetic. Where a sum or a product is concerned, the bounds are those of `linear_algebra` and
`reductions`.

Source: the docstrings of `keras.ops`, which have the formula of each activation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from conformance.oracle.activations import elu, sigmoid
from conformance.oracle.axes import axes_of
from conformance.oracle.elementwise import binary
from conformance.oracle.expectation import Array
from conformance.oracle.linear_algebra import inner_product
from conformance.oracle.reductions import log_softmax, logsumexp_summation
from conformance.oracle.rounding import Arithmetic

SELU_ALPHA = np.longdouble("1.6732632423543772848170429916717")
SELU_SCALE = np.longdouble("1.0507009873554804934193349852946")
"""Klambauer et al. 2017, Self-Normalizing Neural Networks, equation 14."""


def selu(x: Array) -> Array:
    """scale * x where positive, scale * alpha * (exp(x) - 1) elsewhere.

    Shapes: any x; the result has the shape of x.
    Source: G. Klambauer, T. Unterthiner, A. Mayr and S. Hochreiter, Self-Normalizing Neural
    Networks, NIPS 2017, equation 2. The paper gives scale and alpha.
    """
    result: Array = x.dtype.type(SELU_SCALE) * elu(x, x.dtype.type(SELU_ALPHA))
    return result


def celu(x: Array, alpha: Any = 1.0) -> Array:
    """x where positive, alpha * (exp(x / alpha) - 1) elsewhere.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def leaky_relu(x: Array, negative_slope: Any = 0.2) -> Array:
    """x where positive, negative_slope * x elsewhere.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(x < 0, negative_slope * x, x)


def silu(x: Array) -> Array:
    """x * sigmoid(x).

    Shapes: any x; the result has the shape of x.
    """
    result: Array = x * sigmoid(x)
    return result


def hard_silu(x: Array) -> Array:
    """x * (x + 3) / 6 between -3 and 3; 0 below and x above.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(x < -3, 0 * x, np.where(x > 3, x, x * (x + 3) / 6))


def log_sigmoid(x: Array) -> Array:
    """log(1 / (1 + exp(-x))).

    Shapes: any x; the result has the shape of x.
    """
    result: Array = -np.logaddexp(x.dtype.type(0), -x)
    return result


def log_softmax_summation(value: Array, model: Arithmetic, x: Array, axis: int = -1) -> Array:
    """The share of the bound that n exponentials and their sum add, as for `logsumexp`.

    Shapes: value, x and the result have one shape.
    """
    return logsumexp_summation(value, model, x, axis)


_NEAR_ZERO, _TERMS = 0.3, 15
"""Up to the first, so many terms of the series of tanh give 64 bits of the difference."""


def _tanh_series() -> list[np.longdouble]:
    """The coefficients of x^3, x^5, … in tanh(x), which follow from tanh' = 1 - tanh^2."""
    odd = [Fraction(1)]
    for n in range(1, _TERMS + 1):
        square = sum((odd[i] * odd[n - 1 - i] for i in range(n)), Fraction())
        odd.append(-square / (2 * n + 1))
    return [np.longdouble(c.numerator) / np.longdouble(c.denominator) for c in odd[1:]]


_TANH = _tanh_series()


def tanh_shrink(x: Array) -> Array:
    """x - tanh(x); near 0, where all digits cancel, by the series of tanh.

    Shapes: any x; the result has the shape of x.
    """
    small = np.clip(x, -_NEAR_ZERO, _NEAR_ZERO)
    squared, total = np.square(small), np.zeros_like(x)
    for coefficient in reversed(_TANH):
        total = total * squared + x.dtype.type(coefficient)
    return np.where(np.abs(x) < _NEAR_ZERO, -total * squared * small, x - np.tanh(x))


def soft_shrink(x: Array, threshold: Any = 0.5) -> Array:
    """Each element moved towards 0 by the threshold, and 0 if it is not beyond it.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(np.abs(x) > threshold, x - np.sign(x) * threshold, 0 * x)


def hard_shrink(x: Array, threshold: Any = 0.5) -> Array:
    """Each element whose magnitude is beyond the threshold, and 0 for others.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(np.abs(x) > threshold, x, 0 * x)


def above_threshold(x: Array, threshold: Any, default_value: Any) -> Array:
    """Each element beyond the threshold, and the default value for others.

    Shapes: any x; the result has the shape of x.
    """
    replaced: Array = np.where(x > threshold, x, x.dtype.type(default_value))
    return replaced


def squareplus(x: Array, b: Any = 4) -> Array:
    """(x + sqrt(x ** 2 + b)) / 2, where x is negative without cancellation.

    Shapes: any x; the result has the shape of x.
    """
    root = np.sqrt(np.square(x) + b)
    result: Array = np.where(x < 0, b / (root - x) / 2, (x + root) / 2)
    return result


def sparse_plus(x: Array) -> Array:
    """0 up to -1, (x + 1) ** 2 / 4 up to 1, and x beyond.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(x <= -1, 0 * x, np.where(x < 1, np.square(x + 1) / 4, x))


def reciprocal_root(x: Array) -> Array:
    """1 / sqrt(x).

    Shapes: any x; the result has the shape of x.
    """
    result: Array = 1 / np.sqrt(x)
    return result


def logical(function: Callable[..., Any]) -> Callable[..., Array]:
    """The oracle of a function of truth values: NaN is none of the zeros."""

    def oracle(x: Array, y: Any = None) -> Array:
        return np.asarray(function(x != 0) if y is None else function(x != 0, y != 0))

    return oracle


def count_nonzero(x: Array, axis: Any = None) -> Array:
    """How many elements along the axes are not zero.

    Shapes: any x; the result has the axes of x that remain.
    """
    axes = axes_of(axis)
    return np.asarray(np.count_nonzero(x, axis=axes))


def transposed(x: Array, axes: Sequence[int] | None = None) -> Array:
    """Axis i of the result is axis axes[i] of x; without them, the axes in reverse order.

    Shapes: any x; the result has the lengths of x in the new order.
    """
    return np.transpose(x, axes if axes is None else tuple(axes))


def flipped(x: Array, axis: Any = None) -> Array:
    """The order of the elements turned round on the axes; on all without any.

    Shapes: any x; the result has the shape of x.
    """
    return np.flip(x, axes_of(axis))


def repeated(x: Array, repeats: int, axis: int | None = None) -> Array:
    """Each slice on the axis `repeats` times in a row; without one, each element of one row.

    Shapes: any x; the axis of the result is `repeats` times as long, or the result is (elements *
    repeats,) without an axis.
    """
    return np.repeat(x, repeats, axis=axis)


def rolled(x: Array, shift: int, axis: int | None = None) -> Array:
    """Elements moved by `shift` places along the axis, those beyond the last to the front.

    Shapes: any x; the result has the shape of x.
    """
    return np.roll(x, shift, axis=axis)


def outer(x: Array, y: Array) -> Array:
    """The product of each element of x with each of y.

    Shapes: any x and y; the result is (elements of x, elements of y).
    """
    result: Array = x.reshape(-1, 1) * y.reshape(1, -1)
    return result


def matmul(x: Array, y: Array) -> Array:
    """The matrix product; the matrices of more axes are stacks that broadcast.

    Shapes: x (..., m, n) or (n,), y (..., n, k) or (n,); the result is (..., m, k), without the
    axis of a vector.
    """
    left, right = x if x.ndim > 1 else x[np.newaxis], y if y.ndim > 1 else y[:, np.newaxis]
    result: Array = np.einsum("...ij,...jk->...ik", left, right)
    lost = [axis for axis, array in ((-2, x), (-1, y)) if array.ndim == 1]
    return np.squeeze(result, tuple(lost)) if lost else result


def bounded_matmul(model: Arithmetic, x: Array, y: Array) -> tuple[Array, Array]:
    """Value and bound of `matmul`.

    Shapes: value and bound have the shape of `matmul`.
    """
    return inner_product(matmul, x.shape[-1], model, x, y, direct=True)


def _of(function: Callable[[Array], Any]) -> Callable[..., Array]:
    def oracle(x: Array) -> Array:
        return np.asarray(function(x))

    return oracle


ORACLES: Mapping[str, Callable[..., Array]] = {
    **{
        name: _of(getattr(np, name))
        for name in (
            "ceil",
            "floor",
            "trunc",
            "negative",
            "reciprocal",
            "expm1",
            "log1p",
            "log2",
            "log10",
            "exp2",
            "tan",
            "sinh",
            "cosh",
            "arcsin",
            "arccos",
            "arctan",
            "arcsinh",
            "arctanh",
            "cbrt",
            "deg2rad",
            "rad2deg",
            "isfinite",
            "isinf",
            "isnan",
            "ravel",
        )
    },
    **{
        name: binary(getattr(np, name))
        for name in (
            "add",
            "subtract",
            "multiply",
            "divide",
            "arctan2",
            "hypot",
            "logaddexp",
            "power",
        )
    },
    "rsqrt": reciprocal_root,
    "logical_not": logical(np.logical_not),
    "logical_and": logical(np.logical_and),
    "logical_or": logical(np.logical_or),
    "logical_xor": logical(np.logical_xor),
    "relu6": _of(lambda x: np.clip(x, 0, 6)),
    "leaky_relu": leaky_relu,
    "selu": selu,
    "celu": celu,
    "silu": silu,
    "hard_silu": hard_silu,
    "hard_tanh": _of(lambda x: np.clip(x, -1, 1)),
    "log_sigmoid": log_sigmoid,
    "log_softmax": log_softmax,
    "tanh_shrink": tanh_shrink,
    "soft_shrink": soft_shrink,
    "hard_shrink": hard_shrink,
    "threshold": above_threshold,
    "squareplus": squareplus,
    "sparse_plus": sparse_plus,
    "count_nonzero": count_nonzero,
    "transposed": transposed,
    "flip": flipped,
    "repeated": repeated,
    "roll": rolled,
    "tril": lambda x, k=0: np.tril(x, k),
    "triu": lambda x, k=0: np.triu(x, k),
    "outer": outer,
    "matmul": matmul,
}

CONTRACTIONS: Mapping[str, Callable[..., tuple[Array, Array]]] = {"matmul": bounded_matmul}
SUMMATIONS: Mapping[str, Callable[..., Array]] = {"log_softmax": log_softmax_summation}
