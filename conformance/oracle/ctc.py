"""Expected losses of connectionist temporal classification, with error bounds.

`ctc_paths` defines the loss. The blank is the last class (convention `ctc-blank`); `first_as_last`
makes it the first.

`epsilon` is documented as a small number that some operations use so as not to divide by zero (ja-1
line 61, ja-2.0 line 63, ko-2.2 line 69). Therefore a bound allows it to be added to every
probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.oracle import ctc_paths
from conformance.oracle.bounds import BoundQuestion, conditioned
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.rounding import WIDE, Arithmetic, allowance, arithmetic
from conformance.specs.model import Conditioned

FACTOR = 4.0
"""How much more than one rounding of the inputs and the result an implementation may err."""
EPSILON = 1e-7
"""The default fuzz factor (ja-1 line 50, ja-2.0 line 52, ko-2.2 line 32)."""


def ctc_gradient(x: Array, y_true: Array, input_length: Array, label_length: Array) -> Array:
    """The gradient of the total loss of softmax(x) with respect to x (their equation 16).

    At each time step of a sample, the probability of a class less that given the label; 0 after
    the sample's end.

    Shapes: x (samples, time_steps, categories), y_true (samples, longest label), lengths (samples,
    1); the result has the shape of x.
    """
    y = ctc_paths.softmax(x)
    gradient = np.zeros_like(y)
    rows = ctc_paths.labelled(y_true, y, input_length, label_length)
    for row, (steps, label) in zip(gradient, rows, strict=True):
        row[: len(steps)] = steps - ctc_paths.occupation(steps, label)
    return gradient


def best_path_cost(y_pred: Array, input_length: Array) -> Array:
    """-log of the probability of each sample's likeliest path: (samples, 1)."""
    lengths = input_length.reshape(-1)
    rows = [np.log(y[:n].max(axis=1)).sum() for y, n in zip(y_pred, lengths, strict=True)]
    return -np.array(rows)[:, None]


def expected_cost(
    y_true: Array, y_pred: Array, input_length: Array, label_length: Array
) -> Expectation:
    """The losses (samples, 1), which must be finite, with bounds for the dtype of `y_pred`."""
    return expected_cost_with(EPSILON, y_true, y_pred, input_length, label_length)


def expected_cost_with(
    epsilon: float, y_true: Array, y_pred: Array, input_length: Array, label_length: Array
) -> Expectation:
    """As `expected_cost`, for another fuzz factor."""
    known = {"y_true": y_true, "input_length": input_length, "label_length": label_length}
    oracle, fuzz = partial(ctc_paths.ctc_batch_cost, **known), partial(_added, epsilon=epsilon)
    return _expectation(oracle, "y_pred", y_pred, y_pred.shape[1], fuzz=fuzz)


def first_as_last(
    y_true: Array, y_pred: Array, input_length: Array, label_length: Array
) -> dict[str, Array]:
    """The arguments with their first class moved behind the last.

    The last class as blank means in the result what the first one means in these. Labels with the
    first class, which would be a blank in a label, are emptied; see `has_first_class`.

    Shapes: y_true (samples, longest label), y_pred (samples, time_steps, categories), lengths
    (samples, 1); the results have the shapes of the arguments.
    """
    emptied = has_first_class(y_true, label_length).reshape(label_length.shape)
    return {
        "y_true": np.maximum(y_true - 1, 0),
        "y_pred": np.roll(y_pred, -1, axis=-1),
        "input_length": input_length,
        "label_length": np.where(emptied, 0, label_length),
    }


def has_first_class(y_true: Array, label_length: Array) -> Array:
    """Which labels have the first class (samples,).

    Shapes: y_true (samples, longest label), label_length (samples, 1) or (samples,); the result is
    bool (samples,).
    """
    inside = np.arange(y_true.shape[1]) < label_length.reshape(-1, 1)
    first_class: Array = ((y_true == 0) & inside).any(axis=1)
    return first_class


def expected_cost_of_first_blank(
    y_true: Array, y_pred: Array, input_length: Array, label_length: Array
) -> Expectation:
    """As `expected_cost`, with the first class as blank; anything for labels that have it."""
    moved = first_as_last(y_true, y_pred, input_length, label_length)
    cost = expected_cost(**moved)
    free = has_first_class(y_true, label_length)[:, None]
    return Expectation(cost.value, np.where(free, np.inf, cost.bound), cost.dtype)


def expected_gradient_of_first_blank(
    x: Array, y_true: Array, input_length: Array, label_length: Array
) -> Expectation:
    """As `expected_gradient`, with the first class as blank; anything for labels that have it."""
    moved = first_as_last(y_true, x, input_length, label_length)
    gradient = expected_gradient(moved.pop("y_pred"), **moved)
    free = has_first_class(y_true, label_length)[:, None, None]
    value, bound = (np.roll(part, 1, axis=-1) for part in (gradient.value, gradient.bound))
    return Expectation(value, np.where(free, np.inf, bound), gradient.dtype)


def expected_best_path_cost(y_pred: Array, input_length: Array) -> Expectation:
    """-log of the probabilities of the likeliest paths (samples, 1), with bounds."""
    oracle = partial(best_path_cost, input_length=input_length)
    return _expectation(oracle, "y_pred", y_pred, y_pred.shape[1])


def expected_log_probabilities(
    y_pred: Array, input_length: Array, labels: Sequence[Sequence[ctc_paths.Label]]
) -> Expectation:
    """log of the probability of each sample's labels: (samples, labels), with bounds."""
    longest = max(len(label) for row in labels for label in row)
    columns = []
    for column in zip(*labels, strict=True):
        padded = np.array([[*path, *[0] * (longest - len(path))] for path in column], np.int64)
        length = np.array([len(path) for path in column])
        columns.append(expected_cost(padded.reshape(len(column), -1), y_pred, input_length, length))
    value, bound = (np.hstack([getattr(c, part) for c in columns]) for part in ("value", "bound"))
    return Expectation(-value, bound, y_pred.dtype.name)


def expected_gradient(
    x: Array, y_true: Array, input_length: Array, label_length: Array
) -> Expectation:
    """The gradient of the total loss of softmax(x), with bounds for the dtype of `x`."""
    known = {"y_true": y_true, "input_length": input_length, "label_length": label_length}
    expectation = _expectation(partial(ctc_gradient, **known), "x", x, x.shape[1], fuzz=_fuzzy)
    # the fuzz factor also divides: y / (y + epsilon)
    bound = expectation.bound + EPSILON / ctc_paths.softmax(x.astype(np.float64))
    return Expectation(expectation.value, bound, expectation.dtype)


def _fuzzy(x: Array) -> list[Array]:
    """The logits whose softmax has epsilon added."""
    return [np.log(ctc_paths.softmax(x) + EPSILON)]


def _added(y: Array, epsilon: float = EPSILON) -> list[Array]:
    """Probabilities with epsilon added, and those made to add up to 1 again."""
    more = y + epsilon
    return [more, more / more.sum(axis=-1, keepdims=True)]


def _expectation(
    oracle: Any, name: str, array: Array, roundings: int, *, fuzz: Any = _added
) -> Expectation:
    """The conditioned bound, the recursion's own roundings, and the effect of the fuzz factor.

    The recursion adds a logarithm at each time step, to a sum that is never larger than the result.
    """
    dtype = array.dtype.name
    model = arithmetic(dtype, True)
    assert model is not None, dtype
    wide = array.astype(WIDE[dtype])
    value, bound = conditioned(_question(oracle, name, wide, model), Conditioned(factor=FACTOR))
    bound = bound + allowance(roundings, model) * (np.abs(value) + 1)
    effects = [np.abs(oracle(**{name: other}) - value) for other in fuzz(wide)]
    bound = bound + np.max(effects, axis=0)
    return Expectation(value.astype(np.float64), bound.astype(np.float64), dtype)


def _question(oracle: Any, name: str, wide: Array, model: Arithmetic) -> BoundQuestion:
    return BoundQuestion("ctc", oracle, {name: wide}, model)
