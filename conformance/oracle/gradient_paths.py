"""The terms of a gradient, where some cancel that the Jacobian matrix does not show.

By the chain rule a derivative is the sum, over all paths from the result to the input, of the
products of the elementary derivatives on the path (Bauer, Computational Graphs and Rounding Error,
SIAM Journal on Numerical Analysis 11, 1974; Griewank and Walther, Evaluating Derivatives, 2nd
edition, section 3.4). A reverse sweep rounds each product; what it loses is relative to the sum of
the *magnitudes* of these products. For most functions that is the sum of |w_j df_j/dx_i| over the
results j. Below are the functions for which it is more. Their slope is a difference, which
implementations compute from the result y (1 - y^2 for tanh), or from a sum over the elements (the
normalisations and softmax).

Each function takes the weights w and the function's own arguments, and gives the sum of magnitudes
for some of its parameters, in their shapes. Not finite: nothing is known beyond the Jacobian.

`FREEDOMS` has the points that documents leave open about a gradient, as `losses` has them for the
value: how far it moves if the probabilities are not divided by their sum, and if epsilon is added
to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle import activations, losses, normalisation
from conformance.oracle.axes import Axis, axes_of
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops import gradient_paths as keras_gradient_paths
from conformance.oracle.keras_ops import row_paths as keras_row_paths
from conformance.oracle.keras_ops.fourier import PATHS as FOURIER_PATHS
from conformance.oracle.means import centred, from_mean
from conformance.oracle.reductions import terms

Magnitudes = Mapping[str, Array]


def tanh(w: Array, x: Array) -> Magnitudes:
    """1 - y^2."""
    return {"x": np.abs(w) * (1 + np.square(np.tanh(x)))}


def sigmoid(w: Array, x: Array) -> Magnitudes:
    """y - y^2, or (1 - t^2) / 4 with t = tanh(x / 2), by which y is (1 + t) / 2."""
    y, t = activations.sigmoid(x), np.tanh(x / 2)
    return {"x": np.abs(w) * np.maximum(y + np.square(y), (1 + np.square(t)) / 4)}


def softplus(w: Array, x: Array) -> Magnitudes:
    """1 - exp(-y)."""
    return {"x": np.abs(w) * (1 + np.exp(-activations.softplus(x)))}


def softsign(w: Array, x: Array) -> Magnitudes:
    """With d = 1 + |x|: the derivative of the quotient, 1/d - |x|/d^2."""
    d = 1 + np.abs(x)
    return {"x": np.abs(w) * (1 / d + np.abs(x) / np.square(d))}


def elu(w: Array, x: Array, alpha: Any = 1.0) -> Magnitudes:
    """1 where x is positive, elsewhere y + alpha."""
    negative = np.abs(activations.elu(np.minimum(x, 0), alpha)) + np.abs(alpha)
    return {"x": np.abs(w) * np.where(x > 0, 1, negative)}


def softmax(w: Array, x: Array, axis: int = -1) -> Magnitudes:
    """y_i w_i - y_i sum_j w_j y_j."""
    y = activations.softmax(x, axis)
    weighted = np.abs(w)
    return {"x": y * (weighted + (weighted * y).sum(axis=axis, keepdims=True))}


def l2_normalize(w: Array, x: Array, axis: Axis = None) -> Magnitudes:
    """With the norm n: (w_i - y_i sum_j w_j y_j) / n."""
    where = axes_of(axis)
    norm = normalisation.norm(x, axis)
    y, weighted = np.abs(x / norm), np.abs(w)
    return {"x": (weighted + y * (weighted * y).sum(axis=where, keepdims=True)) / norm}


def var(w: Array, x: Array, axis: Axis = None, **_: Any) -> Magnitudes:
    """2 (x_i - mean) / n, of which the mean is rounded."""
    where = axes_of(axis)
    weighted = np.abs(w).reshape(x.mean(where, keepdims=True).shape)
    return {"x": 2 * weighted * from_mean(x, where) / terms(x, axis)}


def std(w: Array, x: Array, axis: Axis = None, **_: Any) -> Magnitudes:
    """(x_i - mean) / (n s): of two elements it is 1/2, however near they are to each other."""
    where = axes_of(axis)
    root = x.std(where, keepdims=True)
    return {"x": np.abs(w).reshape(root.shape) * from_mean(x, where) / (terms(x, axis) * root)}


def normalised(
    w: Array, x: Array, gamma: Array, reduction_axes: Sequence[int], epsilon: Any = 0, **_: Any
) -> Magnitudes:
    """With y = (x - mean) / s: gamma / s (w_i - mean(w) - y_i mean(w y)); the mean is rounded."""
    axes = tuple(reduction_axes)
    root = np.sqrt(x.var(axes, keepdims=True) + epsilon)
    scale = np.abs(normalisation.spread(gamma, x, axes))
    return {"x": scale * centred(np.abs(w), x, root, axes)}


def categorical_crossentropy(
    w: Array, target: Array, output: Array, from_logits: bool = False, axis: int = -1
) -> Magnitudes:
    """By logits: softmax times the sum of t, less t; by t: the difference of two logarithms."""
    weighted = np.abs(np.expand_dims(w, axis))
    total = np.abs(target).sum(axis=axis, keepdims=True)
    logs = 1 + np.abs(losses.log_probabilities(output, from_logits, axis))
    if from_logits:
        slope = activations.softmax(output, axis) * total + np.abs(target)
    else:
        slope = np.abs(target / output) + total / np.abs(output.sum(axis=axis, keepdims=True))
    return {"output": weighted * slope, "target": weighted * logs}


def sparse_categorical_crossentropy(
    w: Array, target: Array, output: Array, from_logits: bool = False, axis: int = -1
) -> Magnitudes:
    """That of targets which are 1 at the labels."""
    ones = np.zeros(output.shape)
    np.put_along_axis(ones, np.expand_dims(target, axis), 1.0, axis)
    magnitudes = categorical_crossentropy(w, ones, output, from_logits, axis)
    return {"output": magnitudes["output"]}


def binary_crossentropy(
    w: Array, target: Array, output: Array, from_logits: bool = False
) -> Magnitudes:
    """By logits: the sigmoid less t; of probabilities p, that over p (1 - p)."""
    weighted, t = np.abs(w), np.abs(target)
    if from_logits:
        return {"output": weighted * (activations.sigmoid(output) + t)}
    slope = (output + t) / (output * (1 - output))
    logs = 1 + np.abs(np.log(output)) + np.abs(np.log1p(-output))
    return {"output": weighted * np.abs(slope), "target": weighted * logs}


PATHS: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    **keras_gradient_paths.PATHS,
    **keras_row_paths.PATHS,
    **FOURIER_PATHS,
    "tanh": tanh,
    "sigmoid": sigmoid,
    "softplus": softplus,
    "softsign": softsign,
    "elu": elu,
    "softmax": softmax,
    "l2_normalize": l2_normalize,
    "var": var,
    "std": std,
    "normalize_batch_in_training.normalised tensor": normalised,
    "categorical_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "binary_crossentropy": binary_crossentropy,
}


ROOTS = frozenset({"std", "nanstd", "norm", "hypot", "cdist"})
"""Functions that end with a square root, whose slope at zero is infinite, of squares, whose slope
there is zero."""
OF_ORDER = frozenset(
    {"sort", "median", "quantile", "percentile", "nanmedian", "nanquantile", "nanpercentile"}
)
"""Functions of the order of elements. Where three are equal, the slopes on both sides of each say
nothing of the slope along all three: such points are not looked at."""


def freedom_of_categorical(
    w: Array, target: Array, output: Array, from_logits: bool = False, axis: int = -1
) -> Magnitudes:
    """By t: log S + epsilon / o. By o: the sum of t over S, and t epsilon / o^2."""
    if from_logits:
        return {}
    weighted, t = np.abs(np.expand_dims(w, axis)), np.abs(target)
    total = output.sum(axis=axis, keepdims=True)
    by_target = np.abs(np.log(total)) + losses.EPSILON / output
    by_output = t.sum(axis=axis, keepdims=True) / total + t * losses.EPSILON / np.square(output)
    return {"target": weighted * by_target, "output": weighted * by_output}


def freedom_of_binary(
    w: Array, target: Array, output: Array, from_logits: bool = False
) -> Magnitudes:
    """By t: epsilon / p + epsilon / (1 - p); by p: t and 1 - t times their derivatives."""
    if from_logits:
        return {}
    added, other = np.abs(w) * losses.EPSILON, 1 - output
    by_output = np.abs(target) / np.square(output) + np.abs(1 - target) / np.square(other)
    return {"target": added * (1 / output + 1 / other), "output": added * by_output}


FREEDOMS: Mapping[str, Callable[..., Magnitudes]] = {
    **keras_row_paths.FREEDOMS,
    "categorical_crossentropy": freedom_of_categorical,
    "binary_crossentropy": freedom_of_binary,
}
