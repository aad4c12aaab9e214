"""Complex numbers as pairs of parts in a last axis: made of them, and taken apart into them.

The parts of a number with a magnitude and an angle are products with a cosine and a sine, of which
OpenCL allows 4 units in the last place.

Source: the docstrings of `keras.ops`; that of `polar` has its formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
COSINE = 9
"""Roundings of a cosine or a sine, each unit two of them, and of a product."""


def real(x: Array) -> Array:
    """The real part of each pair.

    Shapes: x (..., 2); the result is (...).
    """
    return x[..., 0]


def imag(x: Array) -> Array:
    """The imaginary part of each pair.

    Shapes: x (..., 2); the result is (...).
    """
    return x[..., 1]


def view_as_real(x: Array) -> Array:
    """The pairs themselves.

    Shapes: x (..., 2); the result has the shape of x.
    """
    return x


def polar_real(abs_: Array, angle: Array) -> Array:
    """The real parts of numbers with these magnitudes and angles.

    Shapes: magnitudes and angles broadcast; the result has their common shape.
    """
    return np.asarray(abs_ * np.cos(angle))


def polar_imag(abs_: Array, angle: Array) -> Array:
    """The imaginary parts of numbers with these magnitudes and angles.

    Shapes: magnitudes and angles broadcast; the result has their common shape.
    """
    return np.asarray(abs_ * np.sin(angle))


def _bounded(part: Callable[[Array, Array], Array]) -> Callable[..., Bounded]:
    def bounded(model: Arithmetic, abs_: Array, angle: Array) -> Bounded:
        bound = allowance(COSINE, model) * np.abs(abs_) + 2 * model.underflow
        known = np.isfinite(abs_) & np.isfinite(angle)
        return part(abs_, angle), np.where(known, bound, np.inf)

    return bounded


ORACLES: Mapping[str, Callable[..., Array]] = {
    "real": real,
    "imag": imag,
    "view_as_real": view_as_real,
    "view_as_complex.real": real,
    "view_as_complex.imag": imag,
    "polar.real": polar_real,
    "polar.imag": polar_imag,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "polar.real": _bounded(polar_real),
    "polar.imag": _bounded(polar_imag),
}
