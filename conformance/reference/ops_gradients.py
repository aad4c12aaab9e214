"""The operations of `gradient_operations` on NumPy arrays."""

from __future__ import annotations

import functools
import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from conformance.reference.ops_numpy import KERNELS, WIDER, Array, kernel, rounded_once, total

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


@kernel
def contraction(x: Array, y: Array, labels: tuple[str, str, str]) -> Any:
    """A product of two tensors whose axes have labels, summed over those not in the result.

    `labels` are those of x, of y and of the result, as in Einstein's notation. Each label of one
    operand is in the other or in the result. It is one product of matrices for each common index,
    in the next wider type.
    """
    plan = _plan(labels, x.shape, y.shape)
    wide = WIDER.get(x.dtype, x.dtype)
    product = np.matmul(_matrices(x, plan.first, wide), _matrices(y, plan.second, wide))
    if plan.lengths is not None:
        product = product.reshape(plan.lengths)
    if plan.order is not None:
        product = product.transpose(plan.order)
    return product.astype(x.dtype, copy=False)


class _Arrangement(NamedTuple):
    """How an operand becomes matrices; None for what it is already."""

    order: list[int] | None
    """Of its axes: as they are, where possible, for elements in a row are copied fastest."""
    lengths: list[int] | None
    """Of the groups of axes, each made one."""
    turned: bool
    """Whether the last two groups are to be exchanged."""


def _matrices(x: Array, how: _Arrangement, dtype: Any) -> Array:
    if how.order is not None:
        x = x.transpose(how.order)
    x = x.astype(dtype, order="C", copy=False)
    if how.lengths is not None:
        x = x.reshape(how.lengths)
    return x.swapaxes(-1, -2) if how.turned else x


class _Plan(NamedTuple):
    first: _Arrangement
    second: _Arrangement
    lengths: list[int] | None
    order: list[int] | None


@functools.lru_cache(4096)
def _plan(labels: tuple[str, str, str], x: tuple[int, ...], y: tuple[int, ...]) -> _Plan:
    """How operands of these shapes become matrices, and their product the result."""
    left, right, result = labels
    batch = [a for a in left if a in right and a in result]
    summed = [a for a in left if a not in result]
    rows, columns = ([a for a in result if a not in other] for other in (right, left))
    lengths = dict(zip(left + right, x + y, strict=True))
    found = [*batch, *rows, *columns]
    single = len(rows) == len(columns) == 1 and len(batch) < 2
    return _Plan(
        _arrangement(x, left, (batch, rows, summed)),
        _arrangement(y, right, (batch, summed, columns)),
        None if single else [lengths[a] for a in found],
        None if found == list(result) else [found.index(a) for a in result],
    )


def _arrangement(
    shape: tuple[int, ...], labels: str, groups: tuple[list[str], ...]
) -> _Arrangement:
    lengths = dict(zip(labels, shape, strict=True))
    batch, rows, columns = groups
    turned = [*batch, *columns, *rows] == list(labels)
    found = [*([batch] if batch else []), *((columns, rows) if turned else (rows, columns))]
    order = [labels.index(a) for group in found for a in group]
    merged = [math.prod(lengths[a] for a in group) for group in found]
    return _Arrangement(
        None if order == sorted(order) else order,
        None if merged == list(shape) else merged,
        turned,
    )
