"""Functions of Keras 3 that make tensors, or move elements: exact except means in borders.

Source: the docstrings of `keras.ops`. The bound of a mean in a border is that of a sum (Higham
2002, section 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.indices import NOTHING
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude
from conformance.oracle.shape_ops import gather

Bounded = tuple[Array, Array]


def full(shape: Sequence[int], fill_value: Any, **_: Any) -> Array:
    """A shape filled with a number."""
    return np.full(tuple(shape), fill_value)


def full_like(x: Array, fill_value: Any, **_: Any) -> Array:
    """The shape of x filled with a number."""
    return np.full(x.shape, fill_value)


def eye_of(N: int, M: int | None = None, k: int = 0, **_: Any) -> Array:  # noqa: N803 - as documented
    """Ones on diagonal k of N rows and M columns."""
    return np.eye(N, M, k)


def tri(N: int, M: int | None = None, k: int = 0, **_: Any) -> Array:  # noqa: N803 - as documented
    """Ones up to diagonal k of N rows and M columns."""
    return np.tri(N, M, k)


def arange_of(
    start: float,
    stop: float | None = None,
    step: float | None = None,
    dtype: str | None = None,
) -> Array:
    """From start up to but not with stop; a single argument is stop, and start is 0."""
    first, last = (0, start) if stop is None else (start, stop)
    numbers = np.arange(first, last, 1 if step is None else step)
    is_float = numbers.dtype.kind == "f" or (dtype or "").startswith("float")
    return numbers.astype(np.longdouble) if is_float else numbers


def take(x: Array, indices: Array, axis: int | None = None, beyond: str = NOTHING) -> Array:
    """The slices along an axis that the indices name; elements of one row without an axis.

    `beyond` is a reading of `indices`.

    Shapes: x, indices of any shape. The result is the shape of x with that of the indices in the
    place of the axis, or the shape of the indices without an axis.
    """
    if axis is None:
        return gather(x.reshape(-1), indices, beyond)
    rows = gather(np.moveaxis(x, axis, 0), indices, beyond)
    first = axis % x.ndim
    return np.moveaxis(rows, range(indices.ndim), range(first, first + indices.ndim))


def append(x: Array, y: Array, axis: int | None = None) -> Array:
    """y after x along an axis; all elements in a row without one.

    Shapes: x and y with equal lengths on all other axes; the result is longer on the axis, or
    (elements of both,) without one.
    """
    return np.append(x, y, axis=axis)


NUMPY_MODES = {"circular": "wrap"}
"""Modes that NumPy calls otherwise."""


def padded(x: Array, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Array:
    """A constant, or what the mode says, before and after on every axis.

    Shapes: any x, pad_width (rank of x, 2); each axis of the result is longer by its two widths.
    """
    ways: dict[str, Any] = {"mode": NUMPY_MODES.get(mode, mode)}
    if mode == "constant":
        ways["constant_values"] = constant_values or 0
    return np.pad(x, pad_width, **ways)


def bounded_padded(model: Arithmetic, x: Array, **how: Any) -> Bounded:
    """Value and bound of `padded`.

    A mean of means has as many roundings as there are terms on all axes, and a quotient for each
    axis. A median has those of a sum and a quotient.

    Shapes: value and bound have the shape of `padded`.
    """
    value, mode = padded(x, **how), how.get("mode")
    if mode not in ("mean", "median"):
        return value, np.zeros(value.shape)
    roundings = 2 * x.ndim + (sum(x.shape) if mode == "mean" else 0)
    size = finite_magnitude(x)
    magnitude = padded(size, how["pad_width"], mode) if mode == "mean" else size.max()
    largest = float(size.max(initial=0)) * max(x.shape)
    bound = allowance(roundings, model) * magnitude + model.underflow
    bound = np.broadcast_to(np.where(largest >= model.overflow, np.inf, bound), value.shape)
    inside = padded(np.ones(x.shape), how["pad_width"]) == 1
    return value, np.where(inside, 0, bound)


def swapaxes(x: Array, axis1: int, axis2: int) -> Array:
    """Two axes exchanged.

    Shapes: any x; the result has the lengths of the two axes exchanged.
    """
    return np.swapaxes(x, axis1, axis2)


def moveaxis(x: Array, source: int, destination: int) -> Array:
    """One axis in another place, the others in their order.

    Shapes: any x; the result has the lengths of x in the new order.
    """
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
    "take": take,
    "append": append,
    "padded": padded,
    "take_along_axis": lambda x, indices, axis=None: np.take_along_axis(x, indices, axis),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, tuple(shape)),
    "flipud": lambda x: np.flip(x, 0),
    "fliplr": lambda x: np.flip(x, 1),
    "rot90": lambda x, k=1, axes=(0, 1): np.rot90(x, k, axes),
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

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"padded": bounded_padded}
