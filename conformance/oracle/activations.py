"""Activations: relu, elu, softmax, softplus, softsign, sigmoid, hard_sigmoid and tanh.

Documents give three formulas:

* relu is the element, times alpha if negative, limited to max_value (ko-2.2 lines 2742 to 2750);
* elu is alpha (exp(x) - 1) below zero (C106);
* hard_sigmoid is 0.2 x + 0.5 limited to [0, 1] (ko-2.2 line 2963).

The others are the field's: softplus log(1 + exp(x)), softsign x / (1 + |x|), sigmoid
1 / (1 + exp(-x)).

Each is written so that nothing cancels or overflows in wide arithmetic. At an infinity softsign
and softmax give what IEEE 754 makes of the formula (NaN).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance


def relu(x: Array, alpha: Any = 0.0, max_value: Any = None) -> Array:
    """x where positive, alpha x elsewhere, and max_value where x is above it.

    Shapes: any x; the result has the shape of x.
    """
    result = np.maximum(x, 0) if not alpha else np.where(x < 0, alpha * x, x)
    return result if max_value is None else np.minimum(result, max_value)


def elu(x: Array, alpha: Any = 1.0) -> Array:
    """x where positive, alpha (exp(x) - 1) elsewhere.

    Shapes: any x; the result has the shape of x.
    """
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def softmax(x: Array, axis: int = -1) -> Array:
    """Exponentials divided by their sum along the axis.

    Shapes: any x of rank 1 or more; the result has the shape of x.
    """
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    result: Array = powers / powers.sum(axis=axis, keepdims=True)
    return result


def softplus(x: Array) -> Array:
    """log(1 + exp(x)).

    Shapes: any x; the result has the shape of x.
    """
    result: Array = np.logaddexp(x.dtype.type(0), x)
    return result


def softsign(x: Array) -> Array:
    """x / (1 + |x|).

    Shapes: any x; the result has the shape of x.
    """
    result: Array = x / (1 + np.abs(x))
    return result


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)); for negative x as exp(x) / (1 + exp(x)).

    Shapes: any x; the result has the shape of x.
    """
    result: Array = np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))
    return result


def hard_sigmoid(x: Array) -> Array:
    """0.2 x + 0.5, at least 0 and at most 1.

    Shapes: any x; the result has the shape of x.
    """
    line = x / 5 + x.dtype.type(0.5)
    result: Array = np.minimum(np.maximum(line, 0), 1)
    return result


def tanh(x: Array) -> Array:
    """The hyperbolic tangent.

    Shapes: any x; the result has the shape of x.
    """
    result: Array = np.tanh(x)
    return result


def softmax_summation(value: Array, model: Arithmetic, x: Array, axis: int = -1) -> Array:
    """The share of the bound that summing n exponentials adds: gamma_n of the quotient (Higham
    4.2).

    Shapes: value, x and the result have one shape.
    """
    bound: Array = allowance(x.shape[axis], model) * np.abs(value)
    return bound


def bounded_hard_sigmoid(model: Arithmetic, x: Array) -> tuple[Array, Array]:
    """Value and bound: gamma_3 (|0.2 x| + 0.5), for 0.2 rounded, a product and a sum.

    Limiting to [0, 1] never makes an error larger.

    Shapes: any x; value and bound have the shape of x.
    """
    terms = np.abs(x) / 5 + 0.5
    bound = allowance(3, model) * np.minimum(terms, 2) + 2 * model.underflow
    return hard_sigmoid(x), bound


ORACLES: Mapping[str, Callable[..., Array]] = {
    "relu": relu,
    "elu": elu,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "sigmoid": sigmoid,
    "hard_sigmoid": hard_sigmoid,
    "tanh": tanh,
}

CONTRACTIONS: Mapping[str, Callable[..., tuple[Array, Array]]] = {
    "hard_sigmoid": bounded_hard_sigmoid,
}

SUMMATIONS: Mapping[str, Callable[..., Array]] = {"softmax": softmax_summation}
