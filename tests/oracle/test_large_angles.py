"""The sine and the cosine of large numbers: an angle may be rounded once more, and nothing else."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from conformance.oracle import Expectation, expect
from conformance.oracle.compare import agrees
from conformance.specs import load

TRUE = {"sin": mpmath.sin, "cos": mpmath.cos}
UNIT = {"float32": 2.0**-24, "float64": 2.0**-53}
SIZES = [2290973.0, -442408.0, -81527544.0, 6.876721e9, 12345.0, 3e30]


def expected(function: str, x: Any, dtype: str) -> Expectation:
    accuracy = load()[function].accuracy
    assert accuracy is not None
    return expect(function, {"x": x}, dtype, accuracy)


def exact(function: str, angle: Any) -> float:
    with mpmath.workprec(400):
        return float(TRUE[function](angle))


@pytest.mark.parametrize("function", TRUE)
@pytest.mark.parametrize("dtype", UNIT)
def test_an_angle_beyond_1e4_may_be_rounded_once_more(function: str, dtype: str) -> None:
    x = np.array(SIZES, dtype)
    expectation = expected(function, x, dtype)
    for share in (-1, -0.5, 0, 0.25, 1):
        with mpmath.workprec(400):
            angles = [mpmath.mpf(float(a)) * (1 + share * mpmath.mpf(UNIT[dtype])) for a in x]
        assert agrees(np.array([exact(function, a) for a in angles], dtype), expectation).all()


@pytest.mark.parametrize("function", TRUE)
@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan, 3.5])
def test_no_angle_has_such_a_value(function: str, wrong: float) -> None:
    x = np.array(SIZES, "float32")
    got = np.full(x.shape, wrong, "float32")
    assert not agrees(got, expected(function, x, "float32")).any()


@pytest.mark.parametrize("function", TRUE)
def test_an_angle_below_may_not(function: str) -> None:
    x = np.array([9999.0, -7777.5, 3.0], "float32")
    other = [exact(function, float(a) * (1 + 2 * UNIT["float32"])) for a in x]
    right = [exact(function, float(a)) for a in x]
    assert agrees(np.array(right, "float32"), expected(function, x, "float32")).all()
    assert not agrees(np.array(other, "float32"), expected(function, x, "float32"))[:2].any()


@pytest.mark.parametrize("function", TRUE)
def test_a_rounding_of_two_units_is_too_much(function: str) -> None:
    x = np.array([12345.0, -442408.0], "float32")
    with mpmath.workprec(400):
        # where the slope is nearly 1, so that the whole rounding is seen
        turns = [mpmath.nint(mpmath.mpf(float(a)) / (2 * mpmath.pi)) for a in x]
        steep = 0 if function == "sin" else mpmath.pi / 2
        near = np.array([float(2 * mpmath.pi * n + steep) for n in turns], "float32")
        moved = [mpmath.mpf(float(a)) * (1 + 2.5 * mpmath.mpf(UNIT["float32"])) for a in near]
    got = np.array([exact(function, a) for a in moved], "float32")
    assert not agrees(got, expected(function, near, "float32")).any()
