"""Paths in the form of softmax outputs on NumPy arrays: the likeliest one, and that of a word."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.reference.numpy_library.ctc import LabelStates, _shifted, checked, states_of
from conformance.reference.numpy_library.kernels import Array, kernel


def _written(y_pred: Array, path: Array, input_length: Array) -> Array:
    """The probabilities along a path (samples, time_steps), the blank after the end."""
    inside = np.arange(path.shape[1]) < input_length[:, np.newaxis]
    classes = np.where(inside, path, y_pred.shape[2] - 1)[..., np.newaxis]
    along = np.where(inside[..., np.newaxis], np.take_along_axis(y_pred, classes, axis=2), 1)
    result = np.zeros_like(y_pred)
    np.put_along_axis(result, classes, along, axis=2)
    return result


@kernel
def ctc_best_path(y_pred: Array, input_length: Array) -> Any:
    """The likeliest class of each time step."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    return _written(y_pred, y_pred.argmax(axis=2), input_length)


@kernel
def ctc_word_path(
    y_pred: Array, input_length: Array, words: tuple[tuple[int, ...], ...], width: int
) -> Any:
    """The likeliest path of the likeliest word."""
    samples, steps, categories = y_pred.shape
    checked(input_length, 1, steps, "input_length")
    lengths = np.array([len(word) for word in words])
    labels = np.array([[*w, *[0] * (max(lengths) - len(w))] for w in words], np.int64)
    count = len(words)
    states = states_of(
        np.tile(labels.reshape(count, -1), (samples, 1)),
        np.tile(lengths, samples),
        np.repeat(input_length, count),
        categories,
    )
    log_y = states.emissions(np.repeat(y_pred, count, axis=0))
    best = _likeliest(states, log_y, count, width)
    chosen = np.arange(samples) * count + best
    path = _along(_only(states, chosen), log_y[chosen])
    return _written(y_pred, path, input_length)


def _only(states: LabelStates, rows: Array) -> LabelStates:
    return LabelStates(
        states.classes[rows], states.jumps[rows], states.last[rows], states.steps[rows]
    )


def _likeliest(states: LabelStates, log_y: Array, count: int, width: int) -> Array:
    """The number of each sample's likeliest word; `width` words are kept at each time step."""
    values = states.begin() + log_y[:, 0]
    ended = np.logaddexp.reduce(values + states.end(), axis=1)
    for t in range(1, log_y.shape[1]):
        values = states.moved(_narrowed(values, count, width)) + log_y[:, t]
        now = np.logaddexp.reduce(values + states.end(), axis=1)
        ended = np.where(states.steps > t, now, ended)
    result: Array = ended.reshape(-1, count).argmax(axis=1)
    return result


def _narrowed(values: Array, count: int, width: int) -> Array:
    """-inf for all but the `width` words of each sample that are likeliest so far."""
    so_far = np.logaddexp.reduce(values, axis=1).reshape(-1, count)
    rank = np.argsort(np.argsort(-so_far, axis=1, kind="stable"), axis=1)
    return np.where((rank < width).reshape(-1, 1), values, -np.inf)


def _along(states: LabelStates, log_y: Array) -> Array:
    """The classes of the likeliest path through the states (Viterbi): (samples, time_steps)."""
    values, origins = states.begin() + log_y[:, 0], []
    for t in range(1, log_y.shape[1]):
        ways = [values, _shifted(values, 1), np.where(states.jumps, _shifted(values, 2), -np.inf)]
        inside = (states.steps > t)[:, np.newaxis]
        origins.append(np.where(inside, np.argmax(ways, axis=0), 0))
        values = np.where(inside, np.max(ways, axis=0) + log_y[:, t], values)
    state = (values + states.end()).argmax(axis=1)[:, np.newaxis]
    found = [state]
    for origin in reversed(origins):
        state = state - np.take_along_axis(origin, state, axis=1)
        found.append(state)
    return np.take_along_axis(states.classes, np.hstack(found[::-1]), axis=1)
