"""Operations on each element for itself, and softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.reference.numpy_library.kernels import (
    KERNELS,
    WIDER,
    Array,
    kernel,
    rounded_once,
    widened,
)

KERNELS.update(
    {
        # these round once in every dtype, or not at all
        "add": np.add,
        "subtract": np.subtract,
        "multiply": np.multiply,
        "divide": np.divide,
        "floor_divide": np.floor_divide,
        "remainder": np.remainder,
        "negative": np.negative,
        "square": np.square,
        "abs": np.abs,
        "sqrt": np.sqrt,
        "sign": np.sign,
        "round": np.rint,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "equal": np.equal,
        "not_equal": np.not_equal,
        "less": np.less,
        "less_equal": np.less_equal,
        "greater": np.greater,
        "greater_equal": np.greater_equal,
        "identity": lambda x: x,
        "cast": lambda x, dtype: x.astype(dtype),
    }
)


def _power(x: Array, a: Any) -> Any:
    """IEEE 754's pow. NumPy takes a square root for a single exponent 0.5: NaN for -inf."""
    if x.shape == np.shape(a):
        return np.power(x.reshape(-1), a.reshape(-1)).reshape(x.shape)
    shape = np.broadcast_shapes(x.shape, np.shape(a))
    base, exponent = (np.array(np.broadcast_to(part, shape)).reshape(-1) for part in (x, a))
    return np.power(base, exponent).reshape(shape)


KERNELS.update(
    exp=widened(np.exp),
    log=widened(np.log),
    sin=widened(np.sin),
    cos=widened(np.cos),
    tanh=widened(np.tanh),
    pow=widened(_power),
)


@kernel
def clip(x: Array, min_value: Any, max_value: Any) -> Any:
    """The lower limit first, then the upper."""
    return np.minimum(np.maximum(x, min_value), max_value)


@kernel
def relu(x: Array, alpha: Any, max_value: Any) -> Any:
    """Slope alpha below 0, no more than max_value; with alpha 0 even -inf gives 0."""
    result = np.maximum(x, 0) if alpha == 0 else _sloped(x, alpha=alpha)
    return result if max_value is None else np.minimum(result, max_value)


@widened
def _sloped(x: Array, alpha: Any) -> Any:
    return np.where(x < 0, x * alpha, x)


@rounded_once
def elu(x: Array, alpha: float) -> Any:
    """alpha * (exp(x) - 1) below 0."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@rounded_once
def softmax(x: Array, axis: int) -> Any:
    """exp over its sum, shifted by the maximum."""
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@rounded_once
def softplus(x: Array) -> Any:
    """log(1 + exp(x)) without overflow and without loss for large negative x."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@rounded_once
def softsign(x: Array) -> Any:
    """x over 1 + |x|."""
    return x / (1 + np.abs(x))


@kernel
def sigmoid(x: Array) -> Any:
    """1 over 1 + exp(-x)."""
    wide = WIDER.get(x.dtype)
    if wide is not None:  # where exp overflows, the result is below the smallest number of x's type
        return (1 / (1 + np.exp(np.negative(x, dtype=wide)))).astype(x.dtype)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


@rounded_once
def hard_sigmoid(x: Array) -> Any:
    """0.2 x + 0.5 between 0 and 1."""
    return np.minimum(np.maximum(0.2 * x + 0.5, 0), 1)


@kernel
def print_tensor(x: Array, message: str) -> Array:
    """x itself, after the message and all its elements have been printed.

    Shapes: any x; the result is x, of the same shape.
    Source: ko-2.2:2502.
    """
    print(f"{message}{x!r}")
    return x
