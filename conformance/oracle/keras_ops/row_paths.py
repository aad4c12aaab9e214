"""The terms of the gradients of functions of whole rows that Keras 3 has, as in `gradient_paths`:
normalisations, sparsemax and others whose slopes are differences of sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle import reductions
from conformance.oracle.activations import sigmoid
from conformance.oracle.axes import axes_of
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops.normalisation import EPSILON, length
from conformance.oracle.keras_ops.rows import each_head, logits, threshold, weights
from conformance.oracle.means import OPERATIONS, centred, from_mean

Axis = int | Sequence[int]
Magnitudes = Mapping[str, Array]


def normalize(
    w: Array, x: Array, axis: Axis = -1, order: int = 2, epsilon: Any = None, **_: Any
) -> Magnitudes:
    """With the norm n of order p: w_i / n, and (|x_i| / n)^(p - 1) / n times the sum of w y."""
    limit = EPSILON if epsilon is None else epsilon
    norm = np.maximum(length(x, axis, order), limit)
    y, weighted = np.abs(x / norm), np.abs(w)
    total = (weighted * y).sum(axis=axes_of(axis), keepdims=True)
    return {"x": (weighted + y ** (order - 1) * total) / norm}


def rms_normalization(
    w: Array, x: Array, scale: Array | None = None, axis: Axis = -1, epsilon: Any = None, **_: Any
) -> Magnitudes:
    """With y = x / s: (w_i - y_i mean(w y)) / s, where w has the scale in it; by that, w y."""
    limit = EPSILON if epsilon is None else epsilon
    root = np.sqrt(np.mean(np.square(x), axis=axes_of(axis), keepdims=True) + limit)
    weighted, y = np.abs(w) if scale is None else np.abs(w * scale), np.abs(x) / root
    drawn = y * np.mean(weighted * y, axis=axes_of(axis), keepdims=True)
    return {"x": np.asarray((weighted + drawn) / root)}


def layer_normalization(
    w: Array,
    x: Array,
    gamma: Array | None = None,
    _beta: Array | None = None,
    axis: Axis = -1,
    epsilon: Any = None,
    **_: Any,
) -> Magnitudes:
    """With y = (x - mean) / s: (w_i - mean(w) - y_i mean(w y)) / s, where w has gamma in it. By
    gamma the sum of w y, and y is x / s less mean / s."""
    limit, where = EPSILON if epsilon is None else epsilon, axes_of(axis)
    mean = np.mean(x, axis=where, keepdims=True)
    root = np.sqrt(np.var(x, axis=where, keepdims=True) + limit)
    weighted = np.abs(w) if gamma is None else np.abs(w * gamma)
    magnitudes = {"x": centred(weighted, x, root, where)}
    if gamma is not None:
        magnitudes["gamma"] = _summed(np.abs(w) * (np.abs(x) + np.abs(mean)) / root, gamma.shape)
    return magnitudes


def nanvar(w: Array, x: Array, axis: Axis | None = None, **_: Any) -> Magnitudes:
    """As `var` in `gradient_paths`, of the elements that are not NaN; 0 by the others."""
    where, known = axes_of(axis), ~np.isnan(x)
    terms = known.sum(where, keepdims=True)
    magnitude = 2 * np.abs(w).reshape(terms.shape) * from_mean(x, where, known) / terms
    return {"x": np.where(known, magnitude, 0)}


def nanstd(w: Array, x: Array, axis: Axis | None = None, **_: Any) -> Magnitudes:
    """That of `nanvar`, over 2 s."""
    root = np.nanstd(x, axes_of(axis), keepdims=True)
    return {"x": nanvar(w, x, axis)["x"] / (2 * root)}


def _summed(terms: Array, shape: tuple[int, ...]) -> Array:
    """The sums over what was broadcast of the shape."""
    missing = terms.ndim - len(shape)
    total = terms.sum(axis=(*range(missing),))
    ones = (*(axis for axis, length in enumerate(shape) if length == 1),)
    return np.asarray(total.sum(axis=ones, keepdims=True))


def _of_one(x: Array, axis: Axis) -> float:
    """For one element only rounding is left (convention `one-element`), in float32 if an
    implementation computes with that: its share of the terms, and 0 for more elements."""
    return OPERATIONS * 2.0**-24 if reductions.terms(x, axis) == 1 else 0.0


def freedom_of_rms(
    w: Array, x: Array, scale: Array | None = None, axis: Axis = -1, epsilon: Any = None, **_: Any
) -> Magnitudes:
    """As a limit, epsilon moves the inverse root s by epsilon / (2 s^2), and its cube by three
    times as much."""
    limit = EPSILON if epsilon is None else epsilon
    square = np.mean(np.square(x), axis=axes_of(axis), keepdims=True) + limit
    open_part = 2 * limit / square + _of_one(x, axis)
    by_x = rms_normalization(w, x, scale, axis, epsilon)["x"] * open_part
    if scale is None:
        return {"x": by_x}
    moved = np.abs(w * x) / np.sqrt(square) * limit / square
    return {"x": by_x, "scale": _summed(moved, scale.shape)}


def freedom_of_layer(  # noqa: PLR0917 - as documented
    w: Array,
    x: Array,
    gamma: Array | None = None,
    beta: Array | None = None,
    axis: Axis = -1,
    epsilon: Any = None,
    **_: Any,
) -> Magnitudes:
    """As `freedom_of_rms`, of the differences from the mean."""
    middle = x - np.mean(x, axis=axes_of(axis), keepdims=True)
    limit = EPSILON if epsilon is None else epsilon
    square = np.mean(np.square(middle), axis=axes_of(axis), keepdims=True) + limit
    open_part = 2 * limit / square + _of_one(x, axis)
    by_x = layer_normalization(w, x, gamma, beta, axis, epsilon)["x"] * open_part
    if gamma is None:
        return {"x": by_x}
    moved = np.abs(w * middle) / np.sqrt(square) * limit / square
    moved = moved + np.abs(w * x) / np.sqrt(square) * _of_one(x, axis)
    return {"x": by_x, "gamma": _summed(moved, gamma.shape)}


FREEDOMS: Mapping[str, Callable[..., Magnitudes]] = {
    "rms_normalization": freedom_of_rms,
    "layer_normalization": freedom_of_layer,
}
"""The part that an epsilon leaves open where no docstring explains it."""


def glu(w: Array, x: Array, axis: int = -1) -> Magnitudes:
    """By the first half s, by the second a (s - s^2), with the sigmoid s of the second."""
    first, second = np.split(x, 2, axis)
    s, weighted = sigmoid(second), np.abs(w)
    slope = np.abs(first) * (s + np.square(s))
    return {"x": np.concatenate([weighted * s, weighted * slope], axis)}


def sparsemax(w: Array, x: Array, axis: int = -1) -> Magnitudes:
    """w_i less the mean of w, both over what is positive."""
    inside = x > threshold(x, axis)
    weighted = np.abs(w) * inside
    count = np.maximum(inside.sum(axis=axis, keepdims=True), 1)
    return {"x": inside * (weighted + weighted.sum(axis=axis, keepdims=True) / count)}


def corrcoef(w: Array, x: Array) -> Magnitudes:
    """With the norm n of x - mean, z = (x - mean) / n and g = (w + w') z: (g - z sum(z g) -
    mean(g)) / n."""
    middle = np.abs(x - x.mean(axis=1, keepdims=True))
    root = np.sqrt(np.square(middle).sum(axis=1, keepdims=True))
    z = middle / root
    g = np.abs(w + w.T) @ z
    drawn = z * (z * g).sum(axis=1, keepdims=True) + g.mean(axis=1, keepdims=True)
    return {"x": (g + drawn) / root}


def attention(  # noqa: PLR0917 - as documented
    w: Array,
    query: Array,
    key: Array,
    value: Array,
    bias: Array | None = None,
    mask: Array | None = None,
    scale: Any = None,
    is_causal: bool = False,
    **_: Any,
) -> Magnitudes:
    """By a logit p_s (g_s - sum_r p_r g_r), with the weights p and g = w v; by a query that times
    the keys, and the other way round."""
    p = weights(logits(query, key, bias, mask, scale, is_causal)[0])
    g = np.einsum("btnh,bsnh->bnts", np.abs(w), np.abs(each_head(query, value)))
    slope = p * (g + (p * g).sum(axis=-1, keepdims=True))
    factor = np.abs(scale) if scale is not None else 1 / np.sqrt(query.shape[-1])
    magnitudes = {
        "query": factor * np.einsum("bnts,bsnh->btnh", slope, np.abs(each_head(query, key))),
        "key": _of_groups(factor * np.einsum("bnts,btnh->bsnh", slope, np.abs(query)), key),
        "value": _of_groups(np.einsum("bnts,btnh->bsnh", p, np.abs(w)), value),
    }
    return magnitudes if bias is None else {**magnitudes, "bias": _summed(slope, bias.shape)}


def _of_groups(terms: Array, tensor: Array) -> Array:
    """The sums over the heads that share keys or values."""
    batch, keys, heads, size = terms.shape
    shared = tensor.shape[2]
    return np.asarray(terms.reshape(batch, keys, shared, heads // shared, size).sum(axis=3))


PATHS: Mapping[str, Callable[..., Magnitudes]] = {
    "glu": glu,
    "sparsemax": sparsemax,
    "corrcoef": corrcoef,
    "attention": attention,
    "nanvar": nanvar,
    "nanstd": nanstd,
    "normalize": normalize,
    "rms_normalization": rms_normalization,
    "layer_normalization": layer_normalization,
}
