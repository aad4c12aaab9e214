"""Sparse values on NumPy arrays: the places of elements, and their values."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Indices (n, rank), n values, and the shape; elements at the same place add up."""

    indices: Array
    values: Array
    shape: tuple[int, ...]


def coordinates(value: Any) -> Coordinates:
    """The value of a triple (indices, values, shape), a SciPy matrix or an array of numbers.

    ValueError if it is none of them, or if an index is outside the shape.
    """
    if isinstance(value, Coordinates):
        return value
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        return _checked(np.stack([matrix.row, matrix.col], axis=1), matrix.data, matrix.shape)
    if isinstance(value, tuple) and len(value) == 3:
        return _checked(*value)
    array = np.asarray(value)
    return Coordinates(np.argwhere(array), array[array != 0], array.shape)


def _checked(indices: Any, values: Any, shape: Any) -> Coordinates:
    places, elements = np.asarray(indices), np.asarray(values)
    dimensions = tuple(operator.index(d) for d in shape)
    if places.dtype.kind not in "iu" or places.shape != (*elements.shape, len(dimensions)):
        raise ValueError(
            f"indices of shape {places.shape} do not fit values of shape {elements.shape} and rank "
            f"{len(dimensions)}; write (n, rank) integers for n values"
        )
    if (places < 0).any() or (places >= dimensions).any():
        raise ValueError(f"an index is outside the shape {dimensions}")
    return Coordinates(places, elements, dimensions)
