"""Elementwise mathematics: square, abs, sqrt, exp, log, round, sign, pow, clip, maximum, minimum,
sin and cos.

Each function takes wide tensors and returns the wide value; its error is that of the C library's
function in that width. Bounds are the spec's: a limit in ULP (The OpenCL C Specification, table of
"ULP values for built-in math functions", is the source of the limits), or exact. Conventions where
the documents are silent are NumPy's. The square root or logarithm of a negative number is NaN,
`maximum` and `minimum` propagate NaN, and `clip` with min_value > max_value gives max_value. Ties
are rounded to even (ko-2.2, line 1598).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array


def power(x: Array, a: Any, *, pole: float | None = None) -> Array:
    """`x` to the power `a`; integers stay integers. ValueError: negative power of an integer.

    `pole` is the power of zero where `a` is negative, if that is not to be infinite.

    Shapes: x and a have one shape, or a is a scalar; the result has the shape of x.
    """
    if np.ndim(a) == 0 and x.ndim:
        a = np.full(x.shape, a)  # a single 0.5 makes NumPy take square roots: NaN for -inf
    result: Array = np.power(np.atleast_1d(x), np.atleast_1d(a)).reshape(x.shape)
    return result if pole is None else np.where((x == 0) & (np.asarray(a) < 0), pole, result)


def rounded(x: Array, *, halves: str = "even") -> Array:
    """The nearest integer; half-way cases to the `even` one, `up`, or `away` from zero.

    Shapes: any x; the result has the shape of x.
    """
    result: Array = np.rint(x)
    tied = np.abs(x - np.trunc(x)) == 0.5
    if halves == "up":
        return np.where(tied, np.ceil(x), result)
    return np.where(tied, np.trunc(x) + np.sign(x), result) if halves == "away" else result


def clip(x: Array, min_value: Any = None, max_value: Any = None) -> Array:
    """The median of x, min_value and max_value; None for no limit; NaN stays NaN.

    Shapes: x and the limits broadcast; the result has their common shape.
    """
    if min_value is not None:
        x = np.maximum(x, min_value)
    if max_value is not None:
        x = np.minimum(x, max_value)
    return x


def _unary(function: Callable[[Array], Array]) -> Callable[..., Array]:
    def oracle(x: Array) -> Array:
        result: Array = function(x)
        return result

    return oracle


def binary(function: Callable[[Any, Any], Array]) -> Callable[..., Array]:
    """The oracle of a ufunc of two operands.

    Shapes: the operands broadcast; the result has their common shape.
    """

    def oracle(x: Any, y: Any) -> Array:
        result: Array = function(x, y)
        return result

    return oracle


ORACLES: Mapping[str, Callable[..., Array]] = {
    "square": _unary(np.square),
    "abs": _unary(np.abs),
    "sqrt": _unary(np.sqrt),
    "exp": _unary(np.exp),
    "log": _unary(np.log),
    "round": rounded,
    "sign": _unary(np.sign),
    "pow": power,
    "clip": clip,
    "maximum": binary(np.maximum),
    "minimum": binary(np.minimum),
    "sin": _unary(np.sin),
    "cos": _unary(np.cos),
}
