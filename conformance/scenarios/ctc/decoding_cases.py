"""Probabilities whose likeliest labels are beyond doubt, for each custom of the blank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle import ctc_paths
from conformance.oracle.ctc_paths import Label
from conformance.scenarios.ctc import inputs

Array = npt.NDArray[Any]
Labels = tuple[tuple[Label, ...], ...]
"""The labels of each sample."""


@dataclass(frozen=True, slots=True, eq=False)
class DecodedSamples:
    """Probabilities, lengths (samples,) and the labels, for the last class and the first as blank.

    The likeliest label of a sample is the first.
    """

    y_pred: Array
    input_length: Array
    _: KW_ONLY
    last: Labels
    first: Labels

    @property
    def rows(self) -> list[Array]:
        """The probabilities of each sample, to its end."""
        return ended(self.y_pred, self.input_length)

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that concern the input."""
        return inputs.conventions(self.y_pred.shape, self.y_pred.dtype.name)


def ended(y_pred: Array, input_length: Array) -> list[Array]:
    """The probabilities of each sample, to its end."""
    return [y[:n] for y, n in zip(y_pred, input_length, strict=True)]


def _rolled(label: Label) -> Label:
    """A label, with each class raised by one: undoes a roll of the classes."""
    return tuple(k + 1 for k in label)


def both(
    decode: Callable[[Array], tuple[Label, ...]], rows: Sequence[Array]
) -> tuple[Labels, Labels]:
    """The labels of each sample for the last class as blank, and for the first."""
    last = tuple(decode(y) for y in rows)
    first = tuple(tuple(map(_rolled, decode(np.roll(y, -1, axis=1)))) for y in rows)
    return last, first


def peaked(rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    """Distributions of which one class clearly leads: half of the time that of the step before."""
    weights = rng.integers(2, 17, size=shape)
    leader = rng.integers(0, shape[2], size=shape[:2])
    for t in range(1, shape[1]):
        stays = rng.random(shape[0]) < 0.5
        leader[:, t] = np.where(stays, leader[:, t - 1], leader[:, t])
    np.put_along_axis(weights, leader[..., None], 20, axis=2)
    shares: Array = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def greedy_case(seed: int, count: int, steps: int, categories: int) -> DecodedSamples:
    """Samples whose likeliest path is beyond doubt."""
    rng = np.random.default_rng(seed)
    dtype = inputs.DTYPES[rng.integers(len(inputs.DTYPES))]
    y_pred = peaked(rng, (count, steps, categories)).astype(dtype)
    lengths = inputs.lengths_up_to(rng, count, steps, 1)
    last, first = both(lambda y: (ctc_paths.best_path(y),), ended(y_pred, lengths))
    return DecodedSamples(y_pred, lengths, last=last, first=first)


def beam_case(seed: int, count: int, steps: int, categories: int, top: int) -> DecodedSamples:
    """Samples whose `top` likeliest labels are beyond doubt.

    For each custom of the blank. There are at most 61 labels, so a beam of 100 loses none of them.
    """
    rng = np.random.default_rng(seed)
    dtype = inputs.DTYPES[rng.integers(len(inputs.DTYPES))]
    lengths = inputs.lengths_up_to(rng, count, steps, 2)
    y_pred = np.stack([_certain(rng, (steps, categories), int(n), top, dtype) for n in lengths])
    rows = [y.astype(np.float64) for y in ended(y_pred, lengths)]
    last, first = both(lambda y: likeliest(y, top), rows)
    return DecodedSamples(y_pred, lengths, last=last, first=first)


def likeliest(y: Array, top: int) -> tuple[Label, ...]:
    """The labels of highest probability, the likeliest first."""
    return tuple(label for label, _ in ctc_paths.ranked(y)[:top])


def _certain(
    rng: np.random.Generator, shape: tuple[int, int], length: int, top: int, dtype: str
) -> Array:
    """One sample, drawn until the order of its likeliest labels is certain."""
    while True:
        y: Array = peaked(rng, (1, *shape))[0].astype(dtype)
        wide = y[:length].astype(np.float64)
        if all(inputs.certain(ctc_paths.ranked(np.roll(wide, -k, axis=1)), top) for k in (0, 1)):
            return y
