"""Decoding on NumPy arrays: the likeliest path, and a search for the likeliest labels.

The search is that over prefixes of Graves et al., ICML 2006, section 3.2, with a beam: for each
prefix, the probability of the paths so far that end with a blank, and of those that do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.reference.numpy_library.ctc import checked
from conformance.reference.numpy_library.kernels import Array, kernel

NOTHING = -1
"""What fills a row after the end of its label."""


@kernel
def ctc_best_labels(y_pred: Array, input_length: Array) -> Any:
    """Repeats merged, then blanks dropped; the rest moved to the front of each row."""
    checked(input_length, 1, y_pred.shape[1], "input_length")
    path, blank = y_pred.argmax(axis=2), y_pred.shape[2] - 1
    before = np.concatenate([np.full((len(path), 1), blank), path[:, :-1]], axis=1)
    inside = np.arange(path.shape[1]) < input_length[:, np.newaxis]
    kept = inside & (path != blank) & (path != before)
    result = np.full(path.shape, NOTHING, np.int64)
    place = kept.cumsum(axis=1) - 1
    result[np.nonzero(kept)[0], place[kept]] = path[kept]
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
    return _kept(beam, blank, other, longer)


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
    own, wanted = np.split(number.reshape(samples, 2 * width), 2, axis=1)
    found = np.full(number.size, NOTHING)
    found[own[active]] = np.nonzero(active)[1]
    result: Array = np.where(active & (beam.lengths > 0), found[wanted], NOTHING)
    return result


def _kept(beam: Beam, blank: Array, other: Array, longer: Array) -> Beam:
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
