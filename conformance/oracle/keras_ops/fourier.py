"""Discrete Fourier transforms by their definition, and how far any way to compute them may stray.

By the definition each number is a sum of n products, each of a factor that is rounded itself: it is
off by at most gamma(n + c) of the sum of the magnitudes (N. J. Higham, Accuracy and Stability of
Numerical Algorithms, 2002, section 3.1). Fast transforms are off by the logarithm of n in place of
n (theorem 24.2). Those of other lengths than powers of two are three fast ones, of up to four times
the length, between products. `STEPS` and `MORE` cover both.

A transform takes the real and the imaginary parts of numbers and gives those of others. The oracle
of each part is called `fft.real` or `fft.imag`. A real signal has half of a spectrum: its first
number has no imaginary part, nor has the last one if the signal has an even length. Whatever an
implementation does with such a part, each element moves by at most its share of the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

STEPS = 4
"""Roundings for each term: those of a product of complex numbers, and that of their sum."""
MORE = 64
"""Roundings of the factors, of a division by the length, and of the longer transforms."""
PI = np.longdouble("3.14159265358979323846264338327950288")

Pair = Sequence[Array]
"""The real and the imaginary parts."""
Bounded = tuple[Array, Array]


@lru_cache(maxsize=64)
def factors(n: int) -> tuple[Array, Array]:
    """The cosines and sines by which the elements are multiplied, a row for each result."""
    turns = np.outer(np.arange(n), np.arange(n)) % max(n, 1)
    angles = 2 * PI * turns.astype("longdouble") / max(n, 1)
    return np.cos(angles), -np.sin(angles)


def transformed(x: Pair, axis: int = -1, *, inverse: bool = False) -> tuple[Array, Array]:
    """The transform along one axis."""
    real, imag = (np.moveaxis(part.astype("longdouble"), axis, -1) for part in x)
    n = real.shape[-1]
    c, s = factors(n)
    s = -s if inverse else s
    sums = real @ c - imag @ s, real @ s + imag @ c
    first, second = (np.moveaxis(part / n if inverse else part, -1, axis) for part in sums)
    return first, second


def along(x: Pair, axes: Sequence[int], *, inverse: bool = False) -> tuple[Array, Array]:
    """The transform along several axes."""
    real, imag = x
    for axis in axes:
        real, imag = transformed((real, imag), axis, inverse=inverse)
    return real, imag


def lost(model: Arithmetic, size: Array, lengths: Sequence[int], divisor: float = 1) -> Array:
    """How far a number of a transform may be off, by the sum of the transformed magnitudes.

    Anything where that is not finite, or some sum may overflow.

    Shapes: `size` and the result have one shape; `lengths` are those of the transformed axes.
    """
    roundings = STEPS * sum(lengths) + MORE * len(lengths)
    factor = allowance(roundings, model)
    bound = (factor * size + roundings * model.underflow) / divisor
    safe = np.isfinite(size) & (size * (1 + factor) < model.overflow)
    return np.where(safe, bound, np.inf)


def magnitude(x: Pair, axes: Sequence[int]) -> Array:
    """The sum of all magnitudes along some axes, at each element."""
    size = np.abs(x[0]).astype("longdouble") + np.abs(x[1])
    return np.broadcast_to(np.sum(size, axis=tuple(axes), keepdims=True), size.shape)


def _transform(part: int, axes: Sequence[int], *, inverse: bool = False) -> Callable[..., Array]:
    return lambda x: along(x, axes, inverse=inverse)[part]


def _bounded(part: int, axes: Sequence[int], *, inverse: bool = False) -> Callable[..., Bounded]:
    def bounded(model: Arithmetic, x: Pair) -> Bounded:
        lengths = [x[0].shape[axis] for axis in axes]
        divisor = float(np.prod(lengths)) if inverse else 1
        bound = lost(model, magnitude(x, axes), lengths, divisor)
        return along(x, axes, inverse=inverse)[part], bound

    return bounded


# Real signals


def of_length(x: Array, n: int) -> Array:
    """The first n elements along the last axis, with zeros behind them if there are fewer.

    Shapes: x (..., m); the result is (..., n).
    """
    missing = max(0, n - x.shape[-1])
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)])[..., :n]


def _signal(x: Array, fft_length: int | None) -> tuple[Array, Array]:
    signal = of_length(x, x.shape[-1] if fft_length is None else fft_length)
    return signal, np.zeros_like(signal)


def half(x: Pair) -> tuple[Array, Array]:
    """The first half of the spectrum of a real signal, which tells the other half."""
    count = x[0].shape[-1] // 2 + 1
    real, imag = transformed(x)
    return real[..., :count], imag[..., :count]


def _rfft(part: int) -> Callable[..., Array]:
    return lambda x, fft_length=None: half(_signal(x, fft_length))[part]


def _bounded_rfft(part: int) -> Callable[..., Bounded]:
    def bounded(model: Arithmetic, x: Array, fft_length: int | None = None) -> Bounded:
        signal = _signal(x, fft_length)
        value = half(signal)[part]
        bound = lost(model, magnitude(signal, (-1,)), [signal[0].shape[-1]])
        return value, bound[..., : value.shape[-1]]

    return bounded


def _length(x: Pair, fft_length: int | None) -> int:
    return 2 * (x[0].shape[-1] - 1) if fft_length is None else fft_length


def whole(x: Pair, n: int) -> tuple[Array, Array]:
    """All n numbers of the spectrum of a real signal, of its first half."""
    real, imag = (of_length(part, n // 2 + 1) for part in x)
    ahead = n - np.arange(n // 2 + 1, n)
    mirrored = np.concatenate([real, real[..., ahead]], -1)
    return mirrored, np.concatenate([imag, -imag[..., ahead]], -1)


def irfft(x: Pair, fft_length: int | None = None) -> Array:
    """The real signal of the first half of its spectrum."""
    return transformed(whole(x, _length(x, fft_length)), inverse=True)[0]


def open_parts(x: Pair, n: int) -> Array:
    """The magnitudes of the imaginary parts that the spectrum of a real signal does not have."""
    imag = np.abs(of_length(x[1], n // 2 + 1))
    size: Array = imag[..., :1] + (imag[..., n // 2 :] if n % 2 == 0 else 0)
    return size


def bounded_irfft(model: Arithmetic, x: Pair, fft_length: int | None = None) -> Bounded:
    """Value and bound of `irfft`."""
    n = _length(x, fft_length)
    bound = lost(model, magnitude(whole(x, n), (-1,)), [n], n)
    return irfft(x, fft_length), bound + open_parts(x, n) / n


LAST, LAST_TWO = (-1,), (-2, -1)
_PARTS = ("real", "imag")
ORACLES: Mapping[str, Callable[..., Array]] = {
    **{f"fft.{name}": _transform(place, LAST) for place, name in enumerate(_PARTS)},
    **{f"fft2.{name}": _transform(place, LAST_TWO) for place, name in enumerate(_PARTS)},
    **{
        f"ifft2.{name}": _transform(place, LAST_TWO, inverse=True)
        for place, name in enumerate(_PARTS)
    },
    **{f"rfft.{name}": _rfft(place) for place, name in enumerate(_PARTS)},
    "irfft": irfft,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    **{f"fft.{name}": _bounded(place, LAST) for place, name in enumerate(_PARTS)},
    **{f"fft2.{name}": _bounded(place, LAST_TWO) for place, name in enumerate(_PARTS)},
    **{
        f"ifft2.{name}": _bounded(place, LAST_TWO, inverse=True)
        for place, name in enumerate(_PARTS)
    },
    **{f"rfft.{name}": _bounded_rfft(place) for place, name in enumerate(_PARTS)},
    "irfft": bounded_irfft,
}


def _path(axes: Sequence[int], *, inverse: bool = False) -> Callable[..., Any]:
    """Each element of the gradient is a transform of all weights, of which some cancel."""

    def magnitudes(w: Array, x: Pair) -> Mapping[str, Any]:
        total = np.broadcast_to(np.abs(w).sum(axis=tuple(axes), keepdims=True), x[0].shape)
        divisor = np.prod([x[0].shape[axis] for axis in axes]) if inverse else 1
        return {"x": [total / divisor] * 2}

    return magnitudes


def _path_of_rfft(w: Array, x: Array, **_: Any) -> Mapping[str, Any]:
    return {"x": np.broadcast_to(np.abs(w).sum(-1, keepdims=True), x.shape)}


def _path_of_irfft(w: Array, x: Pair, **_: Any) -> Mapping[str, Any]:
    """Most numbers of the half stand for two of the whole."""
    total = 2 * np.abs(w).sum(-1, keepdims=True) / w.shape[-1]
    return {"x": [np.broadcast_to(total, part.shape) for part in x]}


PATHS: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    "fft.real": _path(LAST),
    "fft2.real": _path(LAST_TWO),
    "ifft2.real": _path(LAST_TWO, inverse=True),
    "rfft.real": _path_of_rfft,
    "irfft": _path_of_irfft,
}
