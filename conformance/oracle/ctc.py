"""Connectionist temporal classification: the loss of a label, its gradient, the likeliest labels.

Definitions of A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, Connectionist Temporal
Classification, ICML 2006: a path has one class for each time step, its probability is the product
of the steps' probabilities, and it stands for the label that is left when repeats are merged and
then blanks dropped. The loss of a label is -log of the sum of its paths' probabilities, which the
forward recursion of their section 4.1 computes here in wide logarithms. `ranked` does without the
recursion: it enumerates all paths. The blank is the last class (convention `ctc-blank`);
`first_as_last` makes it the first.

`epsilon` is documented as a small number that some operations use so as not to divide by zero
(ja-1 line 61, ja-2.0 line 63, ko-2.2 line 69), so that a bound allows it to be added to every
probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import groupby, product
from typing import Any

import numpy as np

from conformance.oracle.bounds import Question, conditioned
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.rounding import WIDE, Arithmetic, allowance, arithmetic
from conformance.specs.model import Conditioned

FACTOR = 4.0
"""How much more than one rounding of the inputs and the result an implementation may err."""
EPSILON = 1e-7
"""The default fuzz factor (ja-1 line 50, ja-2.0 line 52, ko-2.2 line 32)."""

Label = tuple[int, ...]


def ctc_batch_cost(y_true: Array, y_pred: Array, input_length: Array, label_length: Array) -> Array:
    """-log of the probability of each sample's label: (samples, 1). Infinite for a label that no
    path stands for."""
    rows = _samples(y_true, y_pred, input_length, label_length)
    return -np.stack([[log_probability(y, label)] for y, label in rows])


def log_probability(y: Array, label: Label) -> Any:
    """log of the probability of a label, for probabilities (time_steps, num_categories)."""
    return _ending(_forward(np.log(y), label))


def _samples(y_true: Array, y_pred: Array, input_length: Array, label_length: Array) -> Any:
    lengths = zip(input_length.reshape(-1), label_length.reshape(-1), strict=True)
    return [
        (y[:steps], tuple(int(k) for k in label[:length]))
        for y, label, (steps, length) in zip(y_pred, y_true, lengths, strict=True)
    ]


def _states(label: Label, blank: int) -> list[int]:
    """A blank before, between and after the classes of a label."""
    return [blank, *(k for one in label for k in (one, blank))]


def _forward(log_y: Array, label: Label) -> Array:
    """log of the probability to be in a state after each time step: (time_steps, states)."""
    blank = log_y.shape[1] - 1
    states = _states(label, blank)
    jumps = [
        s > 1 and states[s] != blank and states[s] != states[s - 2] for s in range(len(states))
    ]
    reached = np.full((len(log_y), len(states)), -np.inf, log_y.dtype)
    reached[0, :2] = log_y[0, states[:2]]
    for t in range(1, len(log_y)):
        stay, step, jump = (_moved(reached[t - 1], places) for places in range(3))
        arriving = np.logaddexp(np.logaddexp(stay, step), np.where(jumps, jump, -np.inf))
        reached[t] = arriving + log_y[t, states]
    return reached


def _moved(state: Array, places: int) -> Array:
    """Every state's value `places` states later."""
    if not places:
        return state
    lost = np.full(places, -np.inf, state.dtype)
    return np.concatenate([lost, state])[: state.size]


def _ending(reached: Array) -> Any:
    """log of the probability to end in one of the last two states."""
    return np.logaddexp.reduce(reached[-1, -2:])


def occupation(y: Array, label: Label) -> Array:
    """How probable each class is at each time step, given the label: (time_steps, categories)."""
    log_y = np.log(y)
    states = _states(label, y.shape[1] - 1)
    forward = _forward(log_y, label)
    backward = _forward(log_y[::-1], label[::-1])[::-1, ::-1]
    share = np.exp(forward + backward - log_y[:, states] - _ending(forward))
    found = np.zeros_like(y)
    np.add.at(found.T, states, share.T)
    return found


def ctc_gradient(x: Array, y_true: Array, input_length: Array, label_length: Array) -> Array:
    """The gradient of the total loss of softmax(x) with respect to x (their equation 16).

    At each time step of a sample, the probability of a class less that given the label; 0 after
    the sample's end.
    """
    y = _softmax(x)
    found = np.zeros_like(y)
    rows = _samples(y_true, y, input_length, label_length)
    for row, (steps, label) in zip(found, rows, strict=True):
        row[: len(steps)] = steps - occupation(steps, label)
    return found


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    y: Array = powers / powers.sum(axis=-1, keepdims=True)
    return y


def collapsed(path: Sequence[int], blank: int) -> Label:
    """The label that a path stands for: repeats merged, then blanks dropped."""
    return tuple(int(k) for k, _ in groupby(path) if k != blank)


@cache
def _paths(categories: int, steps: int) -> tuple[Array, tuple[Label, ...], Array]:
    """All paths, all labels that some path stands for, and the number of each path's label."""
    paths = np.array(list(product(range(categories), repeat=steps)))
    labels = [collapsed(path, categories - 1) for path in paths.tolist()]
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    return paths, tuple(number), np.array([number[label] for label in labels])


def ranked(y: Array) -> list[tuple[Label, float]]:
    """Every label with log of its probability, the likeliest first, from all paths.

    There are num_categories ** time_steps paths.
    """
    paths, labels, number = _paths(y.shape[1], y.shape[0])
    steps = np.take_along_axis(y.astype(np.longdouble), paths.T, axis=1)
    total = np.zeros(len(labels), np.longdouble)
    np.add.at(total, number, steps.prod(axis=0))
    order = np.argsort(-total, kind="stable")
    return [(labels[i], float(np.log(total[i]))) for i in order]


def best_path(y: Array) -> Label:
    """The label of the likeliest path."""
    return collapsed(y.argmax(axis=1).tolist(), y.shape[1] - 1)


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
    oracle, fuzz = partial(ctc_batch_cost, **known), partial(_added, epsilon=epsilon)
    return _expectation(oracle, "y_pred", y_pred, y_pred.shape[1], fuzz=fuzz)


def expected_loss_of_logits(
    x: Array, y_true: Array, input_length: Array, label_length: Array
) -> Expectation:
    """The losses (samples, 1) of softmax(x), with bounds for the dtype of `x`.

    A logarithm of a softmax of n classes is off by gamma_(n + 8) (1 + max|x|) (`losses`), at each
    time step.
    """
    known = {"y_true": y_true, "input_length": input_length, "label_length": label_length}

    def oracle(x: Array) -> Array:
        return ctc_batch_cost(y_pred=_softmax(x), **known)

    found = _expectation(oracle, "x", x, x.shape[1], fuzz=lambda logits: [logits])
    model = arithmetic(x.dtype.name, True)
    assert model is not None, x.dtype
    each = allowance(x.shape[2] + 8, model) * (1 + np.abs(x).max())
    return Expectation(found.value, found.bound + x.shape[1] * each, found.dtype)


def first_as_last(
    y_true: Array, y_pred: Array, input_length: Array, label_length: Array
) -> dict[str, Array]:
    """The arguments with their first class moved behind the last.

    The last class as blank means in the result what the first one means in these. Labels with the
    first class, which would be a blank in a label, are emptied; see `has_first_class`.
    """
    emptied = has_first_class(y_true, label_length).reshape(label_length.shape)
    return {
        "y_true": np.maximum(y_true - 1, 0),
        "y_pred": np.roll(y_pred, -1, axis=-1),
        "input_length": input_length,
        "label_length": np.where(emptied, 0, label_length),
    }


def has_first_class(y_true: Array, label_length: Array) -> Array:
    """Which labels have the first class (samples,)."""
    inside = np.arange(y_true.shape[1]) < label_length.reshape(-1, 1)
    found: Array = ((y_true == 0) & inside).any(axis=1)
    return found


def expected_cost_of_first_blank(
    y_true: Array, y_pred: Array, input_length: Array, label_length: Array
) -> Expectation:
    """As `expected_cost`, with the first class as blank; anything for labels that have it."""
    moved = first_as_last(y_true, y_pred, input_length, label_length)
    found = expected_cost(**moved)
    free = has_first_class(y_true, label_length)[:, None]
    return Expectation(found.value, np.where(free, np.inf, found.bound), found.dtype)


def expected_gradient_of_first_blank(
    x: Array, y_true: Array, input_length: Array, label_length: Array
) -> Expectation:
    """As `expected_gradient`, with the first class as blank; anything for labels that have it."""
    moved = first_as_last(y_true, x, input_length, label_length)
    found = expected_gradient(moved.pop("y_pred"), **moved)
    free = has_first_class(y_true, label_length)[:, None, None]
    value, bound = (np.roll(part, 1, axis=-1) for part in (found.value, found.bound))
    return Expectation(value, np.where(free, np.inf, bound), found.dtype)


def expected_best_path_cost(y_pred: Array, input_length: Array) -> Expectation:
    """-log of the probabilities of the likeliest paths (samples, 1), with bounds."""
    oracle = partial(best_path_cost, input_length=input_length)
    return _expectation(oracle, "y_pred", y_pred, y_pred.shape[1])


def expected_log_probabilities(
    y_pred: Array, input_length: Array, labels: Sequence[Sequence[Label]]
) -> Expectation:
    """log of the probability of each sample's labels: (samples, labels), with bounds."""
    longest = max(len(label) for row in labels for label in row)
    columns = []
    for column in zip(*labels, strict=True):
        padded = np.array([[*one, *[0] * (longest - len(one))] for one in column], np.int64)
        length = np.array([len(one) for one in column])
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
    bound = expectation.bound + EPSILON / _softmax(x.astype(np.float64))
    return Expectation(expectation.value, bound, expectation.dtype)


def _fuzzy(x: Array) -> list[Array]:
    """The logits whose softmax has epsilon added."""
    return [np.log(_softmax(x) + EPSILON)]


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


def _question(oracle: Any, name: str, wide: Array, model: Arithmetic) -> Question:
    return Question("ctc", oracle, {name: wide}, model)
