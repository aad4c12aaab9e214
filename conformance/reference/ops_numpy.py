"""The operations on NumPy arrays.

A float operation that rounds more than once computes in the next wider type and rounds the result
once: float16 in float32, float32 in float64. Warnings about overflow, NaN and division by zero are
off: these values are results like any other.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.reference.coordinates import coordinates
from conformance.reference.operations import Step

Array = npt.NDArray[Any]
Kernel = Callable[..., Any]


def _positional(function: Kernel) -> Kernel:
    """A NumPy function that has other names for the attributes, in the same order."""
    return lambda x, **attributes: function(x, *attributes.values())


KERNELS: dict[str, Kernel] = {
    # These round once in every dtype, or not at all.
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "negative": np.negative,
    "square": np.square,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "sign": np.sign,
    "round": np.rint,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "expand_dims": lambda x, axis: x.reshape((*x.shape[:axis], 1, *x.shape[axis:])),
    "tile": _positional(np.tile),
    "identity": lambda x: x,
    "permute_dimensions": _positional(np.transpose),
    "reverse": _positional(np.flip),
    "repeat_elements": _positional(np.repeat),
    "repeat": lambda x, n: np.repeat(x[:, np.newaxis, :], n, axis=1),
    "flatten": np.ravel,
    "reshape": lambda x, shape: np.reshape(x, tuple(shape.tolist())),
    "cast": lambda x, dtype: x.astype(dtype),
    "getitem": lambda x, index: x[index],
    "shape": lambda x: np.array(x.shape, dtype="int32"),
    "fill": lambda shape, value, dtype: np.full(tuple(shape.tolist()), value, dtype),
    "fill_like": lambda x, value, dtype: (
        np.full(x.shape, value, dtype) if value else np.zeros(x.shape, dtype)
    ),
    "concatenate": lambda *tensors, axis: np.concatenate(tensors, axis),
    "stack": lambda *tensors, axis: np.stack(tensors, axis),
}

WIDER: dict[Any, Any] = {
    np.dtype("float16"): np.dtype("float32"),
    np.dtype("float32"): np.dtype("float64"),
}

FEW = 32
"""So many elements to reduce are taken one by one, each for all places of the result at once."""


def kernel(function: Kernel) -> Kernel:
    """Register a function as the operation of its name (less a final underscore)."""
    KERNELS[function.__name__.rstrip("_")] = function
    return function


def widened(function: Kernel) -> Kernel:
    """The function with float arrays computed in the next wider type."""

    @functools.wraps(function)
    def rounding(*arrays: Any, **attributes: Any) -> Any:
        narrow = arrays[0].dtype
        wide = WIDER.get(narrow)
        if wide is None:
            return function(*arrays, **attributes)
        return function(*[array.astype(wide) for array in arrays], **attributes).astype(narrow)

    return rounding


def rounded_once(function: Kernel) -> Kernel:
    """Register a function that is to be computed in the next wider type."""
    return kernel(widened(function))


def _power(x: Array, a: Any) -> Any:
    """IEEE 754's pow. NumPy takes a square root for a single exponent 0.5: NaN for -inf."""
    if x.shape == np.shape(a):
        return np.power(x.reshape(-1), a.reshape(-1)).reshape(x.shape)
    shape = np.broadcast_shapes(x.shape, np.shape(a))
    base, exponent = (np.array(np.broadcast_to(part, shape)).reshape(-1) for part in (x, a))
    return np.power(base, exponent).reshape(shape)


KERNELS.update(
    exp=widened(np.exp),
    log=widened(np.log),
    sin=widened(np.sin),
    cos=widened(np.cos),
    tanh=widened(np.tanh),
    pow=widened(_power),
)


@kernel
def clip(x: Array, min_value: Any, max_value: Any) -> Any:
    """The lower limit first, then the upper."""
    return np.minimum(np.maximum(x, min_value), max_value)


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
    # the first axes, for which a product with ones is several times as fast
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
        # a few arrays, as long as all others are short
        kept = [i for i in range(x.ndim) if i not in axis]
        first = x.transpose(*axis, *kept)
        lengths = first.shape[: len(axis)]
        return functools.reduce(ufunc, (first[place] for place in np.ndindex(lengths)))

    return reduce


KERNELS["max"] = _extreme(np.maximum)
KERNELS["min"] = _extreme(np.minimum)
KERNELS["any"] = _bits(np.any)
KERNELS["all"] = _bits(np.all)


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
def relu(x: Array, alpha: Any, max_value: Any) -> Any:
    """Slope alpha below 0, no more than max_value; with alpha 0 even -inf gives 0."""
    result = np.maximum(x, 0) if alpha == 0 else _sloped(x, alpha=alpha)
    return result if max_value is None else np.minimum(result, max_value)


@widened
def _sloped(x: Array, alpha: Any) -> Any:
    return np.where(x < 0, x * alpha, x)


@rounded_once
def elu(x: Array, alpha: float) -> Any:
    """alpha * (exp(x) - 1) below 0."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@rounded_once
def softmax(x: Array, axis: int) -> Any:
    """exp over its sum, shifted by the maximum."""
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@rounded_once
def softplus(x: Array) -> Any:
    """log(1 + exp(x)) without overflow and without loss for large negative x."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@rounded_once
def softsign(x: Array) -> Any:
    """x over 1 + |x|."""
    return x / (1 + np.abs(x))


@kernel
def sigmoid(x: Array) -> Any:
    """1 over 1 + exp(-x)."""
    wide = WIDER.get(x.dtype)
    if wide is not None:  # where exp overflows, the result is below the smallest number of x's type
        return (1 / (1 + np.exp(np.negative(x, dtype=wide)))).astype(x.dtype)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


@rounded_once
def hard_sigmoid(x: Array) -> Any:
    """0.2 x + 0.5 between 0 and 1."""
    return np.minimum(np.maximum(0.2 * x + 0.5, 0), 1)


class NumpyOperations:
    """NumPy as a set of operations."""

    differentiates = False

    def apart(self, nodes: Sequence[Any]) -> AbstractSet[Any]:
        """None: equal values are one array."""
        del nodes
        return frozenset()

    def scheduled(self, nodes: Sequence[Any], steps: list[Step], *, inner: bool) -> list[Step]:
        """The steps as they are."""
        del nodes, inner
        return steps

    def kernel(self, operation: str, attributes: Mapping[str, Any]) -> Kernel:
        """The function that computes an operation from its input arrays."""
        function = KERNELS[operation]
        return functools.partial(function, **attributes) if attributes else function

    def convert(self, value: Any, dtype: str) -> Array:
        """A new array, converted as `astype` does; ValueError if value is no array of numbers."""
        with self.computing():
            return _numbers(value).astype(dtype)

    def accept(self, value: Any, dtype: str) -> Array:
        """An array in the dtype; ValueError if an integer or bool dtype would change a value."""
        array = _numbers(value)
        wanted = np.dtype(dtype)
        if array.dtype == wanted:
            return array
        with self.computing():
            result = array.astype(wanted)
        if wanted.kind != "f" and not np.array_equal(result, array):
            raise ValueError(f"{value!r} cannot be held in {dtype} without changing its value")
        return result

    def accept_sparse(self, value: Any, dtype: str) -> Any:
        """Coordinates with values in the dtype; ValueError if it would change one."""
        found = coordinates(value)
        return replace(found, values=self.accept(found.values, dtype))

    def filled(self, shape: tuple[int, ...], value: float, dtype: str) -> Array:
        """A new array with one value everywhere."""
        return np.full(shape, value, dtype)

    def arranged(self, array: Array, shape: tuple[int, ...]) -> Array:
        """The elements in row order in a new shape, or the only element everywhere."""
        if array.size == 1:
            return np.full(shape, array.reshape(()), array.dtype)
        return np.reshape(array, shape)

    def copy(self, array: Array) -> Array:
        """A copy that shares no memory."""
        return np.array(array)

    def export(self, array: Array) -> Array:
        """A copy; scalars become arrays of rank 0."""
        return np.array(array)

    def shape(self, array: Array) -> tuple[int, ...]:
        """The shape of an array."""
        return array.shape

    def integers(self, array: Array) -> tuple[int, ...]:
        """The elements of a small integer array of rank 0 or 1."""
        return tuple(int(item) for item in array.reshape(-1))

    def computing(self) -> AbstractContextManager[Any]:
        """Floating-point warnings off."""
        return np.errstate(all="ignore")


def _numbers(value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{value!r} is not an array of numbers")
    return array
