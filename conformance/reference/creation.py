"""Variables, constants, placeholders and filled tensors.

The dtype None is floatx, or that of x for the functions of another tensor x. keras-1 has the
default "float32" instead (conflict C026).
"""

from __future__ import annotations

import math
from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import (
    integer,
    integer_vector,
    is_symbolic,
    number,
    static_shape,
    tensor,
)
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import (
    Placeholder,
    SparsePlaceholder,
    Tensor,
    Variable,
    apply,
    constant_of,
)
from conformance.reference.symbolic.operations import Array
from conformance.reference.symbolic.rules import FLOATS, dtype_name


def _dtype(dtype: Any, where: str) -> str:
    return dtype_name(dtype, active().settings.floatx, where)


def _converted(value: Any, dtype: str, where: str) -> Array:
    if isinstance(value, Tensor):
        raise ValueError(f"{where}: value is a tensor; take its value with K.eval first")
    try:
        return active().library.convert(value, dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: value: {error}") from None


@documented(
    "ja-1:212 variable(value, dtype='float32', name=None)",
    "ja-2.0:1352 variable(value, dtype=None, name=None)",
    "ko-2.2:197 variable(value, dtype=None, name=None, constraint=None)",
)
def variable(
    value: Any, dtype: str | None = None, name: str | None = None, constraint: Any = None
) -> Variable:
    """A variable with a copy of an array (or number, or list) as its value, in the dtype.

    `constraint` (keras-2.2) is kept as an attribute: a projection that optimisers apply.
    ValueError if the value is a tensor or no array of numbers, or if the dtype is unknown.
    """
    type_name = _dtype(dtype, "variable")
    return Variable(_converted(value, type_name, "variable"), type_name, name, constraint)


@documented(
    "ja-2.0:422 constant(value, dtype=None, shape=None, name=None)",
    "ko-2.2:236 constant(value, dtype=None, shape=None, name=None)",
)
def constant(
    value: Any, dtype: str | None = None, shape: Any = None, name: str | None = None
) -> Tensor:
    """A tensor with a fixed value.

    With `shape`, a single value fills it and as many values as it has elements are put into it in
    row order; ValueError for any other number of values.
    """
    type_name = _dtype(dtype, "constant")
    array = _converted(value, type_name, "constant")
    if shape is None:
        return constant_of(array, type_name, name)
    return constant_of(_shaped(array, static_shape(shape, "constant")), type_name, name)


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    size, count = math.prod(active().library.shape(array)), math.prod(shape)
    if size not in (1, count):
        raise ValueError(f"constant: {size} values do not fill shape {shape}; give 1 or {count}")
    return active().library.arranged(array, shape)


@documented(
    "ja-1:234 placeholder(shape=None, ndim=None, dtype='float32', name=None)",
    "ja-2.0:441 placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None)",
    "ko-2.2:320 placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None)",
)
def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: str | None = None,
    sparse: bool = False,
    name: str | None = None,
) -> Placeholder:
    """A tensor whose value is given when a function is called.

    `shape` holds integers or None; `ndim` alone means that every dimension is None; with both,
    shape counts (ko-2.2:336). ValueError if neither is given.
    A sparse one is fed with (indices, values, shape), with a SciPy matrix or with an array.
    """
    kind = SparsePlaceholder if sparse else Placeholder
    return kind(_open_shape(shape, ndim), _dtype(dtype, "placeholder"), name)


def _open_shape(shape: Any, ndim: Any) -> tuple[int | None, ...]:
    if shape is None and ndim is None:
        raise ValueError("placeholder: give shape, as in (None, 3), or ndim, as in 2")
    if shape is None:
        return (None,) * integer(ndim, "placeholder", "ndim", 0)
    if not isinstance(shape, (list, tuple)):
        raise ValueError(f"placeholder: shape must be a tuple of integers or None, not {shape!r}")
    return tuple(
        None if d is None else integer(d, "placeholder", f"shape[{i}]", 0)
        for i, d in enumerate(shape)
    )


def _filled(where: str, shape: Any, value: int, dtype: Any, name: str | None) -> Tensor:
    type_name = _dtype(dtype, where)
    if is_symbolic(shape):
        dimensions = integer_vector(shape, where, "shape")
        return apply("fill", dimensions, value=value, dtype=type_name, name=name)
    return Variable(
        active().library.filled(static_shape(shape, where), value, type_name), type_name, name
    )


@documented(
    "ja-1:322 zeros(shape, dtype='float32', name=None)",
    "ja-2.0:643 zeros(shape, dtype=None, name=None)",
    "ko-2.2:553 zeros(shape, dtype=None, name=None)",
)
def zeros(shape: Any, dtype: str | None = None, name: str | None = None) -> Tensor:
    """A variable of zeros; a tensor if the shape is a tensor or contains one (ko-2.2:568)."""
    return _filled("zeros", shape, 0, dtype, name)


@documented(
    "ja-1:334 ones(shape, dtype='float32', name=None)",
    "ja-2.0:674 ones(shape, dtype=None, name=None)",
    "ko-2.2:588 ones(shape, dtype=None, name=None)",
)
def ones(shape: Any, dtype: str | None = None, name: str | None = None) -> Tensor:
    """A variable of ones; a tensor if the shape is a tensor or contains one (ko-2.2:603)."""
    return _filled("ones", shape, 1, dtype, name)


@documented(
    "ja-1:346 eye(size, dtype='float32', name=None)",
    "ja-2.0:705 eye(size, dtype=None, name=None)",
    "ko-2.2:623 eye(size, dtype=None, name=None)",
)
def eye(size: int, dtype: str | None = None, name: str | None = None) -> Variable:
    """A variable with the identity matrix of shape (size, size)."""
    n, type_name = integer(size, "eye", "size", 0), _dtype(dtype, "eye")
    rows = [[float(i == j) for j in range(n)] for i in range(n)]
    return Variable(active().library.convert(rows, type_name), type_name, name)


@documented(
    "ja-1:358 zeros_like(x, name=None)",
    "ja-2.0:736 zeros_like(x, dtype=None, name=None)",
    "ko-2.2:657 zeros_like(x, dtype=None, name=None)",
)
def zeros_like(x: Tensor, dtype: str | None = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of x, also where the shape is only known at evaluation."""
    return _like("zeros_like", x, 0, dtype, name)


@documented(
    "ja-1:370 ones_like(x, name=None)",
    "ja-2.0:767 ones_like(x, dtype=None, name=None)",
    "ko-2.2:691 ones_like(x, dtype=None, name=None)",
)
def ones_like(x: Tensor, dtype: str | None = None, name: str | None = None) -> Tensor:
    """Ones in the shape of x, also where the shape is only known at evaluation."""
    return _like("ones_like", x, 1, dtype, name)


def _like(where: str, x: Any, value: int, dtype: Any, name: str | None) -> Tensor:
    x = tensor(x, where)
    return apply("fill_like", x, value=value, dtype=dtype_name(dtype, x.dtype, where), name=name)


@documented(
    "ja-2.0:798 identity(x)",
    "ko-2.2:725 identity(x, name=None)",
)
def identity(x: Tensor, name: str | None = None) -> Tensor:
    """A tensor of the same shape, dtype and value as x."""
    return apply("identity", tensor(x, "identity"), name=name)


@documented(
    "ja-2.0:1626 arange(start, stop=None, step=1, dtype='int32')",
    "ko-2.2:2108 arange(start, stop=None, step=1, dtype='int32')",
)
def arange(
    start: float, stop: float | None = None, step: float = 1, dtype: str | None = "int32"
) -> Tensor:
    """The vector start, start + step, ... up to but without stop; arange(n) starts at 0.

    The arguments are Python numbers.

    Raises:
        ValueError: step is 0, or a fraction meets an integer dtype.
    """
    type_name = _dtype(dtype, "arange")
    first, last = (0, start) if stop is None else (start, stop)
    a, b, c = (
        _arange_number(value, type_name, what)
        for value, what in ((first, "start"), (last, "stop"), (step, "step"))
    )
    if c == 0:
        raise ValueError("arange: step is 0; write a number other than 0")
    length = max(0, math.ceil((b - a) / c))
    return apply("arange", start=a, step=c, length=length, dtype=type_name)


def _arange_number(value: Any, dtype: str, what: str) -> int | float:
    real = number(value, "arange", what)
    if not math.isfinite(real):
        raise ValueError(f"arange: {what} is {real}; write a finite number")
    if dtype not in FLOATS and real != int(real):
        raise ValueError(f"arange: {what} is {real} but dtype is {dtype}; write dtype='float32'")
    return real
