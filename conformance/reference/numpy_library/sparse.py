"""Operations that make or use sparse values, on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.reference.numpy_library.coordinates import Coordinates, coordinates
from conformance.reference.numpy_library.kernels import Array, kernel


@kernel
def to_dense(x: Coordinates) -> Any:
    """The elements in an array of zeros."""
    result = np.zeros(x.shape, x.values.dtype)
    np.add.at(result, tuple(x.indices.T), x.values)
    return result


@kernel
def label_to_sparse(labels: Array, lengths: Array) -> Any:
    """Each row up to its length."""
    if (lengths < 0).any() or (lengths > labels.shape[1]).any():
        raise ValueError(f"label_lengths must be from 0 to {labels.shape[1]}, not {lengths}")
    inside = np.arange(labels.shape[1]) < lengths[:, np.newaxis]
    return Coordinates(np.argwhere(inside), labels[inside], labels.shape)


@kernel
def to_sparse(x: Array) -> Coordinates:
    """The elements that are not 0."""
    return coordinates(x)
