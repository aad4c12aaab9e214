"""The CTC loss on NumPy arrays: a whole batch at once, one time step after the other.

Graves, Fernandez, Gomez and Schmidhuber, Connectionist Temporal Classification, ICML 2006, section
4.1. The states of a label are its classes with a blank before, between and after them. A path stays
in a state, goes on to the next, or jumps over a blank between different classes. Probabilities are
kept as logarithms.

The search for the likeliest labels is the one over prefixes, with a beam (Graves et al., ICML 2006,
section 3.2). It keeps two probabilities for each prefix: of the paths so far that end with a blank,
and of those that do not. For keras-1, paths have the form of softmax outputs.
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
    """Whether a path may reach a state from the state before the last."""
    last: Array
    """(samples,): the last state, which is a blank."""
    steps: Array
    """(samples,): the number of time steps."""

    def moved(self, values: Array) -> Array:
        """The sum over the ways to reach each state from values (samples, states) before."""
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
    """The states of labels (samples, length), without those beyond the lengths.

    Raises:
        ValueError: a label has a class beyond the categories.
    """
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
    """Check that all lengths are in the range.

    Raises:
        ValueError: a length is outside of the range.
    """
    if (lengths < least).any() or (lengths > most).any():
        raise ValueError(f"{what} must be from {least} to {most}, not {lengths.tolist()}")


def _states(y_pred: Array, y_true: Array, input_length: Array, label_length: Array) -> LabelStates:
    checked(input_length, 1, y_pred.shape[1], "input_length")
    checked(label_length, 0, y_true.shape[1], "label_length")
    return states_of(y_true, label_length, input_length, y_pred.shape[2])


def _arriving(states: LabelStates, log_y: Array) -> list[Array]:
    """For each time step, log of the probability to reach each state, before its class is."""
    sums = [states.begin()]
    for t in range(1, log_y.shape[1]):
        sums.append(states.moved(sums[-1] + log_y[:, t - 1]))
    return sums


def _leaving(states: LabelStates, log_y: Array) -> list[Array]:
    """For each time step, log of the probability of all that follows each state."""
    ending, sums = states.end(), []
    values = np.full_like(ending, -np.inf)
    for t in reversed(range(log_y.shape[1])):
        if t + 1 < log_y.shape[1]:
            values = states.back(values + log_y[:, t + 1])
        last = (states.steps == t + 1)[:, np.newaxis]
        values = np.where(last, ending, values)
        sums.append(values)
    return sums[::-1]


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


NOTHING = -1
"""The class that fills a row after the end of its label."""


@kernel
def ctc_best_labels(y_pred: Array, input_length: Array) -> Any:
    """Repeats merged, then blanks dropped; the rest moved to the front of each row."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    path, blank = y_pred.argmax(axis=2), y_pred.shape[2] - 1
    before = np.concatenate([np.full((len(path), 1), blank), path[:, :-1]], axis=1)
    inside = np.arange(path.shape[1]) < input_length[:, np.newaxis]
    chosen = inside & (path != blank) & (path != before)
    result = np.full(path.shape, NOTHING, np.int64)
    place = chosen.cumsum(axis=1) - 1
    result[np.nonzero(chosen)[0], place[chosen]] = path[chosen]
    return result


@kernel
def ctc_best_probability(y_pred: Array, input_length: Array) -> Any:
    """log of the probability of the likeliest path."""
    inside = np.arange(y_pred.shape[1]) < input_length[:, np.newaxis]
    best = np.log(y_pred.max(axis=2))
    return np.where(inside, best, 0).sum(axis=1, keepdims=True, dtype=y_pred.dtype)


@dataclass(frozen=True, eq=False)
class Beam:
    """Prefixes (samples, width, time_steps) and the logarithms of their probabilities.

    `blank` and `other` (samples, width): of the paths that end with a blank, and of the others. A
    place without a prefix has -inf for both.
    """

    prefixes: Array
    lengths: Array
    blank: Array
    other: Array

    @property
    def total(self) -> Array:
        """log of the probability of each prefix."""
        return np.logaddexp(self.blank, self.other)


def _first(samples: int, width: int, steps: int, dtype: Any) -> Beam:
    """The empty prefix alone."""
    blank = np.full((samples, width), -np.inf, dtype)
    blank[:, 0] = 0
    empty = np.full((samples, width, steps), NOTHING, np.int64)
    return Beam(empty, np.zeros((samples, width), np.int64), blank, np.full_like(blank, -np.inf))


@kernel
def ctc_beam(y_pred: Array, input_length: Array, width: int, top: int) -> Any:
    """A bundle: the likeliest labels (top, samples, time_steps), and log of their probabilities."""
    samples, steps, _ = y_pred.shape
    checked(input_length, 1, steps, "input_length")
    beam, log_y = _first(samples, width, steps, y_pred.dtype), np.log(y_pred)
    for t in range(steps):
        beam = _where(input_length > t, _advanced(beam, log_y[:, t]), beam)
    order = np.argsort(-beam.total, axis=1, kind="stable")[:, :top]
    bundle = np.empty(2, object)
    bundle[0] = np.moveaxis(np.take_along_axis(beam.prefixes, order[..., np.newaxis], 1), 1, 0)
    bundle[1] = np.take_along_axis(beam.total, order, axis=1)
    return bundle


def _where(chosen: Array, new: Beam, old: Beam) -> Beam:
    """The new beam for the samples chosen, the old one for the others."""
    return Beam(
        np.where(chosen[:, np.newaxis, np.newaxis], new.prefixes, old.prefixes),
        *(
            np.where(chosen[:, np.newaxis], a, b)
            for a, b in (
                (new.lengths, old.lengths),
                (new.blank, old.blank),
                (new.other, old.other),
            )
        ),
    )


def _last(beam: Beam) -> Array:
    """The last class of each prefix; 0 for the empty one."""
    place = np.maximum(beam.lengths - 1, 0)[..., np.newaxis]
    last: Array = np.take_along_axis(beam.prefixes, place, axis=2)[..., 0]
    return np.maximum(last, 0)


def _advanced(beam: Beam, log_y: Array) -> Beam:
    """The beam after a time step with log probabilities (samples, num_categories)."""
    last, total, end = _last(beam), beam.total, log_y.shape[1] - 1
    repeated = np.take_along_axis(log_y, last, axis=1)
    blank = total + log_y[:, end:]
    other = np.where(beam.lengths > 0, beam.other + repeated, -np.inf)
    # a prefix grows by its own last class only after a blank
    longer = np.repeat(total[..., np.newaxis], end, axis=2)
    own = (np.arange(end) == last[..., np.newaxis]) & (beam.lengths > 0)[..., np.newaxis]
    longer = np.where(own, beam.blank[..., np.newaxis], longer) + log_y[:, np.newaxis, :end]
    other = _merged(beam, last, other, longer)
    return _selected(beam, blank, other, longer)


def _merged(beam: Beam, last: Array, other: Array, longer: Array) -> Array:
    """`other` with what comes from prefixes that are one class shorter; taken out of `longer`."""
    parents = _parents(beam)
    rows, children = np.nonzero(parents >= 0)
    sources = (rows, parents[rows, children], last[rows, children])
    merged = other.copy()
    merged[rows, children] = np.logaddexp(other[rows, children], longer[sources])
    longer[sources] = -np.inf
    return merged


def _parents(beam: Beam) -> Array:
    """For each prefix, the place of the prefix without its last class in the beam; -1 if none."""
    samples, width, steps = beam.prefixes.shape
    active = np.isfinite(beam.total)
    shorter = beam.prefixes.copy()
    place = np.maximum(beam.lengths - 1, 0)[..., np.newaxis]
    np.put_along_axis(shorter, place, NOTHING, axis=2)
    rows = np.concatenate([beam.prefixes, shorter], axis=1).reshape(-1, steps)
    sample = np.repeat(np.arange(samples), 2 * width)[:, np.newaxis]
    _, number = np.unique(np.hstack([sample, rows]), axis=0, return_inverse=True)
    own, sought = np.split(number.reshape(samples, 2 * width), 2, axis=1)
    places = np.full(number.size, NOTHING)
    places[own[active]] = np.nonzero(active)[1]
    result: Array = np.where(active & (beam.lengths > 0), places[sought], NOTHING)
    return result


def _selected(beam: Beam, blank: Array, other: Array, longer: Array) -> Beam:
    """The likeliest of the prefixes as they were and of those that grew by a class."""
    samples, width, classes = longer.shape
    scores = np.concatenate([np.logaddexp(blank, other), longer.reshape(samples, -1)], axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :width]
    grown = order >= width
    source = np.where(grown, (order - width) // classes, order)
    added = (order - width) % classes
    prefixes = np.take_along_axis(beam.prefixes, source[..., np.newaxis], axis=1)
    lengths = np.take_along_axis(beam.lengths, source, axis=1)
    rows, places = np.nonzero(grown & np.isfinite(np.take_along_axis(scores, order, axis=1)))
    prefixes[rows, places, lengths[rows, places]] = added[rows, places]
    lengths[rows, places] += 1
    chosen = np.take_along_axis(scores, order, axis=1)
    return Beam(
        prefixes,
        lengths,
        np.where(grown, -np.inf, np.take_along_axis(blank, source, axis=1)),
        np.where(grown, chosen, np.take_along_axis(other, source, axis=1)),
    )


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
    best = [state]
    for origin in reversed(origins):
        state = state - np.take_along_axis(origin, state, axis=1)
        best.append(state)
    return np.take_along_axis(states.classes, np.hstack(best[::-1]), axis=1)
