"""Domains of whole arrays, and of indices: what an array must be like, not each element of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Fit = Callable[[np.random.Generator, Array], Array]
MISSING = 0.3
"""The share of numbers that are missing, of those that may be."""


def ascending(_rng: np.random.Generator, values: Array) -> Array:
    """In ascending order along the last axis, with infinity for NaN, which has no order."""
    ordered = np.where(np.isnan(values), np.inf, values).astype(values.dtype)
    return np.sort(ordered, axis=-1) if values.ndim else ordered


STEPS = 16
"""Colours are parts of it, so that differences of two are exact."""


def colours(_rng: np.random.Generator, values: Array) -> Array:
    """Sixteenths from 0 to 1, as many of either end as numbers are 0 or above 1."""
    if values.dtype.kind != "f":
        return np.asarray(np.sign(values) ** 2, values.dtype)
    near = np.abs(np.nan_to_num(np.asarray(values, np.float64), nan=0.5, posinf=1.0, neginf=0.0))
    return (np.round(np.where(near > 1, near % 1, near) * STEPS) / STEPS).astype(values.dtype)


def spectrum(_rng: np.random.Generator, values: Array) -> Array:
    """0 at both ends of the last axis, as the imaginary parts of a real signal's spectrum are."""
    parts = values.copy()
    parts[..., :1] = parts[..., -1:] = 0
    return parts


def window(_rng: np.random.Generator, values: Array) -> Array:
    """From a half to 1: no element that a quotient by it would lose."""
    near = np.abs(np.nan_to_num(np.asarray(values, np.float64), nan=1.0, posinf=1.0, neginf=1.0))
    inside = np.where((near >= 0.5) & (near <= 1), near, 0.5 + near % 1 / 2)
    return inside.astype(values.dtype)


def _may_miss(shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Where a number may be missing: nowhere at the beginning of an axis, so that each line along
    an axis has a number."""
    return np.all(np.indices(shape) > 0, axis=0) if shape else np.zeros(shape, np.bool_)


def some_missing(rng: np.random.Generator, values: Array) -> Array:
    """NaN in the place of some numbers, and in no other place."""
    if values.dtype.kind != "f":
        return values
    able, numbers = _may_miss(values.shape), np.asarray(values, np.float64)
    gone = able & (np.isnan(numbers) | (rng.random(values.shape) < MISSING))
    there = np.where(np.isnan(numbers), 1.0, numbers)
    return np.where(gone, np.nan, there).astype(values.dtype)


def is_some_missing(values: Array) -> npt.NDArray[np.bool_]:
    """Whether each number is there, or may be missing."""
    found: npt.NDArray[np.bool_] = ~np.isnan(np.asarray(values, np.float64)) | _may_miss(
        values.shape
    )
    return found


def each(rng: np.random.Generator, places: Array, below: int) -> Array:
    """Each index from 0 to less than `below` at least once."""
    found = places.reshape(-1).copy()
    found[rng.permutation(found.size)[:below]] = np.arange(min(below, found.size))
    return found.reshape(places.shape)


def each_ascending(rng: np.random.Generator, places: Array, below: int) -> Array:
    """The same, in ascending order."""
    return np.sort(each(rng, places, below), axis=None).reshape(places.shape)


def gapped(rng: np.random.Generator, places: Array, below: int) -> Array:
    """The last index at least once and another one never, if there is another."""
    indices = places.reshape(-1).copy()
    if below > 1 and indices.size:
        indices[indices == rng.integers(0, below - 1)] = below - 1
        indices[rng.integers(0, indices.size)] = below - 1
    return indices.reshape(places.shape)


def gapped_ascending(rng: np.random.Generator, places: Array, below: int) -> Array:
    """The same, in ascending order."""
    return np.sort(gapped(rng, places, below), axis=None).reshape(places.shape)


OF_INDICES: Mapping[str, Callable[[np.random.Generator, Array, int], Array]] = {
    "each": each,
    "each ascending": each_ascending,
    "gapped": gapped,
    "gapped ascending": gapped_ascending,
}
"""What indices must be like besides being in range."""


NAMES_OF_INDICES = (*OF_INDICES, "distinct", "repeated")
"""The same, and what rows of coordinates are like: no place comes twice, or some do."""


def rows(rng: np.random.Generator, count: int, sizes: tuple[int, ...], *, distinct: bool) -> Array:
    """Coordinates of places in a tensor of these sizes, a row for each; no place twice if they are
    `distinct`, else mostly few different ones."""
    size = int(np.prod(sizes))
    if distinct:
        flat = rng.permutation(size)[:count]
    else:
        flat = rng.integers(0, max(1, min(size, int(rng.integers(1, 4)))), count)
    return np.stack(np.unravel_index(flat, sizes), -1).reshape(count, len(sizes))
