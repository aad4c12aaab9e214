"""Special functions of Keras 3, and what is made of them: windows, and numbers on a log scale.

NumPy has neither in wide types. The inverse of the error function is Newton's; from 0.5 on of the
logarithm of the complement, which is nearly a parabola, and from the approximation of S. Winitzki
(2008) on: a few steps give 64 bits. The Bessel function I0 is its power series, of positive terms (Abramowitz and Stegun 9.6.10),
and beyond 40 its asymptotic expansion (9.7.1), whose least term is exp(-2 x).

Bounds (u the unit roundoff):

* i0: exp(|x|) times a function that does not rise is off by |x| u, and within 16 ULP, for either sum.
* bartlett: an index over half of the length, and its distance from 1: 8 u.
* blackman: as hanning, with two cosines: 48 u.
* kaiser: the argument a = beta sqrt(s), with s = 1 - r^2 off by 8 u at most, moves by
  4 u beta / sqrt(s) + 4 u a, at s = 0 by beta sqrt(8 u). I0 is moved by I1(a) / I0(a), which is less
  than 1 and than a / 2, times that; each of the two is within 16 ULP, the quotient rounded.
* logspace: an exponent e is off by 4 u of the larger end, the power by log(base) times that and
  16 ULP, as OpenCL allows pow. geomspace: the same of the logarithms, each within 4 ULP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.keras_elements import erf, erfc
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
_STEPS, _SERIES, _EXPANSION = 4, 130, 40
"""Newton's steps, terms of the series, and terms of the expansion that give 64 bits."""
_FAR, _HALF = 40.0, 0.5
_WINDOW = 48
_PI = np.arccos(np.longdouble(-1))


def erfinv(x: Array) -> Array:
    """The number whose error function is x; infinite at 1 and -1, NaN beyond."""
    size = np.abs(x)
    inside = size < 1
    found = np.where(size < _HALF, _near(np.minimum(size, _HALF)), _tail(size, inside))
    ends = np.where(inside, found, np.where(size == 1, np.inf, np.nan))
    return np.asarray(np.copysign(ends, x), x.dtype)


def _root_of_pi(x: Array) -> Any:
    return np.sqrt(_PI.astype(x.dtype))


def _near(size: Array) -> Array:
    """The inverse of numbers that are not near 1."""
    found = size * _root_of_pi(size) / 2
    for _ in range(_STEPS + 2):
        slope = 2 / _root_of_pi(size) * np.exp(-np.square(found))
        found = found - (erf(found) - size) / slope
    return np.asarray(found)


def _tail(size: Array, inside: Array) -> Array:
    """The inverse of numbers that are not near 0, by way of the complement."""
    tail = np.where(inside & (size >= _HALF), 1 - size, _HALF).astype(size.dtype)
    factor, product = size.dtype.type("0.147"), np.log(tail * (2 - tail))
    half = 2 / (_PI.astype(size.dtype) * factor) + product / 2
    found = np.sqrt(np.sqrt(half**2 - product / factor) - half)
    for _ in range(_STEPS):
        value = erfc(found)
        slope = -2 / _root_of_pi(size) * np.exp(-np.square(found)) / value
        found = found - (np.log(value) - np.log(tail)) / slope
    return np.asarray(found)


def i0(x: Array) -> Array:
    """The modified Bessel function of order 0."""
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
    """Value and bound of `i0`; infinite where its exponential overflows, which it is a part of."""
    value, size = i0(x), np.abs(x)
    bound = allowance(2 * size + 40, model) * value
    return value, np.where(np.exp(size) * 2 >= model.overflow, np.inf, bound)


def _turns(length: int) -> Array:
    """From 0 to 1, as many numbers as the window has."""
    return np.arange(length, dtype=np.longdouble) / (length - 1)


def bartlett(length: int) -> Array:
    """A triangle, 0 at both ends."""
    return np.asarray(1 - np.abs(2 * _turns(length) - 1))


def blackman(length: int) -> Array:
    """0.42 - 0.5 cos + 0.08 of the cosine of twice as much."""
    angles = 2 * _PI * _turns(length)
    low, high = np.longdouble("0.42"), np.longdouble("0.08")
    return np.asarray(low - np.cos(angles) / 2 + high * np.cos(2 * angles))


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


def _evenly(start: Any, stop: Any, num: int, endpoint: bool) -> Array:
    return np.linspace(start, stop, num, endpoint=endpoint, dtype=np.longdouble)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10, **_: Any
) -> Array:
    """base to the power of numbers that are as far apart as each other."""
    return np.asarray(np.longdouble(base) ** _evenly(start, stop, num, endpoint))


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **_: Any) -> Array:
    """Numbers from start to stop, each as many times the one before."""
    ends = np.log(np.longdouble(start)), np.log(np.longdouble(stop))
    return np.asarray(np.exp(_evenly(*ends, num, endpoint)))


def bounded_logspace(
    model: Arithmetic,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10,
    **_: Any,
) -> Bounded:
    """Value and bound of `logspace`."""
    value = logspace(start, stop, num, endpoint, base)
    reach = float(np.log(base)) * max(abs(start), abs(stop))
    return value, allowance(4 * reach + 32, model) * value


def bounded_geomspace(
    model: Arithmetic, start: Any, stop: Any, num: int = 50, endpoint: bool = True, **_: Any
) -> Bounded:
    """Value and bound of `geomspace`."""
    value = geomspace(start, stop, num, endpoint)
    reach = max(abs(float(np.log(start))), abs(float(np.log(stop))))
    return value, allowance(12 * reach + 32, model) * np.abs(value)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "erfinv": erfinv,
    "i0": i0,
    "bartlett": bartlett,
    "blackman": blackman,
    "kaiser": kaiser,
    "logspace": logspace,
    "geomspace": geomspace,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "i0": bounded_i0,
    "bartlett": _window(bartlett, 8),
    "blackman": _window(blackman, _WINDOW),
    "kaiser": bounded_kaiser,
    "logspace": bounded_logspace,
    "geomspace": bounded_geomspace,
}
