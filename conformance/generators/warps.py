"""Domains of images that are resampled, and of what says where their points come from.

The drawn numbers choose rows of a transform, and points of a perspective, from a table. Then places
are exact in every dtype, and most points of a result are settled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Fit = Callable[[np.random.Generator, Array], Array]
Row = tuple[float, ...]

WHOLE: tuple[Row, ...] = (
    (1, 0, 2, 0, 1, -1, 0, 0),
    (0, 1, 0, 1, 0, 0, 0, 0),
    (-1, 0, 3, 0, 1, 0, 0, 0),
    (1, 0, 0, 0, -1, 2, 0, 0),
)
"""Rows of transforms that move, turn and mirror: each point comes from a whole place."""
BETWEEN: tuple[Row, ...] = (
    (1, 0, 0.25, 0, 1, -0.75, 0, 0),
    (0.25, 0, 0, 0, 0.75, 1, 0, 0),
    (1.75, 0, -1, 0, 1.25, 0, 0, 0),
    (1, 0.75, -1, 0.25, 1, 0, 0, 0),
)
"""Rows that move by a part, scale and shear: points come from between the elements."""
PERSPECTIVES: tuple[Row, ...] = (
    *WHOLE[:3],
    (1.75, 0, -1, 0, 1.25, 0.25, 0, 0),
    (1, 0.125, 0.25, 0.125, 0.75, 0, 0.0625, 0),
    (0.75, 0, 0.5, 0.25, 1, 0.25, 0, 0.125),
)
SCALES = (2.0, 1.0, 0.5, 4.0, 1.5)
STEPS, WHOLE_STEPS = (0.25, -0.5, 0.75, 1.25), (0.0, 1.0, -1.0, 2.0)
"""Translations by a part of an element, and by whole ones."""
SIDE = 4.0
ENDS = np.array([[0, 0], [0, SIDE], [SIDE, 0], [SIDE, SIDE]])
"""Four points of a result; the plan draws where they lie in the image."""


def _starts(row: Row) -> Array:
    """Where the points come from."""
    a0, a1, a2, b0, b1, b2, c0, c1 = row
    x, y = ENDS.T
    k = c0 * x + c1 * y + 1
    return np.stack([(a0 * x + a1 * y + a2) / k, (b0 * x + b1 * y + b2) / k], -1)


STARTS: tuple[Array, ...] = tuple(map(_starts, PERSPECTIVES))


def _one_of(table: Sequence[Any]) -> Fit:
    """An entry of the table for each block of numbers of its shape: the block itself if the table
    has it, or an entry that the block's first number chooses."""
    entries = np.array(table, np.float64)

    def fit(_rng: np.random.Generator, values: Array) -> Array:
        known = entries.astype(values.dtype)
        blocks = values.reshape(-1, *known.shape[1:])
        rows = [block if _is_among(block, known) else _chosen(block, known) for block in blocks]
        return np.array(rows, values.dtype).reshape(values.shape)

    return fit


def _is_among(block: Array, known: Array) -> bool:
    return bool((known == block).reshape(len(known), -1).all(-1).any())


def _chosen(block: Array, known: Array) -> Array:
    number = abs(float(np.nan_to_num(block.reshape(-1)[0], posinf=1.0, neginf=1.0)))
    return np.asarray(known[int(4 * min(number, 1e6)) % len(known)])


def _alike(down: int) -> Fit:
    """The first element of each channel everywhere; the rows lie along `down`, then the columns."""

    def fit(_rng: np.random.Generator, values: Array) -> Array:
        first = values.take([0], down).take([0], down + 1)
        return np.broadcast_to(first, values.shape).copy()

    return fit


FITS: Mapping[str, Fit] = {
    "whole transforms": _one_of(WHOLE),
    "transforms": _one_of((*BETWEEN, *WHOLE)),
    "starts of a perspective": _one_of(STARTS),
    "ends of a perspective": _one_of([ENDS]),
    "whole scales": _one_of([1.0]),
    "scales": _one_of(SCALES),
    "whole steps": _one_of(WHOLE_STEPS),
    "steps": _one_of((*STEPS, *WHOLE_STEPS)),
    "alike, channels last": _alike(-3),
    "alike, channels first": _alike(-2),
    "windows of images": lambda _rng, values: values,
    "images of another size": lambda _rng, values: values,
    "points": lambda _rng, values: values,
}
FIXED = (
    *("whole transforms", "transforms", "starts of a perspective", "ends of a perspective"),
    *("whole scales", "scales", "whole steps", "steps", "points"),
)
"""Domains of numbers that no function is differentiated by."""
VEILED = (
    *("transforms", "scales", "steps"),
    *("alike, channels last", "alike, channels first", "windows of images"),
    "images of another size",
)
"""Domains beside which no gradient is settled: some of the results are open."""
