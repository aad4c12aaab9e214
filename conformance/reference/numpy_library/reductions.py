"""Reductions, and running sums and products."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from conformance.reference.numpy_library.kernels import (
    KERNELS,
    WIDER,
    Array,
    Kernel,
    kernel,
    rounded_once,
)

KERNELS.update(
    {
        "argmax": np.argmax,
        "argmin": np.argmin,
    }
)

FEW = 32
"""Up to this many elements are reduced one after the other, each for the whole result at once."""


def _size(x: Array, axis: tuple[int, ...]) -> int:
    return math.prod(x.shape[i] for i in axis)


def total(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sum that keeps the dtype; floats are added in the next wider type."""
    return _added(x, axis, keepdims).astype(x.dtype, copy=False)


def _added(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sum of floats in the next wider type."""
    wide: Any = WIDER.get(x.dtype, x.dtype)
    if x.dtype.kind != "f" or axis != (*range(len(axis)),) or not 0 < len(axis) < x.ndim:
        return x.sum(axis=axis, dtype=wide, keepdims=keepdims)
    # over the first axes, a product with ones is several times as fast
    rows, rest = _size(x, axis), x.shape[len(axis) :]
    flat = x.astype(wide, order="C", copy=False).reshape(rows, math.prod(rest))
    return np.matmul(np.ones(rows, wide), flat).reshape(
        ((1,) * len(axis) if keepdims else ()) + rest
    )


KERNELS["sum"] = total


@rounded_once
def prod(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Product that keeps the dtype of integers."""
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


@rounded_once
def cumsum(x: Array, axis: int) -> Any:
    """Running sum that keeps the dtype of integers."""
    return np.cumsum(x, axis=axis, dtype=x.dtype)


@rounded_once
def cumprod(x: Array, axis: int) -> Any:
    """Running product that keeps the dtype of integers."""
    return np.cumprod(x, axis=axis, dtype=x.dtype)


def _mean(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    # np.mean warns of empty slices through `warnings`, which np.errstate does not silence.
    added = _added(x, axis, keepdims)
    return np.divide(added, _size(x, axis), dtype=added.dtype).astype(x.dtype, copy=False)


def _variance(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    return _mean(np.square(x - _mean(x, axis, keepdims=True)), axis, keepdims)


@kernel
def mean(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Sum over count, in the next wider type; NaN for no elements."""
    return _mean(x, axis, keepdims)


@rounded_once
def var(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Mean square distance from the mean, in two passes."""
    return _variance(x, axis, keepdims)


@rounded_once
def std(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Square root of the variance."""
    return np.sqrt(_variance(x, axis, keepdims))


@rounded_once
def logsumexp(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """log of the sum of exp, shifted by the maximum unless that is infinite."""
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    return np.sum(np.log(total) + top, axis=axis, keepdims=keepdims)


def _bits(reduce: Kernel) -> Kernel:
    return lambda x, axis, keepdims: reduce(x, axis=axis, keepdims=keepdims).astype("uint8")


def _extreme(ufunc: Any) -> Kernel:
    """The largest or smallest element."""

    def reduce(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
        count = _size(x, axis)
        if keepdims or not 0 < count <= FEW or not axis or x.ndim - 1 in axis:
            return ufunc.reduce(x, axis=axis, keepdims=keepdims)
        # compare whole slices, which is faster where there are few
        others = [i for i in range(x.ndim) if i not in axis]
        first = x.transpose(*axis, *others)
        lengths = first.shape[: len(axis)]
        return functools.reduce(ufunc, (first[place] for place in np.ndindex(lengths)))

    return reduce


KERNELS["max"] = _extreme(np.maximum)
KERNELS["min"] = _extreme(np.minimum)
KERNELS["any"] = _bits(np.any)
KERNELS["all"] = _bits(np.all)
