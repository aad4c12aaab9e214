"""Numbers for probabilities: distributions along an axis, probabilities and logits.

Ordinary probabilities are between 1/100 and 99/100, and ordinary logits between -5 and 5: the
documents do not say what becomes of probabilities nearer to 0 and 1. In the manner `zeros` they
are 0 and 1 themselves, in the manner `sparse` some of them are, and logits that are `large` reach
from -100 to 100.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.generators import portable

Array = npt.NDArray[Any]

LEAST = 0.01
MOST_LOGIT = 5.0


def distribution(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, axis: int, profile: str
) -> Array:
    """Elements that sum to one along the axis: weights of 1 to 4, or drawn, or a single one.

    In the manner `sparse` half of them are 0. In the manner `unnormalised` they have any sum. In
    the manner `special` NaN and infinities take the place of some, and a row without them is a
    distribution all the same.
    """
    if profile == "zeros":
        return _one_hot(rng, shape, axis).astype(dtype)
    if profile == "unnormalised":
        return rng.uniform(0.05, 0.95, shape).astype(dtype)
    if profile in ("integers", "halves"):
        weights = rng.integers(1, 5, shape).astype(np.float64)
    else:
        weights = portable.exp(rng.uniform(-1.5, 1.5, shape))
    if profile in ("sparse", "special"):
        weights = weights * ((rng.random(shape) < 0.5) | _one_hot(rng, shape, axis))
    found = np.asarray(weights / weights.sum(axis=axis, keepdims=True)).astype(dtype)
    return _with_special(rng, found) if profile == "special" else found


def _with_special(rng: np.random.Generator, values: Array) -> Array:
    """The numbers, a quarter of them NaN or infinite and half of the zeros negative; integers have
    none of these."""
    if values.dtype.kind in "biu":
        return values
    zeros = np.where((values == 0) & (rng.random(values.shape) < 0.5), -0.0, values)
    special = rng.choice(np.array([np.nan, np.inf, -np.inf]), values.shape)
    return np.where(rng.random(values.shape) < 0.25, special, zeros).astype(values.dtype)


def _one_hot(rng: np.random.Generator, shape: tuple[int, ...], axis: int) -> Array:
    scores = rng.random(shape)
    if not scores.size:
        return scores
    return np.asarray(scores == scores.max(axis=axis, keepdims=True))


def targets(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, axis: int, profile: str
) -> Array:
    """The targets of a distribution: often a single class, and always in a dtype of integers."""
    whole = np.dtype(dtype).kind != "f"
    if whole or (profile != "halves" and rng.random() < 0.5):
        return _one_hot(rng, shape, axis).astype(dtype)
    return distribution(
        rng, shape, dtype, axis, "ordinary" if profile == "unnormalised" else profile
    )


def probability(rng: np.random.Generator, values: Array) -> Array:
    """Numbers between 1/100 and 99/100; 0 or 1 where all are zero."""
    if not values.any():
        return (rng.random(values.shape) < 0.5).astype(values.dtype)
    inside = LEAST + (1 - 2 * LEAST) / (1 + portable.exp(-np.clip(values, -30, 30)))
    return np.asarray(inside, values.dtype)


def sparse_probability(rng: np.random.Generator, values: Array) -> Array:
    """0 or 1 where the number is zero, else a number between 1/100 and 99/100."""
    ends = rng.random(values.shape) < 0.5
    return np.where(values == 0, ends, probability(rng, values + (values == 0))).astype(
        values.dtype
    )


def fraction(rng: np.random.Generator, values: Array) -> Array:
    """Numbers from 0 to 1: half of them are at an end."""
    ends = rng.random(values.shape) < 0.5
    return np.where(rng.random(values.shape) < 0.5, ends, rng.random(values.shape)).astype(
        values.dtype
    )


def inside(_rng: np.random.Generator, values: Array) -> Array:
    """Numbers between -1 and 1, away from both."""
    shrunk = values / (1 + np.abs(values))
    return np.asarray(np.clip(shrunk, LEAST - 1, 1 - LEAST), values.dtype)


def logit(_rng: np.random.Generator, values: Array) -> Array:
    """Numbers from -5 to 5."""
    return np.clip(values, -MOST_LOGIT, MOST_LOGIT)
