"""Discrete Fourier transforms by their definition, and how far any way to compute them may stray.

By the definition each number is a sum of n products, each of a factor that is rounded itself: it is
off by at most gamma(n + c) of the sum of the magnitudes (N. J. Higham, Accuracy and Stability of
Numerical Algorithms, 2002, section 3.1). Fast transforms are off by the logarithm of n in place
of n (theorem 24.2); those of other lengths than powers of two are three fast ones, of up to four
times the length, between products. `STEPS` and `MORE` cover both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.rational import gamma

STEPS = 4
"""Roundings for each term: those of a product of complex numbers, and that of their sum."""
MORE = 64
"""Roundings of the factors, of a division by the length, and of the longer transforms."""
PI = np.longdouble("3.14159265358979323846264338327950288")

Pair = tuple[Array, Array]
"""The real and the imaginary parts."""


def factors(n: int, *, inverse: bool = False) -> Pair:
    """The cosines and sines by which the elements are multiplied, a row for each result."""
    turns = np.outer(np.arange(n), np.arange(n)) % max(n, 1)
    angles = 2 * PI * turns.astype("longdouble") / max(n, 1)
    return np.cos(angles), np.sin(angles) * (1 if inverse else -1)


def transformed(x: Pair, axis: int = -1, *, inverse: bool = False) -> Pair:
    """The transform along one axis."""
    real, imag = (np.moveaxis(part.astype("longdouble"), axis, -1) for part in x)
    n = real.shape[-1]
    c, s = factors(n, inverse=inverse)
    found = real @ c - imag @ s, real @ s + imag @ c
    parts = (np.moveaxis(part, -1, axis) for part in found)
    first, second = (part / n if inverse else part for part in parts)
    return first, second


def bound(x: Pair, axes: Sequence[int], dtype: str, *, inverse: bool = False) -> Array:
    """How far an element of the transform along these axes may be off."""
    size = np.abs(x[0]).astype("longdouble") + np.abs(x[1])
    total = np.broadcast_to(np.sum(size, axis=tuple(axes), keepdims=True), size.shape)
    lengths = [size.shape[axis] for axis in axes]
    lost = gamma(STEPS * sum(lengths) + MORE * len(lengths), dtype) * total
    lost /= np.prod(lengths) if inverse else 1
    return np.asarray(lost, "float64")


def expected(
    x: Pair, axes: Sequence[int], dtype: str, *, inverse: bool = False
) -> tuple[Expectation, Expectation]:
    """The real and imaginary parts of the transform along these axes."""
    found = x
    for axis in axes:
        found = transformed(found, axis, inverse=inverse)
    room = bound(x, axes, dtype, inverse=inverse)
    real, imag = (Expectation(np.asarray(part, "float64"), room, dtype) for part in found)
    return real, imag
