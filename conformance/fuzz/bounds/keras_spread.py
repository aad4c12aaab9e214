"""How far values of `keras.ops` may move when their tensors move: rules as those of `spread`.

* `even`: an even function that rises with |x| moves at most from |x| to |x| + r.
* `quotient`: x / y moves by at most (|x| + r) / (|y| - s) - |x| / |y| where |y| > s.
* `differences`: n times, a difference of neighbours moves by the sum of what both move.
* `log_softmax`, `sparsemax`, `hypotenuse`, `truth_values`: as their own functions say.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from conformance.fuzz.bounds.spread import (
    RULES,
    Array,
    Box,
    Rule,
    certain,
    converted,
    deviation,
    distance,
    gathered,
    index_of_extreme,
    monotone,
    multilinear,
    slope,
    truths,
    unmoved,
    variance,
)


def even(box: Box) -> Array:
    """f(|x| + r) - f(|x|)."""
    return distance(box.at(lambda _, x, r: np.abs(x) + r), box.value)


def quotient(box: Box) -> Array:
    """(|x| + r) / (|y| - s) - |x| / |y|; nothing where y may be zero."""
    (x, x_off), (y, y_off) = _pair(box)
    size, least = np.abs(x), np.abs(y) - y_off
    moved = (size + x_off) / np.where(least > 0, least, np.nan) - size / np.abs(y)
    exact = (x_off + y_off) == 0
    return np.where(exact, 0.0, np.where(np.isnan(moved), np.inf, moved))


def reciprocal(box: Box) -> Array:
    """1 / (|x| - r) - 1 / |x|; nothing where x may be zero."""
    x, reach = box.tensor("x")
    least = np.abs(x) - reach
    moved = 1 / np.where(least > 0, least, np.nan) - 1 / np.abs(x)
    return np.where(reach == 0, 0.0, np.where(np.isnan(moved), np.inf, moved))


def hypotenuse(box: Box) -> Array:
    """r + s: a norm moves by no more than its vector."""
    (x, x_off), (y, y_off) = _pair(box)
    return np.asarray(x_off + y_off + np.zeros(np.broadcast_shapes(x.shape, y.shape)))


def _pair(box: Box) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    return box.tensor("x"), box.tensor("y")


def differences(box: Box) -> Array:
    """The sum of the reach of the elements that a difference is made of."""
    reach, axis = box.reach["x"], box.arguments.get("axis", -1)
    for _ in range(box.arguments.get("n", 1)):
        moved = np.moveaxis(reach, axis, -1)
        reach = np.moveaxis(moved[..., 1:] + moved[..., :-1], -1, axis)
    return np.asarray(reach)


def log_softmax(box: Box) -> Array:
    """r_i + R: the logarithm of the sum of exponentials moves by no more than R, the largest r."""
    reach, axis = box.reach["x"], box.arguments.get("axis", -1)
    return np.asarray(reach + reach.max(axis=axis, keepdims=True))


def sparsemax(box: Box) -> Array:
    """The norm of r: a projection on a convex set brings no two vectors further apart."""
    reach, axis = box.reach["x"], box.arguments.get("axis", -1)
    size = np.sqrt(np.square(reach).sum(axis=axis, keepdims=True))
    return np.asarray(size + np.zeros(box.value.shape))


def truth_values(box: Box) -> Array:
    """Certain where each tensor is 0 or not 0 for certain."""
    unsure = np.zeros(box.value.shape, bool)
    for name in box.reach:
        x, reach = box.tensor(name)
        unsure = unsure | ((np.abs(np.asarray(x, np.float64)) <= reach) & (reach > 0))
    return np.where(unsure, np.inf, 0.0)


_RISING = (
    *("relu6", "hard_tanh", "log_sigmoid", "soft_shrink", "sparse_plus", "sparse_sigmoid"),
    *("tanh_shrink", "exp2", "expm1", "log1p", "log2", "log10", "sinh", "arcsin", "arctan"),
    *("arcsinh", "arctanh", "arccosh", "cbrt", "deg2rad", "rad2deg", "erf", "erfinv"),
    *("flipud", "fliplr", "rot90", "swapaxes", "moveaxis", "broadcast_to", "hstack", "vstack"),
    *("dstack", "append", "padded", "transposed", "repeated", "flip", "ravel", "roll", "tril"),
    *("triu", "diag", "diagflat", "diagonal", "unfold", "fold", "space_to_depth"),
    *("depth_to_space", "trace", "sort", "median", "adaptive_average_pool", "adaptive_max_pool"),
    *("average_pool", "max_pool", "nansum", "nanmean", "nanmax", "nanmin", "nanmedian"),
    *("nancumsum", "moments.mean", "add", "fmax", "fmin", "logaddexp", "logaddexp2"),
    *("nan_to_num", "full_like"),
)
_PRODUCTS = (
    *("multiply", "matmul", "outer", "vdot", "tensordot", "kron", "correlate", "nanprod"),
    *("nancumprod", "conv", "depthwise_conv", "separable_conv", "conv_transpose"),
)
_CONSTANT = ("isneginf", "isposinf", "isreal", "isfinite", "isinf", "isnan", "size")

KERAS_RULES: Mapping[str, Rule] = {
    **RULES,
    **dict.fromkeys(_RISING, monotone()),
    **dict.fromkeys(("arccos", "erfc", "negative", "rsqrt"), monotone(falling=("x",))),
    "subtract": monotone(falling=("y",)),
    **dict.fromkeys(_PRODUCTS, multilinear),
    **dict.fromkeys(_CONSTANT, unmoved),
    **dict.fromkeys(("ceil", "floor", "trunc"), certain(monotone())),
    "signbit": certain(monotone(falling=("x",))),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor", "logical_not"), truth_values),
    "count_nonzero": truths,
    **dict.fromkeys(("take", "take_along_axis"), gathered),
    "saturate_cast": converted,
    **dict.fromkeys(("cosh", "i0"), even),
    **dict.fromkeys(("divide", "divide_no_nan"), quotient),
    "reciprocal": reciprocal,
    "hypot": hypotenuse,
    "diff": differences,
    "log_softmax": log_softmax,
    "sparsemax": sparsemax,
    "leaky_relu": slope(lambda a: max(1.0, abs(float(a.get("negative_slope") or 0.0)))),
    "squareplus": slope(),
    "selu": slope(lambda _: 1.76),
    "silu": slope(lambda _: 1.1),
    "gelu": slope(lambda _: 1.2),
    "hard_silu": slope(lambda _: 1.5),
    "sinc": slope(lambda _: 1.4),
    "nanstd": deviation,
    "nanvar": variance,
    "nanargmax": index_of_extreme(1),
    "nanargmin": index_of_extreme(-1),
}
"""The rules of all functions of programs. The largest slopes are 1.7581 (`selu`), 1.0998 (`silu`),
1.1290 (`gelu`, both forms), 1.5 (`hard_silu`) and 1.3701 (`sinc`)."""
