"""Crossentropies and in_top_k.

The crossentropy of a target t and an output o is -sum t log o over the classes, one number for
each distribution; with integer targets t is 1 at the label. With `from_logits` o is the softmax of
the output (C109). The binary one is -(t log o + (1 - t) log(1 - o)), element by element (C110).

Conventions (the documents are silent): probabilities are divided by their sum and limited to
[epsilon, 1 - epsilon], those of logits are not; epsilon is 1e-7.

Bounds (u the unit roundoff, n the number of classes):

* How a probability is kept from 0 is not documented: an implementation may also add epsilon to it,
  which changes its logarithm by epsilon / o.
* An implementation may divide probabilities by their sum S, or not, where S is 1 except for
  roundings: log o changes by |log S|. Those with another sum are divided by it or, under a reading
  of its own, not. The sum has a relative error of gamma_n, quotient and limits 3 roundings:
  absolute errors of the logarithm. Each logarithm is within 4 ULP, product and sum add n + 1
  roundings: sum |t| (gamma_(n+3) + |log S|) + gamma_(n+9) sum |t log o|.
* Probabilities may be limited before they are divided or after: log o changes as the limits move
  the sum, by at most n epsilon.
* From logits, log o = z - log sum exp z, where each exponential is within 4 ULP and the shifted
  argument is rounded twice: sum |t| (gamma_(n+8) (1 + max|z|)) instead.
* Binary: by way of the logit z = log o - log(1 - o), as max(z, 0) - z t + log(1 + exp(-|z|)):
  z has an absolute error of 6 u (1 + |log o| + |log(1 - o)|), and the derivative by z is at most 1.
  With the three terms' own roundings: gamma_14 (1 + |log o| + |log(1 - o)|), times |t| beyond 1.
  From logits the error
  of z is missing: gamma_8 (|z| + |z t| + log(1 + exp(-|z|))).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from conformance.oracle.activations import sigmoid
from conformance.oracle.expectation import Array
from conformance.oracle.indices import NOTHING, filled, placed
from conformance.oracle.reductions import log_softmax
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]

EPSILON = 1e-7
"""K.epsilon() as the suite configures it (C012)."""


def _limited(output: Array, *, single: bool = False) -> Array:
    """Limited to [epsilon, 1 - epsilon]; with `single` the two are constants of float32.

    Integers and truth values become floating numbers.
    """
    output = output.astype("float64") if output.dtype.kind in "biu" else output
    kind = np.float32 if single else output.dtype.type
    low, high = kind(EPSILON), kind(1) - kind(EPSILON)
    result: Array = np.clip(output, output.dtype.type(low), output.dtype.type(high))
    return result


def log_probabilities(
    output: Array, from_logits: bool, axis: int, *, limits: bool = False, divides: bool = True
) -> Array:
    """The logarithms of the probabilities that logits stand for, or of limited probabilities.

    With `limits` those of logits are also limited. Without `divides` probabilities are taken as
    they are, whatever their sum.

    Shapes: any output with an axis of classes; the result has its shape.
    """
    if from_logits:
        logs = log_softmax(output, axis)
        return np.log(_limited(np.exp(logs))) if limits else logs
    return np.log(_limited(output / output.sum(axis=axis, keepdims=True) if divides else output))


def categorical_crossentropy(
    target: Array, output: Array, from_logits: bool = False, axis: int = -1, **how: bool
) -> Array:
    """One number for each distribution: the axis of the classes is gone.

    Shapes: target and output have one shape; the result has no axis of classes.
    """
    terms = target * log_probabilities(output, from_logits, axis, **how)
    return np.asarray(-terms.sum(axis=axis))


def bounded_categorical_crossentropy(
    model: Arithmetic,
    target: Array,
    output: Array,
    from_logits: bool = False,
    axis: int = -1,
    **how: bool,
) -> Bounded:
    """Value and bound of `categorical_crossentropy`.

    Shapes: value and bound have the shape of `categorical_crossentropy`.
    """
    logs = log_probabilities(output, from_logits, axis, **how)
    weights, count = np.abs(target), output.shape[axis]
    bound = (weights * _log_error(model, output, from_logits, axis, **how)).sum(axis=axis)
    bound = bound + allowance(count + 9, model) * (weights * np.abs(logs)).sum(axis=axis)
    value = np.asarray(-(target * logs).sum(axis=axis))
    return value, np.asarray(bound + (count + 9) * model.underflow)


def _log_error(
    model: Arithmetic,
    output: Array,
    from_logits: bool,
    axis: int,
    *,
    limits: bool = False,
    divides: bool = True,
) -> Array:
    """How far the logarithms of the probabilities may be off, absolutely."""
    count = output.shape[axis]
    if from_logits:
        size: Array = 1 + np.abs(output).max(axis=axis, keepdims=True)
        error = np.asarray(allowance(count + 8, model) * size)
        if not limits:
            return error
        probabilities = np.exp(log_softmax(output, axis))
        return error + _edge(model, probabilities) + EPSILON / _limited(probabilities)
    total = output.sum(axis=axis, keepdims=True)
    # An implementation need not divide by a sum that is 1 except for roundings. Another sum is a
    # convention. Numbers that are not probabilities have no sum to divide by.
    near = np.abs(total - 1) <= 2 * allowance(count + 1, model)
    inside = ((output > 0) & (output < 1)).all(axis=axis, keepdims=True)
    either = (near | ~inside) & divides
    error = allowance(count + 3, model) + np.where(either, np.abs(np.log(total)), 0)
    shares = np.where(inside, output / total, output) if divides else output
    limited = _limited(shares)
    # they may be limited before they are divided, and then have another sum
    moved = np.abs((limited - shares).sum(axis=axis, keepdims=True))
    return np.asarray(error + np.minimum(moved, count * EPSILON) + EPSILON / limited)


def _edge(model: Arithmetic, probabilities: Array) -> Array:
    """The change of the logarithm at the upper end when 1 - epsilon is rounded to the dtype."""
    return np.where(probabilities > 1 - 2 * EPSILON, EPSILON + model.unit, 0)


def _at(x: Array, labels: Array, axis: int, beyond: str) -> Array:
    """The element of x at each label; for labels out of range see `indices`."""
    places, inside = placed(labels, x.shape[axis], beyond)
    taken = np.take_along_axis(x, np.expand_dims(places, axis), axis)
    return filled(np.squeeze(taken, axis), inside, beyond)


def sparse_categorical_crossentropy(
    target: Array,
    output: Array,
    from_logits: bool = False,
    axis: int = -1,
    beyond: str = NOTHING,
    **how: bool,
) -> Array:
    """Minus the logarithm of the probability of each label; `beyond` is a reading of `indices`.

    Shapes: output with an axis of classes, target with an integer for each distribution; the result
    has the shape of the output without the axis of classes.
    """
    return -_at(log_probabilities(output, from_logits, axis, **how), target, axis, beyond)


def bounded_sparse_categorical_crossentropy(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    target: Array,
    output: Array,
    from_logits: bool = False,
    axis: int = -1,
    beyond: str = NOTHING,
    **how: bool,
) -> Bounded:
    """Value and bound of `sparse_categorical_crossentropy`.

    Shapes: value and bound have the shape of `sparse_categorical_crossentropy`.
    """
    value = sparse_categorical_crossentropy(target, output, from_logits, axis, beyond, **how)
    errors = np.broadcast_to(_log_error(model, output, from_logits, axis, **how), output.shape)
    rounding = allowance(output.shape[axis] + 9, model) * np.abs(value)
    bound = _at(errors, target, axis, beyond) + rounding + 9 * model.underflow
    _, inside = placed(target, output.shape[axis], beyond)
    return value, np.where(inside, bound, 0)


def binary_crossentropy(
    target: Array,
    output: Array,
    from_logits: bool = False,
    *,
    limits: bool = False,
    single: bool = False,
) -> Array:
    """One number for each element; with `limits` probabilities of logits are limited, too, and with
    `single` the limits are constants of float32.

    Shapes: target and output have one shape, and so has the result.
    """
    if from_logits and limits:
        output, from_logits = sigmoid(output), False
    if from_logits:
        size = np.abs(output)
        result: Array = np.maximum(output, 0) - output * target + np.log1p(np.exp(-size))
        return result
    limited = _limited(output, single=single)
    result = -(target * np.log(limited) + (1 - target) * np.log1p(-limited))
    return np.asarray(result)


def bounded_binary_crossentropy(
    model: Arithmetic,
    target: Array,
    output: Array,
    from_logits: bool = False,
    *,
    limits: bool = False,
    single: bool = False,
) -> Bounded:
    """Value and bound of `binary_crossentropy`.

    Shapes: value and bound have the shape of the output.
    """
    value = binary_crossentropy(target, output, from_logits, limits=limits, single=single)
    if from_logits and limits:
        return value, _limited_logits_error(model, output)
    if from_logits:
        size = np.abs(output)
        total = size * (1 + np.abs(target)) + np.log1p(np.exp(-size))
        return value, allowance(8, model) * total + 8 * model.underflow
    limited = _limited(output)
    logs = np.abs(np.log(limited)) + np.abs(np.log1p(-limited))
    bound = allowance(14, model) * (1 + logs) * np.maximum(np.abs(target), 1)
    bound = bound + EPSILON * (np.abs(target) / limited + np.abs(1 - target) / (1 - limited))
    # 1 - epsilon is rounded, and its distance from 1 is no more than epsilon
    edge = np.where(output > 1 - EPSILON, 2 * model.unit / EPSILON * np.abs(1 - target), 0)
    return value, bound + edge + 8 * model.underflow


_SATURATED = 20.0
"""Beyond it a sigmoid is less than epsilon from 0 or 1, however it is rounded."""


def _limited_logits_error(model: Arithmetic, logits: Array) -> Array:
    """How far the loss may be off where the sigmoid of logits is limited.

    Where it is limited for certain, 1 - epsilon is rounded, which moves the logarithm of its
    distance from 1 by 2 u / epsilon. Elsewhere an error of the sigmoid is relative to its distance
    from the nearer end, and the loss cannot leave the range from 0 to -log(epsilon / 2).
    """
    size = np.abs(logits)
    rounding = allowance(16, model) * (1 + np.minimum(size, _SATURATED))
    most = -np.log(EPSILON / 2)
    steep = 1 + np.minimum(np.exp(np.minimum(size, _SATURATED)), 1 / EPSILON)
    end = np.minimum(2 * model.unit / EPSILON, most) + rounding
    bound = np.where(size > _SATURATED, end, np.minimum(rounding * steep, most) + EPSILON * steep)
    return np.asarray(bound + 8 * model.underflow)


def in_top_k(predictions: Array, targets: Array, k: int, beyond: str = NOTHING) -> Array:
    """Whether fewer than k classes have a higher score than the target (C113); NaN is in no top.

    A score equal to the k-th largest is among the k largest: a convention. `beyond` is a reading of
    `indices`: a number beyond the classes is in no top.

    Shapes: predictions (samples, classes), integer targets (samples,); the result is (samples,).
    """
    places, inside = placed(targets, predictions.shape[1], beyond)
    scores = np.take_along_axis(predictions, places[:, np.newaxis], axis=1)
    higher = (predictions > scores).sum(axis=1)
    within: Array = (higher < k) & ~np.isnan(scores[:, 0])
    return filled(within, inside, beyond)


def tied(predictions: Array, targets: Array, k: int, **_: str) -> Array:
    """The rows in which scores equal to the target's lie on both sides of the k-th.

    Shapes: predictions (samples, classes), integer targets (samples,); the result is bool
    (samples,).
    """
    places = np.clip(targets, 0, predictions.shape[1] - 1)
    scores = np.take_along_axis(predictions, places[:, np.newaxis], axis=1)
    higher, equal = (predictions > scores).sum(axis=1), (predictions == scores).sum(axis=1)
    result: Array = (higher < k) & (higher + equal > k)
    return result


ORACLES: Mapping[str, Callable[..., Array]] = {
    "categorical_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
    "binary_crossentropy": binary_crossentropy,
    "in_top_k": in_top_k,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "categorical_crossentropy": bounded_categorical_crossentropy,
    "sparse_categorical_crossentropy": bounded_sparse_categorical_crossentropy,
    "binary_crossentropy": bounded_binary_crossentropy,
}
