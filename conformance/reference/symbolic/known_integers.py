"""The values of integer tensors that the graph knows before evaluation.

Shapes are computed with (`K.shape(x)[1:] * 2`, `K.prod(K.shape(x))`) and are arguments of
`reshape`, `slice` and others. This module follows their elements; None stands for an unknown one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from conformance.reference.symbolic.rules import INTEGERS, Operand, Shape

EXACT = 2**11
"""Up to here every float type holds all integers."""


def static_integers(tensor: Operand) -> Shape:
    """The graph's knowledge of the elements of an integer tensor of rank 0 or 1."""
    known = _FOLLOWED.get(tensor.operation, _unknown)(tensor)
    return tuple(None if value is None else _held(value, tensor.dtype) for value in known)


def _unknown(tensor: Operand) -> Shape:
    return (None,) * _length(tensor)


def _length(tensor: Operand) -> int:
    """The number of elements; 0 if it is not known."""
    return (tensor.shape[0] or 0) if tensor.shape else 1


def _held(value: int, dtype: str) -> int | None:
    """The value if the dtype holds it; None if it overflows or is rounded."""
    if dtype not in INTEGERS:
        return int(value != 0) if dtype == "bool" else value if abs(value) <= EXACT else None
    bits = int(dtype.lstrip("uint"))
    low, high = (0, 2**bits) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return value if low <= value < high else None


def _item(tensor: Operand) -> Shape:
    index = tensor.attributes["index"]
    if len(index) != 1 or not isinstance(index[0], (int, slice)):
        return _unknown(tensor)
    known = static_integers(tensor.inputs[0])[index[0]]
    return known if isinstance(known, tuple) else (known,)


def _parts(tensor: Operand) -> Shape:
    return tuple(value for part in tensor.inputs for value in static_integers(part))


def _input(tensor: Operand) -> Shape:
    return static_integers(tensor.inputs[0])


def _negative(tensor: Operand) -> Shape:
    known = static_integers(tensor.inputs[0]) if tensor.dtype in INTEGERS else _unknown(tensor)
    return tuple(None if value is None else -value for value in known)


def _pairs(tensor: Operand) -> Shape:
    """Arithmetic on integers: vectors of one length, or a vector and one number."""
    if len(tensor.shape) > 1 or not all(item.dtype in INTEGERS for item in tensor.inputs):
        return _unknown(tensor)
    x, y = (static_integers(item) for item in tensor.inputs)
    if not x or not y:
        return _unknown(tensor)
    compute = _ARITHMETIC[tensor.operation]
    pairs = ((x[i % len(x)], y[i % len(y)]) for i in range(_length(tensor)))
    return tuple(None if a is None or b is None else compute(a, b) for a, b in pairs)


def _reduction(tensor: Operand) -> Shape:
    """A reduction of a vector of integers to a number."""
    (x,) = tensor.inputs
    vector = static_integers(x) if x.dtype in INTEGERS and len(x.shape) == 1 else ()
    if not vector or x.shape != (len(vector),) or len(tensor.attributes["axis"]) != 1:
        return _unknown(tensor)
    known = [value for value in vector if value is not None]
    return (_REDUCTIONS[tensor.operation](known) if len(known) == len(vector) else None,)


def _quotient(a: int, b: int) -> int | None:
    return a // b if b else None


_ARITHMETIC: dict[str, Callable[[Any, Any], int | None]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "floor_divide": _quotient,
    "maximum": max,
    "minimum": min,
    "less": operator.lt,
}
_REDUCTIONS: dict[str, Callable[[Any], int]] = {
    "sum": sum,
    "prod": math.prod,
    "max": max,
    "min": min,
}
_FOLLOWED: dict[str, Callable[[Operand], Shape]] = {
    "constant": lambda tensor: tensor.backend.library.integers(tensor.attributes["value"]),
    "shape": lambda tensor: tensor.inputs[0].shape,
    "cast": _input,
    "identity": _input,
    "stack": _parts,
    "concatenate": _parts,
    "getitem": _item,
    "negative": _negative,
    **dict.fromkeys(_ARITHMETIC, _pairs),
    **dict.fromkeys(_REDUCTIONS, _reduction),
}
