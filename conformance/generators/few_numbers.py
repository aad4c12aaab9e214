"""Domains of few different numbers: how many there are is known before they are drawn.

So the shape of a result that has each of them once follows from the call. The names say how many
numbers there are, or how many slices along an axis (`2 numbers`, `3 slices of axis 1`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Fit = Callable[[np.random.Generator, Array], Array]
MOST, MOST_AXES = 6, 3
"""How many different numbers or slices there are at most, and axes of these slices."""
_FLOATS = (2.0, -3.5, 0.0, 7.25, 0.5, -1.0)
_INTEGERS = (2, -3, 0, 7, 5, 9)


def numbers(count: int) -> str:
    """The name of the domain of so many different numbers."""
    return f"{count} numbers"


def slices(count: int, axis: int) -> str:
    """The name of the domain of so many different slices along an axis."""
    return f"{count} slices of axis {axis}"


def _levels(dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "f":
        return np.array(_FLOATS, dtype)
    return np.array([abs(n) if dtype.kind == "u" else n for n in _INTEGERS], dtype)


def _choices(values: Array, count: int) -> Array:
    """A choice among `count` for each number, each of which is made."""
    wide = np.nan_to_num(np.asarray(values, np.float64), posinf=1.0, neginf=1.0)
    choices = (4 * np.minimum(np.abs(wide), 1e6)).astype(int) % count
    others = np.setdiff1d(np.arange(choices.size), np.unique(choices, return_index=True)[1])
    missing = np.setdiff1d(np.arange(count), choices)
    choices[others[: missing.size]] = missing[: others.size]
    return choices


def _of_numbers(count: int) -> Fit:
    def fit(_rng: np.random.Generator, values: Array) -> Array:
        levels = _levels(values.dtype)[:count]
        if {*values.reshape(-1).tolist()} == {*levels.tolist()}:
            return values
        return levels[_choices(values.reshape(-1), count)].reshape(values.shape)

    return fit


def _patterns(count: int, size: int, dtype: np.dtype[Any]) -> Array:
    """Different rows, of which two begin alike if they have more elements than one."""
    levels = _levels(dtype)
    rows = [[levels[(row + place) % MOST] for place in range(size)] for row in range(count)]
    for row in range(count) if size > 1 else ():
        rows[row][:2] = [levels[row // 2], levels[(3 * row + 1) % MOST]]
    return np.array(rows, dtype)


def _of_slices(count: int, axis: int) -> Fit:
    def fit(_rng: np.random.Generator, values: Array) -> Array:
        moved = np.moveaxis(values, axis, 0)
        rows = moved.reshape(len(moved), -1)
        patterns = _patterns(count, rows.shape[1], values.dtype)
        if {*map(tuple, rows.tolist())} == {*map(tuple, patterns.tolist())}:
            return values
        chosen = patterns[_choices(rows[:, 0], count)]
        return np.moveaxis(chosen.reshape(moved.shape), 0, axis).copy()

    return fit


FITS: Mapping[str, Fit] = {
    **{numbers(n): _of_numbers(n) for n in range(1, MOST + 1)},
    **{
        slices(n, axis): _of_slices(n, axis)
        for n in range(1, MOST + 1)
        for axis in range(MOST_AXES)
    },
}
