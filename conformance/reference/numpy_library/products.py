"""Products of tensors, and windows of images (strided views) with their adjoint, on NumPy."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from conformance.reference.numpy_library.kernels import WIDER, Array, kernel, rounded_once
from conformance.reference.symbolic.shapes.windows import margins


@rounded_once
def dot(x: Array, y: Array) -> Any:
    """Last axis of x with the second-to-last of y."""
    return np.dot(x, y)


@rounded_once
def batch_dot(x: Array, y: Array, axes: tuple[int, int]) -> Any:
    """One contraction for each sample, as a product of matrices.

    Raises:
        ValueError: the batches or the summed axes differ in length.
    """
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
    """How an operand becomes matrices; None where nothing changes."""

    order: list[int] | None
    """The order of its axes: unchanged, where possible, for elements in a row are copied
    fastest."""
    lengths: list[int] | None
    """The lengths of the groups of axes, each made one."""
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
    order = [*batch, *rows, *columns]
    single = len(rows) == len(columns) == 1 and len(batch) < 2
    return _ProductPlan(
        _arrangement(x, left, (batch, rows, summed)),
        _arrangement(y, right, (batch, summed, columns)),
        None if single else [lengths[a] for a in order],
        None if order == list(result) else [order.index(a) for a in result],
    )


def _arrangement(
    shape: tuple[int, ...], labels: str, groups: tuple[list[str], ...]
) -> _Arrangement:
    lengths = dict(zip(labels, shape, strict=True))
    batch, rows, columns = groups
    turned = [*batch, *columns, *rows] == list(labels)
    arranged = [*([batch] if batch else []), *((columns, rows) if turned else (rows, columns))]
    order = [labels.index(a) for group in arranged for a in group]
    merged = [math.prod(lengths[a] for a in group) for group in arranged]
    return _Arrangement(
        None if order == sorted(order) else order,
        None if merged == list(shape) else merged,
        turned,
    )


def _margins(
    lengths: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
) -> list[tuple[int, int, int]]:
    axes = zip(lengths, sizes, strides, dilation, strict=True)
    return [margins(n, k, s, padding, d) for n, k, s, d in axes]


@kernel
def windows(
    x: Array,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
    border: float,
) -> Any:
    """A view of every window, with `border` around the images.

    Raises:
        ValueError: no window fits.
    """
    margins = _margins(x.shape[1:-1], sizes, strides, padding, dilation)
    if not all(count for count, _, _ in margins) and x.size:
        raise ValueError(f"windows of {tuple(sizes)} do not fit images of shape {x.shape}")
    padded = _padded(x, margins, border)
    moves = padded.strides[1:-1]
    return as_strided(
        padded,
        (len(x), *(count for count, _, _ in margins), *sizes, x.shape[-1]),
        (
            padded.strides[0],
            *(move * s for move, s in zip(moves, strides, strict=True)),
            *(move * d for move, d in zip(moves, dilation, strict=True)),
            padded.strides[-1],
        ),
        writeable=False,
    )


def _padded(x: Array, around: Sequence[tuple[int, int, int]], border: float) -> Array:
    """The images with the elements in front and behind that windows need."""
    if not any(before or behind for _, before, behind in around):
        return x
    axes = list(zip(x.shape[1:-1], around, strict=True))
    whole = (n + before + behind for n, (_, before, behind) in axes)
    result = np.full((len(x), *whole, x.shape[-1]), border, x.dtype)
    result[(slice(None), *(slice(before, before + n) for n, (_, before, _) in axes))] = x
    return result


@kernel
def fold(
    x: Array,
    shape: Array,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
) -> Any:
    """The sum of the windows at each element of images of a shape.

    One addition for each element of a window, on all windows at once, in the next wider type.

    Raises:
        ValueError: images of that shape have other windows.
    """
    batch, *lengths, channels = (int(d) for d in shape)
    margins = _margins(lengths, sizes, strides, padding, dilation)
    shape_in = (x.shape[0], *x.shape[1 : len(sizes) + 1], x.shape[-1])
    expected = (batch, *(count for count, _, _ in margins), channels)
    if expected != shape_in:
        raise ValueError(f"images of {tuple(shape)} have windows {expected}, not {shape_in}")
    whole = [n + before + behind for n, (_, before, behind) in zip(lengths, margins, strict=True)]
    result = np.zeros((batch, *whole, channels), WIDER.get(x.dtype, x.dtype))
    every = (slice(None),) * (len(sizes) + 1)
    for tap, place in _taps(sizes, strides, dilation, expected[1:-1]):
        result[(slice(None), *place)] += x[every + tap]
    inside = (slice(before, before + n) for n, (_, before, _) in zip(lengths, margins, strict=True))
    return result[(slice(None), *inside)].astype(x.dtype, copy=False)


def _taps(
    sizes: Sequence[int], strides: Sequence[int], dilation: Sequence[int], counts: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each element of a window, and where all windows have it."""
    for tap in product(*(range(k) for k in sizes)):
        axes = zip(tap, dilation, strides, counts, strict=True)
        yield tap, tuple(slice(i * d, i * d + max(n - 1, 0) * s + 1, s) for i, d, s, n in axes)
