"""Operations of undocumented functions on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.reference.coordinates import Coordinates, coordinates
from conformance.reference.ops_numpy import Array, kernel, rounded_once


@kernel
def arange_between(start: Array, stop: Array, step: int, dtype: str) -> Any:
    """Integers from start up to, but without, stop."""
    return np.arange(int(start), int(stop), step).astype(dtype)


def _weights(length: int, factor: int, dtype: Any) -> Array:
    """The matrix from an axis of this length to the longer one."""
    places = np.arange(length * factor)
    low, shares = places // factor, (places % factor) / factor
    matrix = np.zeros((length * factor, length), dtype)
    np.add.at(matrix, (places, low), 1 - shares)
    np.add.at(matrix, (places, np.minimum(low + 1, length - 1)), shares)
    return matrix


def _along(matrix: Array, x: Array, axis: int) -> Array:
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


@rounded_once
def interpolate(x: Array, axis: int, factor: int) -> Any:
    """An axis `factor` times as long."""
    return _along(_weights(x.shape[axis], factor, x.dtype), x, axis)


@rounded_once
def interpolate_back(upstream: Array, x: Array, axis: int, factor: int) -> Any:
    """The adjoint, in the shape of x."""
    return _along(_weights(x.shape[axis], factor, upstream.dtype).T, upstream, axis)


@kernel
def to_sparse(x: Array) -> Coordinates:
    """The elements that are not 0."""
    return coordinates(x)
