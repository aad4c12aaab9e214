"""Special functions of Keras 3, and windows that are made of them.

NumPy has neither in wide types. The inverse of the error function is found by Halley's method from
the approximation of S. Winitzki (2008) on; from 0.5 on it is that of the complement. The Bessel
function I0 is its power series, of positive terms (Abramowitz and Stegun 9.6.10), and beyond 40 its
asymptotic expansion (9.7.1), whose least term is exp(-2 x).

Bounds (u the unit roundoff):

* i0: exp(|x|) times a function that does not rise is off by |x| u, and within 16 ULP.
* bartlett: an index over half of the length, and its distance from 1: 8 u.
* hamming, hanning: an angle of at most 2 pi has four roundings, which move the cosine by 8 pi u.
  Its 4 ULP add 8 u. Half of the sum and three more roundings are 24 u.
* blackman: as hanning, with two cosines: 48 u.
* kaiser: s = 1 - r^2 is off by 8 u at most. Therefore the argument a = beta sqrt(s) moves by
  4 u beta / sqrt(s) + 4 u a, at s = 0 by beta sqrt(8 u). I0 is moved by I1(a) / I0(a), which is
  less than 1 and than a / 2, times that; each of the two is within 16 ULP, the quotient rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops.elements import erf, erfc
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
_STEPS, _SERIES, _EXPANSION = 3, 130, 40
"""Halley's steps in float64, after which one gives 64 bits; terms of the series, and of the
expansion, that do."""
_FAR, _HALF = 40.0, 0.5
_COSINE, _COSINES = 24, 48
_PI = np.arccos(np.longdouble(-1))


def erfinv(x: Array) -> Array:
    """The number whose error function is x; infinite at 1 and -1, NaN beyond.

    Shapes: any x; the result has the shape of x.
    """
    size = np.abs(x)
    ends = np.where(size == 1, np.inf, np.where(size == 0, 0, np.nan)).astype(x.dtype)
    near, tail = (size > 0) & (size < _HALF), (size >= _HALF) & (size < 1)
    ends[near] = _refined(size[near], erf, 1)
    ends[tail] = _refined(1 - size[tail], erfc, -1)
    return np.asarray(np.copysign(ends, x), x.dtype)


def _refined(values: Array, function: Callable[[Array], Array], sign: int) -> Array:
    """Where the function, which rises or falls with the density, has the values that are wanted."""
    roots = _guess(np.asarray(values, np.float64), sign)
    for dtype in (*[np.dtype(np.float64)] * _STEPS, values.dtype):
        roots = roots.astype(dtype)
        slope = sign * 2 / np.sqrt(_PI.astype(dtype)) * np.exp(-np.square(roots))
        step = (function(roots) - values.astype(dtype)) / slope
        roots = roots - step / (1 + step * roots)
    return roots


def _guess(values: Array, sign: int) -> Array:
    rest = values * (2 - values) if sign < 0 else 1 - np.square(values)
    half = 2 / (np.pi * 0.147) + np.log(rest) / 2
    return np.asarray(np.sqrt(np.sqrt(half**2 - np.log(rest) / 0.147) - half))


def i0(x: Array) -> Array:
    """The modified Bessel function of order 0.

    Shapes: any x; the result has the shape of x.
    """
    size = np.abs(x)
    near, far = np.minimum(size, _FAR), np.maximum(size, _FAR)
    term = total = np.ones_like(size)
    for n in range(1, _SERIES):
        term = term * np.square(near / (2 * n))
        total = total + term
    part = rest = np.ones_like(size)
    for n in range(1, _EXPANSION):
        part = part * ((2 * n - 1) ** 2 / (8 * n * far))
        rest = rest + part
    beyond = np.exp(far) / np.sqrt(2 * _PI.astype(far.dtype) * far) * rest
    return np.where(size <= _FAR, total, beyond)


def bounded_i0(model: Arithmetic, x: Array) -> Bounded:
    """Value and bound of `i0`; infinite where its exponential overflows, which it is a part of.

    Shapes: any x; value and bound have the shape of x.
    """
    value, size = i0(x), np.abs(x)
    bound = allowance(2 * size + 40, model) * value
    return value, np.where(np.exp(size) * 2 >= model.overflow, np.inf, bound)


def _turns(length: int) -> Array:
    """From 0 to 1, as many numbers as the window has; one alone is the middle."""
    if length == 1:
        return np.full(1, 0.5, np.longdouble)
    return np.arange(length, dtype=np.longdouble) / (length - 1)


def bartlett(length: int) -> Array:
    """A triangle, 0 at both ends."""
    return np.asarray(1 - np.abs(2 * _turns(length) - 1))


def blackman(length: int) -> Array:
    """0.42 - 0.5 cos + 0.08 of the cosine of twice as much."""
    angles = 2 * _PI * _turns(length)
    low, high = np.longdouble("0.42"), np.longdouble("0.08")
    return np.asarray(low - np.cos(angles) / 2 + high * np.cos(2 * angles))


def _raised_cosine(most: str, part: str) -> Callable[[int], Array]:
    """`most` less `part` times a cosine."""

    def window(length: int) -> Array:
        cosine = np.cos(2 * _PI * _turns(length))
        return np.asarray(np.longdouble(most) - np.longdouble(part) * cosine)

    return window


hamming, hanning = _raised_cosine("0.54", "0.46"), _raised_cosine("0.5", "0.5")


def _kaiser_argument(length: int, beta: Any) -> tuple[Array, Array]:
    part = np.maximum(1 - np.square(2 * _turns(length) - 1), 0)
    return part, np.longdouble(beta) * np.sqrt(part)


def kaiser(length: int, beta: Any) -> Array:
    """I0(beta sqrt(1 - r^2)) / I0(beta), r from -1 to 1."""
    _, argument = _kaiser_argument(length, beta)
    return np.asarray(i0(argument) / i0(np.asarray(beta, np.longdouble)))


def bounded_kaiser(model: Arithmetic, length: int, beta: Any) -> Bounded:
    """Value and bound of `kaiser`."""
    unit = allowance(1, model)
    part, argument = _kaiser_argument(length, beta)
    moved = 4 * unit * beta / np.sqrt(np.maximum(part, 2 * unit)) + 4 * unit * argument
    slope = np.minimum((argument + moved) / 2, 1)
    value = kaiser(length, beta)
    return value, np.expm1(slope * moved) * value + allowance(2 * 32 + 4, model) * value


def _window(function: Callable[[int], Array], roundings: int) -> Callable[..., Bounded]:
    def bounded(model: Arithmetic, length: int) -> Bounded:
        return function(length), np.full(length, allowance(roundings, model))

    return bounded


ORACLES: Mapping[str, Callable[..., Array]] = {
    "erfinv": erfinv,
    "i0": i0,
    "hamming": hamming,
    "hanning": hanning,
    "bartlett": bartlett,
    "blackman": blackman,
    "kaiser": kaiser,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "i0": bounded_i0,
    "hamming": _window(hamming, _COSINE),
    "hanning": _window(hanning, _COSINE),
    "bartlett": _window(bartlett, 8),
    "blackman": _window(blackman, _COSINES),
    "kaiser": bounded_kaiser,
}
