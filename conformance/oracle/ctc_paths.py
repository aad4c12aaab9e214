"""Connectionist temporal classification: paths, the labels that they stand for, and the loss.

The definitions are those of A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, Connectionist
Temporal Classification, ICML 2006. A path has one class for each time step. Its probability is the
product of the steps' probabilities. It stands for the label that is left when repeats are merged
and then blanks dropped.

The loss of a label is -log of the sum of its paths' probabilities, which the
forward recursion of their section 4.1 computes here in wide logarithms. `ranked` does without the
recursion: it enumerates all paths. The blank is the last class.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby, product
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array

Label = tuple[int, ...]


def ctc_batch_cost(y_true: Array, y_pred: Array, input_length: Array, label_length: Array) -> Array:
    """-log of the probability of each sample's label: (samples, 1). Infinite for a label that no
    path stands for."""
    rows = labelled(y_true, y_pred, input_length, label_length)
    return -np.stack([[log_probability(y, label)] for y, label in rows])


def log_probability(y: Array, label: Label) -> Any:
    """log of the probability of a label, for probabilities (time_steps, num_categories)."""
    return log_probability_of_logs(np.log(y), label)


def log_probability_of_logs(log_y: Array, label: Label) -> Any:
    """The same, for logarithms of probabilities."""
    return _ending(_forward(log_y, label))


def labelled(y_true: Array, y_pred: Array, input_length: Array, label_length: Array) -> Any:
    """The probabilities of each sample's time steps, and its label."""
    lengths = zip(input_length.reshape(-1), label_length.reshape(-1), strict=True)
    return [
        (y[:steps], tuple(int(k) for k in label[:length]))
        for y, label, (steps, length) in zip(y_pred, y_true, lengths, strict=True)
    ]


def _states(label: Label, blank: int) -> list[int]:
    """A blank before, between and after the classes of a label."""
    return [blank, *(k for character in label for k in (character, blank))]


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
    occupied = np.zeros_like(y)
    np.add.at(occupied.T, states, share.T)
    return occupied


def softmax(x: Array) -> Array:
    """The probabilities of logits along the last axis.

    Shapes: any x of rank 1 or more; the result has the shape of x.
    """
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
