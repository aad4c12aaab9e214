"""The operations that only gradients need."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from conformance.reference.numpy_library.kernels import KERNELS, WIDER, Array, kernel, rounded_once
from conformance.reference.numpy_library.reductions import total

KERNELS["stop_gradient"] = lambda x: x
KERNELS["select"] = np.where


@kernel
def sum_to(x: Array, like: Array) -> Any:
    """The sum over the axes along which `like` was broadcast to the shape of x."""
    if x.shape == like.shape:
        return x
    added = x.ndim - like.ndim
    axes = [i for i in range(x.ndim) if i < added or like.shape[i - added] != x.shape[i]]
    return total(x, tuple(axes), keepdims=False).reshape(like.shape)


@rounded_once
def divide_by_count(x: Array, like: Array, axis: tuple[int, ...]) -> Any:
    """x divided by the number of elements of `like` along axes, in the shape of `like`."""
    return np.broadcast_to(x / math.prod(like.shape[i] for i in axis), like.shape)


@kernel
def place_slice(x: Array, like: Array, start: Array) -> Any:
    """Zeros in the shape of `like`, but x from the index `start` on."""
    result = np.zeros(like.shape, x.dtype)
    limits = zip(start.tolist(), x.shape, strict=True)
    result[tuple(slice(first, first + n) for first, n in limits)] = x
    return result


@kernel
def place_item(x: Array, like: Array, index: tuple[Any, ...]) -> Any:
    """Zeros in the shape of `like`, but x at a basic index."""
    result = np.zeros(like.shape, x.dtype)
    result[index] = x
    return result


@kernel
def place_rows(x: Array, like: Array, indices: Array) -> Any:
    """Zeros in the shape of `like`, with every row of x added where its index says."""
    wide = WIDER.get(x.dtype, x.dtype)
    result = np.zeros(like.shape, wide)
    np.add.at(result, indices, x)
    return result.astype(x.dtype)


@kernel
def part(joined: Array, *tensors: Array, axis: int, position: int) -> Any:
    """What one tensor became in a concatenation."""
    first = sum(tensor.shape[axis] for tensor in tensors[:position])
    index = slice(first, first + tensors[position].shape[axis])
    return joined[(*(slice(None),) * axis, index)]


@rounded_once
def untile(x: Array, like: Array, n: tuple[int, ...]) -> Any:
    """The sum of the n[i] copies of `like` along each axis i that x consists of."""
    shape = [length for pair in zip(n, like.shape, strict=True) for length in pair]
    return np.add.reduce(x.reshape(shape), axis=tuple(range(0, 2 * like.ndim, 2)))


@rounded_once
def unrepeat(x: Array, like: Array, rep: int, axis: int) -> Any:
    """The sum of every `rep` elements in a row along an axis."""
    shape = (*like.shape[: axis + 1], rep, *like.shape[axis + 1 :])
    return np.sum(x.reshape(shape), axis=axis + 1)


@rounded_once
def recurrence(factors: Array, terms: Array, axis: int) -> Any:
    """y[i] = factors[i] * y[i - 1] + terms[i] along an axis, from y[-1] = 0."""
    a, b = (np.moveaxis(each, axis, 0) for each in np.broadcast_arrays(factors, terms))
    result = np.array(b)
    for i, j in pairwise(range(len(result))):
        result[j] += a[j] * result[i]
    return np.moveaxis(result, 0, axis)
