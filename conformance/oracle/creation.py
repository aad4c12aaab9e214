"""Creation: variable, constant, placeholder, zeros, ones, eye, the *_like, identity and arange.

The results are exact: the given numbers, rounded once to the result dtype. The `dtype` and `name`
arguments are taken and not used; the result dtype is that of `expect`.

Source: ko-2.2 lines 197 (variable), 236 (constant), 623 (eye), 657 (zeros_like), 691 (ones_like),
725 (identity) and 2108 (arange).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array


def variable(value: Any, **_: Any) -> Array:
    """The value itself."""
    return np.asarray(value)


def constant(value: Any, shape: Sequence[int] | None = None, **_: Any) -> Array:
    """The value; with a shape, its elements in that shape, or a single one everywhere."""
    array = np.asarray(value)
    if shape is None:
        return array
    shape = tuple(shape)
    return np.full(shape, array.reshape(())) if array.size == 1 else array.reshape(shape)


def placeholder(value: Any, **_: Any) -> Array:
    """The fed value: the caller passes it as `value`, beside the function's own arguments."""
    return np.asarray(value)


def zeros(shape: Sequence[int], **_: Any) -> Array:
    """Zeros of a shape."""
    return np.zeros(tuple(shape))


def ones(shape: Sequence[int], **_: Any) -> Array:
    """Ones of a shape."""
    return np.ones(tuple(shape))


def eye(size: int, **_: Any) -> Array:
    """The identity matrix (size, size)."""
    return np.eye(size)


def zeros_like(x: Array, **_: Any) -> Array:
    """Zeros of the shape of x."""
    return np.zeros(x.shape)


def ones_like(x: Array, **_: Any) -> Array:
    """Ones of the shape of x."""
    return np.ones(x.shape)


def identity(x: Array, **_: Any) -> Array:
    """The tensor itself.

    Shapes: any x; the result has the shape of x.
    """
    return x


def arange(start: Any, stop: Any = None, step: Any = 1, **_: Any) -> Array:
    """From start up to but not with stop; a single argument is stop, and start is 0."""
    return np.arange(0, start, step) if stop is None else np.arange(start, stop, step)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "variable": variable,
    "constant": constant,
    "placeholder": placeholder,
    "zeros": zeros,
    "ones": ones,
    "eye": eye,
    "zeros_like": zeros_like,
    "ones_like": ones_like,
    "identity": identity,
    "arange": arange,
}
