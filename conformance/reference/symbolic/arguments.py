"""Checks of arguments. Their errors name the function and the argument, and say what to write.

`widened` and `cast` are for compositions of operations that round once: float16 computes in
float32, and float32 in float64. Nothing is wider than float64.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Tensor, apply, binary, constant_of
from conformance.reference.symbolic.rules import INTEGERS

Axis = int | Sequence[int] | None


def tensor(x: Any, where: str, what: str = "x") -> Tensor:
    """x, if it is a tensor of the active backend.

    Raises:
        ValueError: x is not a tensor, or is a tensor of another backend.
    """
    if not isinstance(x, Tensor):
        raise ValueError(
            f"{where}: {what} is a {type(x).__name__}, not a tensor; "
            "make one with K.variable or K.placeholder"
        )
    if x.backend is not active():
        raise ValueError(
            f"{where}: {what} is a tensor of {x.backend.name}, not of {active().name}; "
            "take its value with eval, and make that a constant"
        )
    return x


def is_own(x: Any, kind: type[Tensor] = Tensor) -> bool:
    """Whether x is a tensor of this kind and of the active backend."""
    return isinstance(x, kind) and x.backend is active()


def combined(operation: str, x: Any, y: Any) -> Tensor:
    """An operation on two tensors of the active backend and of one dtype, or a tensor and a number.

    ValueError if neither is a tensor, if one is of another backend, or if their dtypes differ.
    """
    for each in (x, y):
        if isinstance(each, Tensor):
            tensor(each, operation)
    return binary(operation, x, y)


def tensors(x: Any, where: str, what: str) -> tuple[Tensor, ...]:
    """A list or tuple of at least one tensor.

    Raises:
        ValueError: x is something else.
    """
    if not isinstance(x, (list, tuple)) or not x:
        raise ValueError(f"{where}: {what} must be a list of at least one tensor, not {x!r}")
    return tuple(tensor(item, where, f"{what}[{i}]") for i, item in enumerate(x))


def integer_tensor(x: Any, where: str, what: str) -> Tensor:
    """x, if it is a tensor of integers.

    Raises:
        ValueError: x is something else.
    """
    array = tensor(x, where, what)
    if array.dtype not in INTEGERS:
        raise ValueError(
            f"{where}: {what} is {array.dtype}; make it integers with K.cast({what}, 'int32')"
        )
    return array


def integer(value: Any, where: str, what: str, at_least: int | None = None) -> int:
    """A Python integer (NumPy's count, bool does not) not below `at_least`.

    Raises:
        ValueError: value is something else.
    """
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, Tensor)):
        raise ValueError(f"{where}: {what} must be an integer, not {value!r}")
    if at_least is not None and number < at_least:
        raise ValueError(f"{where}: {what} is {number}; write an integer from {at_least} up")
    return number


def number(value: Any, where: str, what: str) -> int | float:
    """A Python number.

    Raises:
        ValueError: value is something else.
    """
    if isinstance(value, (Tensor, bool, str)) or not hasattr(value, "__float__"):
        raise ValueError(f"{where}: {what} must be a Python number, not {value!r}")
    plain = value.item() if hasattr(value, "item") else value
    return plain if isinstance(plain, int) else float(plain)


def axis_of(x: Tensor, axis: Any, where: str, what: str = "axis", extra: int = 0) -> int:
    """One axis counted from 0.

    Raises:
        ValueError: x (with `extra` new axes) does not have it.
    """
    rank = x.ndim + extra
    position = integer(axis, where, what)
    if not -rank <= position < rank:
        valid = f"write one from {-rank} to {rank - 1}" if rank else "a scalar has no axes"
        raise ValueError(f"{where}: {what} {position} is out of range for {x!r}; {valid}")
    return position % rank


def axes_of(x: Tensor, axis: Any, where: str, what: str = "axis") -> tuple[int, ...]:
    """Axes counted from 0: all for None.

    Raises:
        ValueError: one is out of range or appears twice.
    """
    if axis is None:
        return tuple(range(x.ndim))
    items = list(axis) if isinstance(axis, Iterable) and not isinstance(axis, str) else [axis]
    axes = tuple(axis_of(x, item, where, what) for item in items)
    if len(set(axes)) != len(axes):
        raise ValueError(f"{where}: {what} {axis!r} names one axis of {x!r} twice")
    return axes


def static_shape(shape: Any, where: str) -> tuple[int, ...]:
    """A shape of known dimensions.

    Raises:
        ValueError: shape is something else.
    """
    if not isinstance(shape, (list, tuple)):
        raise ValueError(f"{where}: shape must be a tuple of integers, not {shape!r}")
    return tuple(integer(d, where, f"shape[{i}]", 0) for i, d in enumerate(shape))


def is_symbolic(shape: Any) -> bool:
    """Whether a shape is a tensor or has one among its dimensions."""
    if isinstance(shape, Tensor):
        return True
    return isinstance(shape, (list, tuple)) and any(isinstance(d, Tensor) for d in shape)


def integer_vector(value: Any, where: str, what: str) -> Tensor:
    """An int64 vector from integers, from scalar integer tensors, or from a tensor of rank 1.

    Raises:
        ValueError: another rank, an unknown length, or not a tuple of integers.
    """
    if isinstance(value, Tensor):
        vector = integer_tensor(value, where, what)
        if vector.ndim != 1 or vector.shape[0] is None:
            raise ValueError(f"{where}: {what} must have rank 1 and a known length, not {vector!r}")
        return vector
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{where}: {what} must be a tuple of integers or a tensor, not {value!r}")
    if not is_symbolic(value):
        plain = [integer(item, where, f"{what}[{i}]") for i, item in enumerate(value)]
        return constant_of(active().library.convert(plain, "int64"), "int64")
    return apply("stack", *[_scalar(d, where, f"{what}[{i}]") for i, d in enumerate(value)], axis=0)


def _scalar(value: Any, where: str, what: str) -> Tensor:
    if not isinstance(value, Tensor):
        return constant_of(active().library.convert(integer(value, where, what), "int64"), "int64")
    scalar = integer_tensor(value, where, what)
    if scalar.ndim:
        raise ValueError(f"{where}: {what} must be a scalar, not {scalar!r}")
    return scalar if scalar.dtype == "int64" else apply("cast", scalar, dtype="int64")


WIDER = {"float16": "float32", "float32": "float64"}
SMALLEST = {"float16": 1e-30, "float32": 1e-300, "float64": 1e-300}
"""By the dtype of the result: the positive number that stands for a smaller sum of squares."""


def widened(x: Tensor) -> Tensor:
    """x in the next wider type.

    Shapes: any x; the result has the shape of x.
    """
    return cast(x, WIDER.get(x.dtype, x.dtype))


def cast(x: Tensor, dtype: str) -> Tensor:
    """x in another dtype; x itself if it has that dtype.

    Shapes: any x; the result has the shape of x.
    """
    return x if x.dtype == dtype else apply("cast", x, dtype=dtype)
