"""Functions of single elements and of pairs of them that Keras 3 has and K had not.

The error functions are computed here, because NumPy has none: the series of positive terms
erf(x) = 2 / sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (1 3 5 ... (2n+1)) (Abramowitz and Stegun 7.1.6),
and for their complement beyond 2 the continued fraction 7.1.14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.activations import sigmoid
from conformance.oracle.elementwise import binary
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

_PI = np.arccos(np.longdouble(-1))
_SERIES, _FRACTION = 140, 120
"""How many terms give 64 bits: of the series up to 6.5, of the fraction from 2 on."""
_TERMS = 8
"""After so many terms the sum is compared, which takes as long as a term."""
_ONE, _NOTHING = 6.5, 110.0
"""Beyond the first the error function is 1 in 64 bits; beyond the second its complement is 0."""
_ERROR_FUNCTION = 20
"""Roundings of x (1 + erf(x)) / 2 where erf is near -1. OpenCL allows erf to be off by 16 ULP of a
number below 1, and tanh by 5."""
_ANGLE = 2
"""Roundings of pi x: that of pi, and that of the product."""


def _pi(x: Array) -> Any:
    return x.dtype.type(_PI)


def erf(x: Array) -> Array:
    """The error function.

    Shapes: any x; the result has the shape of x.
    """
    size = np.minimum(np.abs(x), _ONE)
    twice = 2 * np.square(size)
    falling = np.nanmax(twice, initial=0)
    term = total = 2 / np.sqrt(_pi(x)) * size * np.exp(-np.square(size))
    for n in range(1, _SERIES):
        term = term * (twice / (2 * n + 1))
        before, total = total, total + term
        # a term that changes nothing is followed by smaller ones
        if n % _TERMS == 0 and 2 * n > falling and np.array_equal(before, total, equal_nan=True):
            break
    result: Array = np.where(x < 0, -total, total)
    return result


def erfc(x: Array) -> Array:
    """One less the error function, without cancellation.

    Shapes: any x; the result has the shape of x.
    """
    far, answers = np.asarray(x > 2), np.empty_like(x)
    answers[~far] = 1 - erf(x[~far])
    answers[far] = _far_complement(x[far])
    return answers


def _far_complement(x: Array) -> Array:
    """One less the error function of numbers above 2."""
    size = np.clip(x, 1, _NOTHING)
    below = size
    for n in range(_FRACTION if x.size else 0, 0, -1):
        below = size + (x.dtype.type(n) / 2) / below
    complement: Array = np.exp(-np.square(size)) / np.sqrt(_pi(x)) / below
    return complement


def gelu(x: Array, approximate: bool = True) -> Array:
    """x (1 + tanh(u)) / 2 as x sigmoid(2 u), or x (1 + erf(x / sqrt(2))) / 2 as a complement.

    Shapes: any x; the result has the shape of x.
    Source: D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016, section 2.
    """
    if not approximate:
        half: Array = x / 2 * erfc(-x / np.sqrt(x.dtype.type(2)))
        return half
    inner = np.sqrt(2 / _pi(x)) * (x + x.dtype.type("0.044715") * x**3)
    result: Array = x * sigmoid(2 * inner)
    return result


def gelu_summation(value: Array, model: Arithmetic, x: Array, **_: Any) -> Array:
    """The share of the bound that the sum with 1 adds: it may cancel all of a function that is near
    -1.

    Shapes: value, x and the result have one shape.
    """
    return np.full(np.shape(value), allowance(_ERROR_FUNCTION, model) * np.abs(x))


def sinc(x: Array) -> Array:
    """sin(pi x) / (pi x), and 1 for 0. Whole turns are taken off x first, which rounds nothing.

    Shapes: any x; the result has the shape of x.
    Source: the docstring of `keras.ops.sinc`.
    """
    whole = np.rint(x)
    sine = np.sin((x - whole) * _pi(x)) * (1 - 2 * np.abs(np.fmod(whole, 2)))
    return np.where(x == 0, 1, sine / (np.where(x == 0, 1, x) * _pi(x)) + 0.0)


def sinc_summation(value: Array, model: Arithmetic, x: Array) -> Array:
    """The share of the bound that rounding pi x adds: as much as one rounding of the angle, and no
    more than two sines. At an integer, moving x to another one would show nothing of it.

    Shapes: value, x and the result have one shape.
    """
    size = np.maximum(np.abs(x), model.smallest_normal)
    turned = np.full(np.shape(value), allowance(_ANGLE, model))
    return np.asarray(np.minimum(turned, 2 / (_pi(size) * size)))


def angle(x: Array) -> Array:
    """The angle of a real number in the complex plane.

    Shapes: any x; the result has the shape of x.
    """
    result: Array = np.arctan2(np.zeros_like(x), x)
    return result


def sparse_sigmoid(x: Array) -> Array:
    """0 up to -1, (x + 1) / 2 up to 1, and 1 beyond.

    Shapes: any x; the result has the shape of x.
    Source: the docstring of `keras.ops.sparse_sigmoid`.
    """
    return np.where(x <= -1, 0 * x, np.where(x < 1, (x + 1) / 2, 1 + 0 * x))


def divide_no_nan(x: Array, y: Array) -> Array:
    """x / y, and 0 where y is 0.

    Shapes: x and y broadcast; the result has their common shape.
    Source: the docstring of `keras.ops.divide_no_nan`.
    """
    zero = y == 0
    result: Array = np.where(zero, 0, x / np.where(zero, 1, y))
    return result


def nan_to_num(x: Array, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """x with numbers in place of NaN and of infinities.

    Shapes: any x; the result has the shape of x.
    """
    return np.asarray(np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf))


OF_INTEGERS = (
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "gcd",
    "lcm",
    "left_shift",
    "right_shift",
)
"""Functions that are defined for integers alone."""


def _of(function: Callable[[Array], Any]) -> Callable[..., Array]:
    def oracle(x: Array) -> Array:
        return np.asarray(function(x))

    return oracle


ORACLES: Mapping[str, Callable[..., Array]] = {
    **{
        name: _of(getattr(np, name))
        for name in ("arccosh", "isneginf", "isposinf", "isreal", "signbit", "bitwise_not")
    },
    **{
        name: binary(getattr(np, name))
        for name in (
            "fmax",
            "fmin",
            "logaddexp2",
            "heaviside",
            "gcd",
            "lcm",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "left_shift",
            "right_shift",
        )
    },
    "ldexp": lambda x, y: np.ldexp(x, y.astype(np.int32)),
    "erf": erf,
    "erfc": erfc,
    "gelu": gelu,
    "sinc": sinc,
    "angle": angle,
    "sparse_sigmoid": sparse_sigmoid,
    "divide_no_nan": divide_no_nan,
    "nan_to_num": nan_to_num,
}

SUMMATIONS: Mapping[str, Callable[..., Array]] = {"gelu": gelu_summation, "sinc": sinc_summation}
