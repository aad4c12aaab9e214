"""Operations that move, repeat, join, select and make elements."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from conformance.reference.numpy_library.coordinates import Coordinates, coordinates
from conformance.reference.numpy_library.kernels import (
    KERNELS,
    WIDER,
    Array,
    Kernel,
    kernel,
    rounded_once,
)
from conformance.reference.numpy_library.reductions import total


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
    """Without an axis.

    Raises:
        ValueError: its length is not 1.
    """
    return np.squeeze(x, axis=axis)


@kernel
def one_hot(indices: Array, num_classes: int, dtype: str) -> Any:
    """1 where the class is the index; an index out of range leaves a row of zeros."""
    return (indices[..., np.newaxis] == np.arange(num_classes)).astype(dtype)


@kernel
def slice_(x: Array, start: Array, size: Array) -> Any:
    """x[start:start + size] on every axis.

    Raises:
        ValueError: the slice leaves x.
    """
    limits = list(zip(start.tolist(), size.tolist(), x.shape, strict=True))
    for axis, (first, n, length) in enumerate(limits):
        if first < 0 or n < 0 or first + n > length:
            raise ValueError(
                f"slice: start {first} and size {n} leave axis {axis} of length {length}"
            )
    return x[tuple(slice(first, first + n) for first, n, _ in limits)]


@kernel
def gather(reference: Array, indices: Array) -> Any:
    """Rows by index, from the end if negative.

    Raises:
        IndexError: there is no such row.
    """
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


@kernel
def alike(x: Array, *others: Array) -> Any:
    """x.

    Raises:
        ValueError: one of the others has another shape.
    """
    for other in others:
        if other.shape != x.shape:
            raise ValueError(f"shapes {x.shape} and {other.shape} must be equal")
    return x


@kernel
def pad(x: Array, widths: tuple[tuple[int, int], ...]) -> Any:
    """Zeros before and after each axis."""
    return np.pad(x, widths)


def _checked(labels: Array, classes: int) -> Array:
    """The labels; ValueError if one is not a class."""
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        raise ValueError(f"label {labels[wrong][0]} is not a class from 0 to {classes - 1}")
    return labels


@kernel
def take_class(x: Array, labels: Array, axis: int) -> Any:
    """The element at each label."""
    index = np.expand_dims(_checked(labels, x.shape[axis]), axis)
    return np.squeeze(np.take_along_axis(x, index, axis), axis)


@kernel
def place_class(upstream: Array, x: Array, labels: Array, axis: int) -> Any:
    """Zeros in the shape of x, except for the elements at the labels."""
    result = np.zeros(x.shape, upstream.dtype)
    places = np.expand_dims(labels, axis)
    np.put_along_axis(result, places, np.expand_dims(upstream, axis), axis)
    return result


@kernel
def in_top_k(predictions: Array, targets: Array, k: int) -> Any:
    """Whether fewer than k scores of the row are higher; NaN is in no top."""
    places = _checked(targets, predictions.shape[1])[:, np.newaxis]
    own = np.take_along_axis(predictions, places, axis=1)
    return ((predictions > own).sum(axis=1) < k) & ~np.isnan(own[:, 0])


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
    """The part of a concatenation that one tensor became."""
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


@kernel
def to_dense(x: Coordinates) -> Any:
    """The elements in an array of zeros."""
    result = np.zeros(x.shape, x.values.dtype)
    np.add.at(result, tuple(x.indices.T), x.values)
    return result


@kernel
def label_to_sparse(labels: Array, lengths: Array) -> Any:
    """Each row up to its length.

    Raises:
        ValueError: a length is negative or longer than the row.
    """
    if (lengths < 0).any() or (lengths > labels.shape[1]).any():
        raise ValueError(f"label_lengths must be from 0 to {labels.shape[1]}, not {lengths}")
    inside = np.arange(labels.shape[1]) < lengths[:, np.newaxis]
    return Coordinates(np.argwhere(inside), labels[inside], labels.shape)


@kernel
def to_sparse(x: Array) -> Coordinates:
    """The elements that are not 0."""
    return coordinates(x)
