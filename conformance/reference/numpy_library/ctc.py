"""The CTC loss on NumPy arrays: a whole batch at once, one time step after the other.

Graves, Fernandez, Gomez and Schmidhuber, Connectionist Temporal Classification, ICML 2006,
section 4.1. The states of a label are its classes with a blank before, between and after them; a
path stays in a state, goes on to the next, or jumps over a blank between different classes.
Probabilities are kept as logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.reference.numpy_library.kernels import Array, kernel


@dataclass(frozen=True, eq=False)
class LabelStates:
    """The states (samples, states) of a batch of labels."""

    classes: Array
    jumps: Array
    """Whether a path may come to a state from the state before the last."""
    last: Array
    """(samples,): the last state, which is a blank."""
    steps: Array
    """(samples,): the number of time steps."""

    def moved(self, values: Array) -> Array:
        """The sum over the ways to come to each state from values (samples, states) before."""
        result = np.logaddexp(values, _shifted(values, 1))
        return np.logaddexp(result, np.where(self.jumps, _shifted(values, 2), -np.inf))

    def back(self, values: Array) -> Array:
        """The sum over the ways to go on from each state to values (samples, states) after."""
        result = np.logaddexp(values, _shifted(values, -1))
        jumping = np.where(self.jumps, values, -np.inf)
        return np.logaddexp(result, _shifted(jumping, -2))

    def begin(self) -> Array:
        """0 for the states in which a path may begin, else -inf."""
        place = np.arange(self.classes.shape[1])
        return np.where((place < 2) & (place <= self.last[:, np.newaxis]), 0.0, -np.inf)

    def end(self) -> Array:
        """0 for the states in which a path may end, else -inf."""
        place, last = np.arange(self.classes.shape[1]), self.last[:, np.newaxis]
        return np.where((place <= last) & (place >= last - 1), 0.0, -np.inf)

    def emissions(self, y: Array) -> Array:
        """log of the probabilities of the states' classes: (samples, time_steps, states)."""
        return np.take_along_axis(np.log(y), self.classes[:, np.newaxis, :], axis=2)


def _shifted(values: Array, places: int) -> Array:
    """The values `places` states later, or earlier; -inf where there is none."""
    result = np.full_like(values, -np.inf)
    if places > 0:
        result[:, places:] = values[:, :-places]
    else:
        result[:, :places] = values[:, -places:]
    return result


def states_of(labels: Array, lengths: Array, steps: Array, categories: int) -> LabelStates:
    """The states of labels (samples, length); what is beyond their lengths is not looked at."""
    inside = np.arange(labels.shape[1]) < lengths[:, np.newaxis]
    blank = categories - 1
    if ((labels < 0) | (labels >= blank))[inside].any():
        raise ValueError(f"a label has a class outside of 0 to {blank - 1}; {blank} is the blank")
    classes = np.full((len(labels), 2 * labels.shape[1] + 1), blank, np.int64)
    classes[:, 1::2] = np.where(inside, labels, blank)
    jumps = np.zeros(classes.shape, bool)
    jumps[:, 2:] = (classes[:, 2:] != blank) & (classes[:, 2:] != classes[:, :-2])
    return LabelStates(classes, jumps, 2 * lengths.astype(np.int64), steps)


def checked(lengths: Array, least: int, most: int, what: str) -> None:
    """ValueError unless all lengths are in the range."""
    if (lengths < least).any() or (lengths > most).any():
        raise ValueError(f"{what} must be from {least} to {most}, not {lengths.tolist()}")


def _states(y_pred: Array, y_true: Array, input_length: Array, label_length: Array) -> LabelStates:
    checked(input_length, 1, y_pred.shape[1], "input_length")
    checked(label_length, 0, y_true.shape[1], "label_length")
    return states_of(y_true, label_length, input_length, y_pred.shape[2])


def _arriving(states: LabelStates, log_y: Array) -> list[Array]:
    """For each time step, log of the probability to come to each state, before its class is."""
    found = [states.begin()]
    for t in range(1, log_y.shape[1]):
        found.append(states.moved(found[-1] + log_y[:, t - 1]))
    return found


def _leaving(states: LabelStates, log_y: Array) -> list[Array]:
    """For each time step, log of the probability of all that comes after each state."""
    ending, found = states.end(), []
    values = np.full_like(ending, -np.inf)
    for t in reversed(range(log_y.shape[1])):
        if t + 1 < log_y.shape[1]:
            values = states.back(values + log_y[:, t + 1])
        last = (states.steps == t + 1)[:, np.newaxis]
        values = np.where(last, ending, values)
        found.append(values)
    return found[::-1]


def _log_probability(states: LabelStates, log_y: Array, arriving: list[Array]) -> Array:
    """log of the probability of each label: (samples, 1)."""
    rows, last_step = np.arange(len(states.steps)), states.steps - 1
    reached = np.stack(arriving)[last_step, rows] + log_y[rows, last_step]
    return np.logaddexp.reduce(reached + states.end(), axis=1, keepdims=True)


@kernel
def ctc_cost(y_pred: Array, y_true: Array, input_length: Array, label_length: Array) -> Any:
    """-log of the probability of each label."""
    states = _states(y_pred, y_true, input_length, label_length)
    log_y = states.emissions(y_pred)
    return -_log_probability(states, log_y, _arriving(states, log_y)).astype(y_pred.dtype)


@kernel
def ctc_cost_gradient(
    upstream: Array, y_pred: Array, y_true: Array, input_length: Array, label_length: Array
) -> Any:
    """With respect to each probability: what arrives before it times what leaves after it."""
    states = _states(y_pred, y_true, input_length, label_length)
    log_y = states.emissions(y_pred)
    arriving, leaving = _arriving(states, log_y), _leaving(states, log_y)
    total = _log_probability(states, log_y, arriving)
    result: Array = np.zeros_like(y_pred)
    rows: Array = np.arange(len(y_pred))[:, np.newaxis]
    for t, (before, after) in enumerate(zip(arriving, leaving, strict=True)):
        inside = (states.steps > t)[:, np.newaxis]
        share = np.where(inside, np.exp(before + after - total), 0)
        np.add.at(result[:, t], (rows, states.classes), -share * upstream)
    return result
