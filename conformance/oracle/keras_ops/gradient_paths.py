"""The terms of the gradients of functions that Keras 3 has, as in `gradient_paths`.

Each is the derivative of the documented formula by the rules of sums and products, with the
magnitude of every term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle import activations
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops.elements import erf
from conformance.oracle.keras_ops.sums import for_each_element

Magnitudes = Mapping[str, Array]


def expm1(w: Array, x: Array) -> Magnitudes:
    """y + 1."""
    return {"x": np.abs(w) * (np.abs(np.expm1(x)) + 1)}


def tanh_shrink(w: Array, x: Array) -> Magnitudes:
    """1 - (1 - t^2) with t = tanh(x)."""
    return {"x": np.abs(w) * (2 + np.square(np.tanh(x)))}


def log_sigmoid(w: Array, x: Array) -> Magnitudes:
    """1 - exp(y), the derivative of softplus at -x."""
    return {"x": np.abs(w) * (1 + activations.sigmoid(x))}


def silu(w: Array, x: Array) -> Magnitudes:
    """s + x (s - s^2) with s = sigmoid(x)."""
    s = activations.sigmoid(x)
    return {"x": np.abs(w) * (s + np.abs(x) * (s + np.square(s)))}


def hard_silu(w: Array, x: Array) -> Magnitudes:
    """h + x / 6 between the kinks, with h = (x + 3) / 6; h beyond them."""
    h = np.clip(x + 3, 0, 6) / 6
    return {"x": np.abs(w) * (h + np.where(np.abs(x) < 3, np.abs(x) / 6, 0))}


def gelu(w: Array, x: Array, approximate: bool = True) -> Magnitudes:
    """(1 + t) / 2 + x / 2 (1 - t^2) u' with t = tanh(u); or (1 + erf) / 2 + x times the density."""
    if not approximate:
        density = np.exp(-np.square(x) / 2) / np.sqrt(2 * np.arccos(x.dtype.type(-1)))
        half = (1 + np.abs(erf(x / np.sqrt(x.dtype.type(2))))) / 2
        return {"x": np.abs(w) * (half + np.abs(x) * density)}
    factor = np.sqrt(2 / np.arccos(x.dtype.type(-1)))
    t = np.tanh(factor * (x + 0.044715 * x**3))
    inner = factor * (1 + 3 * 0.044715 * np.square(x))
    return {"x": np.abs(w) * ((1 + np.abs(t)) / 2 + np.abs(x) / 2 * (1 + np.square(t)) * inner)}


def average(w: Array, x: Array, axis: int | None = None, weights: Any = None) -> Magnitudes:
    """By a weight: (x_i - y) / S with the sum of weights S and the average y."""
    if weights is None:
        return {}
    every = for_each_element(x, axis, weights)
    total = np.abs(every.sum(axis, keepdims=True))
    size = (np.abs(x * every)).sum(axis, keepdims=True) / total
    terms = np.abs(w).reshape(total.shape) * (np.abs(x) + size) / total
    if weights.shape != x.shape:
        terms = np.moveaxis(terms, axis or 0, -1).reshape(-1, weights.size).sum(0)
    return {"weights": terms}


def celu(w: Array, x: Array, alpha: Any = 1.0) -> Magnitudes:
    """1 where x is positive, elsewhere y / alpha + 1."""
    below = np.abs(np.expm1(np.minimum(x, 0) / alpha)) + 1
    return {"x": np.abs(w) * np.where(x > 0, 1, below)}


def selu(w: Array, x: Array) -> Magnitudes:
    """s where x is positive, elsewhere y + s alpha: s is the slope, and s alpha the limit."""
    slope, limit = 1.0507009873554805, 1.7580993408473766
    below = limit * (np.abs(np.expm1(np.minimum(x, 0))) + 1)
    return {"x": np.abs(w) * np.where(x > 0, slope, below)}


def squareplus(w: Array, x: Array, b: Any = 4) -> Magnitudes:
    """1/2 + x / (2 r) with the root r of x^2 + b."""
    return {"x": np.abs(w) * (1 + np.abs(x) / np.sqrt(np.square(x) + b)) / 2}


def log_softmax(w: Array, x: Array, axis: int = -1) -> Magnitudes:
    """w_i - exp(y_i) sum_j w_j."""
    weighted = np.abs(w)
    total = weighted.sum(axis=axis, keepdims=True)
    return {"x": weighted + activations.softmax(x, axis) * total}


def sinc(w: Array, x: Array) -> Magnitudes:
    """cos(u) / x - sin(u) / (u x) with u = pi x."""
    u = np.abs(x) * np.arccos(x.dtype.type(-1))
    return {"x": np.abs(w / x) * (np.abs(np.cos(u)) + np.abs(np.sin(u)) / u)}


PATHS: Mapping[str, Callable[..., Magnitudes]] = {
    "average": average,
    "expm1": expm1,
    "tanh_shrink": tanh_shrink,
    "log_sigmoid": log_sigmoid,
    "silu": silu,
    "hard_silu": hard_silu,
    "gelu": gelu,
    "celu": celu,
    "selu": selu,
    "squareplus": squareplus,
    "log_softmax": log_softmax,
    "sinc": sinc,
}
