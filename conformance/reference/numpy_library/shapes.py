"""Operations that move, repeat, join, select and make elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.reference.numpy_library.kernels import KERNELS, Array, Kernel, kernel, rounded_once


def _positional(function: Kernel) -> Kernel:
    """A NumPy function that has other names for the attributes, in the same order."""
    return lambda x, **attributes: function(x, *attributes.values())


KERNELS.update(
    {
        "expand_dims": lambda x, axis: x.reshape((*x.shape[:axis], 1, *x.shape[axis:])),
        "tile": _positional(np.tile),
        "permute_dimensions": _positional(np.transpose),
        "reverse": _positional(np.flip),
        "repeat_elements": _positional(np.repeat),
        "repeat": lambda x, n: np.repeat(x[:, np.newaxis, :], n, axis=1),
        "flatten": np.ravel,
        "reshape": lambda x, shape: np.reshape(x, tuple(shape.tolist())),
        "getitem": lambda x, index: x[index],
        "shape": lambda x: np.array(x.shape, dtype="int32"),
        "fill": lambda shape, value, dtype: np.full(tuple(shape.tolist()), value, dtype),
        "fill_like": lambda x, value, dtype: (
            np.full(x.shape, value, dtype) if value else np.zeros(x.shape, dtype)
        ),
        "concatenate": lambda *tensors, axis: np.concatenate(tensors, axis),
        "stack": lambda *tensors, axis: np.stack(tensors, axis),
    }
)


@kernel
def batch_flatten(x: Array) -> Any:
    """One row for each sample; -1 would not do for an empty batch."""
    return np.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


@kernel
def squeeze(x: Array, axis: int) -> Any:
    """Without an axis; ValueError unless its length is 1."""
    return np.squeeze(x, axis=axis)


@kernel
def one_hot(indices: Array, num_classes: int, dtype: str) -> Any:
    """1 where the class is the index; an index out of range leaves a row of zeros."""
    return (indices[..., np.newaxis] == np.arange(num_classes)).astype(dtype)


@kernel
def slice_(x: Array, start: Array, size: Array) -> Any:
    """x[start:start + size] on every axis; ValueError where that leaves x."""
    limits = list(zip(start.tolist(), size.tolist(), x.shape, strict=True))
    for axis, (first, n, length) in enumerate(limits):
        if first < 0 or n < 0 or first + n > length:
            raise ValueError(
                f"slice: start {first} and size {n} leave axis {axis} of length {length}"
            )
    return x[tuple(slice(first, first + n) for first, n, _ in limits)]


@kernel
def gather(reference: Array, indices: Array) -> Any:
    """Rows by index, from the end if negative; IndexError if there is no such row."""
    return reference[indices]


@kernel
def arange(start: Any, step: Any, length: int, dtype: str) -> Any:
    """start + i * step, exact for integers."""
    return (start + step * np.arange(length)).astype(dtype)


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
