"""The wide values against mpmath with 50 digits: the error must be far below a float64 ULP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from conformance.oracle import ORACLES
from conformance.oracle.rounding import WIDE_IS_WIDER

mpmath.mp.dps = 50
TOLERANCE = 2.0**-61 if WIDE_IS_WIDER else 2.0**-50


def exact(x: Any) -> mpmath.mpf:
    """A long double without rounding."""
    mantissa, exponent = np.frexp(np.longdouble(x))
    high = np.floor(np.ldexp(mantissa, 32))
    low = np.ldexp(np.ldexp(mantissa, 32) - high, 48)
    return mpmath.ldexp(
        mpmath.mpf(int(high)) + mpmath.ldexp(mpmath.mpf(int(low)), -48), int(exponent) - 32
    )


def points(low: float, high: float, least: float = 1e-300) -> np.ndarray[Any, Any]:
    """Points spread evenly and by exponent between low and high, and their neighbours of note."""
    random = np.random.default_rng(5)
    even = random.uniform(low, high, 150)
    powers = np.exp(random.uniform(np.log(least), np.log(max(abs(low), high)), 150))
    both = np.concatenate([even, powers, -powers, [low, high, 1.0, -1.0, 0.5, 2.0, 1 + 2**-52]])
    inside = both[(both >= low) & (both <= high) & (both != 0)]
    wide: np.ndarray[Any, Any] = inside.astype(np.longdouble)
    return wide


def sigmoid(x: mpmath.mpf) -> mpmath.mpf:
    return 1 / (1 + mpmath.exp(-x))


def softplus(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.log1p(mpmath.exp(x))


def elu(x: mpmath.mpf) -> mpmath.mpf:
    return x if x > 0 else mpmath.expm1(x)


CASES: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "exp": (mpmath.exp, -745.0, 709.7),
    "log": (mpmath.log, 5e-324, 1.7e308),
    "sqrt": (mpmath.sqrt, 0.0, 1.7e308),
    "sin": (mpmath.sin, -1e15, 1e15),
    "cos": (mpmath.cos, -1e15, 1e15),
    "tanh": (mpmath.tanh, -50.0, 50.0),
    "softplus": (softplus, -700.0, 700.0),
    "sigmoid": (sigmoid, -700.0, 700.0),
    "elu": (elu, -700.0, 700.0),
    "softsign": (lambda x: x / (1 + abs(x)), -1e300, 1e300),
    "square": (lambda x: x * x, -1e150, 1e150),
    "hard_sigmoid": (lambda x: min(max(x / 5 + mpmath.mpf(1) / 2, 0), 1), -2.4, 3.0),
}


@pytest.mark.parametrize("function", CASES)
def test_wide_value(function: str) -> None:
    truth, low, high = CASES[function]
    x = points(low, high, 1e-150 if function == "square" else 1e-300)
    for point, value in zip(x, ORACLES[function](x), strict=True):
        right = truth(exact(point))
        assert abs(exact(value) - right) <= abs(right) * TOLERANCE * 4, (point, value)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, -1, -2, 0.5, 1.5])
def test_wide_power(exponent: float) -> None:
    x = points(1e-60, 1e60, 1e-60)
    for point, value in zip(x, ORACLES["pow"](x, exponent), strict=True):
        right = exact(point) ** mpmath.mpf(exponent)
        assert abs(exact(value) - right) <= abs(right) * TOLERANCE * 4, (point, value)


def test_exact_conversion_loses_nothing() -> None:
    assert exact(np.longdouble(1) + np.finfo(np.longdouble).eps) > 1
    assert exact(np.float64(0.1)) == mpmath.mpf(0.1)
