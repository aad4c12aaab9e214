"""Products of matrices, and of tensors whose axes have labels."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from conformance.reference.numpy_library.kernels import WIDER, Array, kernel, rounded_once


@rounded_once
def dot(x: Array, y: Array) -> Any:
    """Last axis of x with the second-to-last of y."""
    return np.dot(x, y)


@rounded_once
def batch_dot(x: Array, y: Array, axes: tuple[int, int]) -> Any:
    """One contraction for each sample, as a product of matrices."""
    left, right = np.moveaxis(x, axes[0], -1), np.moveaxis(y, axes[1], 1)
    batch, summed = left.shape[0], left.shape[-1]
    if right.shape[:2] != (batch, summed):
        raise ValueError(f"batch_dot: shapes {x.shape} and {y.shape} disagree for axes {axes}")
    rows, columns = math.prod(left.shape[1:-1]), math.prod(right.shape[2:])
    product = np.matmul(left.reshape(batch, rows, summed), right.reshape(batch, summed, columns))
    return product.reshape((batch, *(left.shape[1:-1] + right.shape[2:] or (1,))))


@kernel
def contraction(x: Array, y: Array, labels: tuple[str, str, str]) -> Any:
    """A product of two tensors whose axes have labels, summed over those not in the result.

    `labels` are those of x, of y and of the result, as in Einstein's notation. Each label of one
    operand is in the other or in the result. It is one product of matrices for each common index,
    in the next wider type.
    """
    plan = _product_plan(labels, x.shape, y.shape)
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


class _ProductPlan(NamedTuple):
    first: _Arrangement
    second: _Arrangement
    lengths: list[int] | None
    order: list[int] | None


@functools.lru_cache(4096)
def _product_plan(
    labels: tuple[str, str, str], x: tuple[int, ...], y: tuple[int, ...]
) -> _ProductPlan:
    """How operands of these shapes become matrices, and their product the result."""
    left, right, result = labels
    batch = [a for a in left if a in right and a in result]
    summed = [a for a in left if a not in result]
    rows, columns = ([a for a in result if a not in other] for other in (right, left))
    lengths = dict(zip(left + right, x + y, strict=True))
    found = [*batch, *rows, *columns]
    single = len(rows) == len(columns) == 1 and len(batch) < 2
    return _ProductPlan(
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
