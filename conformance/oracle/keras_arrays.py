"""Functions of Keras 3 that make tensors, or move elements and never compute: all is exact.

`linspace` computes, in 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.dtypes import limits
from conformance.oracle.expectation import Array
from conformance.oracle.indices import NOTHING
from conformance.oracle.shape_ops import gather


def full(shape: Sequence[int], fill_value: Any, **_: Any) -> Array:
    """A shape filled with a number."""
    return np.full(tuple(shape), fill_value)


def full_like(x: Array, fill_value: Any) -> Array:
    """The shape of x filled with a number."""
    return np.full(x.shape, fill_value)


def eye_of(N: int, M: int | None = None, k: int = 0, **_: Any) -> Array:  # noqa: N803 - as documented
    """Ones on diagonal k of N rows and M columns."""
    return np.eye(N, M, k)


def tri(N: int, M: int | None = None, k: int = 0, **_: Any) -> Array:  # noqa: N803 - as documented
    """Ones up to diagonal k of N rows and M columns."""
    return np.tri(N, M, k)


def arange_of(start: int, stop: int | None = None, step: int | None = None, **_: Any) -> Array:
    """From start up to but not with stop; a single argument is stop, and start is 0."""
    first, last = (0, start) if stop is None else (start, stop)
    return np.arange(first, last, 1 if step is None else step)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Array:
    """`num` numbers from start to stop, or to one step before it."""
    return np.linspace(start, stop, num, endpoint=endpoint, dtype=np.longdouble)


def take(x: Array, indices: Array, axis: int | None = None, beyond: str = NOTHING) -> Array:
    """The slices along an axis that the indices name; elements of one row without an axis.

    `beyond` is a reading of `indices`.
    """
    if axis is None:
        return gather(x.reshape(-1), indices, beyond)
    found = gather(np.moveaxis(x, axis, 0), indices, beyond)
    first = axis % x.ndim
    return np.moveaxis(found, range(indices.ndim), range(first, first + indices.ndim))


def saturated(x: Array, dtype: str) -> Array:
    """x, with the largest or the smallest number of a floating dtype where it is beyond that."""
    info = limits(dtype)
    return np.clip(x, info.min, info.max)


def append(x: Array, y: Array, axis: int | None = None) -> Array:
    """y after x along an axis; all elements in a row without one."""
    return np.append(x, y, axis=axis)


def padded(x: Array, pad_width: Any, constant_values: Any = None, **_: Any) -> Array:
    """A constant before and after on every axis."""
    return np.pad(x, pad_width, constant_values=constant_values or 0)


def swapaxes(x: Array, axis1: int, axis2: int) -> Array:
    """Two axes exchanged."""
    return np.swapaxes(x, axis1, axis2)


def moveaxis(x: Array, source: int, destination: int) -> Array:
    """One axis in another place, the others in their order."""
    return np.moveaxis(x, source, destination)


def _stacked(function: Callable[[Sequence[Array]], Array]) -> Callable[..., Array]:
    """The oracle of a function of a list of tensors."""

    def oracle(tensors: Sequence[Array]) -> Array:
        return function(tensors)

    return oracle


ORACLES: Mapping[str, Callable[..., Array]] = {
    "full": full,
    "full_like": full_like,
    "eye_of": eye_of,
    "tri": tri,
    "arange_of": arange_of,
    "linspace": linspace,
    "take": take,
    "append": append,
    "saturate_cast": saturated,
    "padded": padded,
    "take_along_axis": lambda x, indices, axis=None: np.take_along_axis(x, indices, axis),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, tuple(shape)),
    "flipud": lambda x: np.flip(x, 0),
    "fliplr": lambda x: np.flip(x, 1),
    "rot90": lambda x, k=1: np.rot90(x, k),
    "swapaxes": swapaxes,
    "moveaxis": moveaxis,
    "hstack": _stacked(np.hstack),
    "vstack": _stacked(np.vstack),
    "dstack": _stacked(np.dstack),
    "sort": lambda x, axis=-1: np.sort(x, axis),
    "diag": lambda x, k=0: np.diag(x, k),
    "diagflat": lambda x, k=0: np.diagflat(x, k),
    "diagonal": lambda x, offset=0, axis1=0, axis2=1: np.diagonal(x, offset, axis1, axis2),
}
