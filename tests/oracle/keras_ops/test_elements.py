"""Elements and pairs of them that Keras 3 has and K had not: against mpmath, SciPy and Python."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

from conformance.oracle import ORACLES, Expectation, expect
from conformance.specs import load
from tests.bounds import assert_right

POINTS = [-30.5, -6.25, -2.5, -1.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 1.0, 1.999, 2.001, 5.75, 9.5, 26.0]
FORMULAS = {
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "sinc": mpmath.sincpi,
    "angle": lambda x: mpmath.pi if x < 0 else mpmath.mpf(0),
    "sparse_sigmoid": lambda x: min(max((x + 1) / 2, 0), 1),
}


def _ask(name: str, dtype: str, **arguments: Any) -> Expectation:
    accuracy = load()[f"keras.ops.{name}"].accuracy
    assert accuracy is not None
    return expect(name, arguments, dtype, accuracy, flush_subnormals=False)


def _exact(formula: Any, x: float) -> float:
    with mpmath.workdps(60):
        return float(formula(mpmath.mpf(x)))


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("x", POINTS)
def test_a_formula(name: str, x: float) -> None:
    got = ORACLES[name](x=np.array([x], np.longdouble)).astype(np.float64)
    # at integers the angle of sinc is rounded, so that it is of the size of 64 bits and not 0
    expected = np.array([_exact(FORMULAS[name], x)])
    np.testing.assert_allclose(got, expected, rtol=2e-15, atol=1e-19)


def _erf_gelu(x: Any) -> Any:
    return x / 2 * mpmath.erfc(-x / mpmath.sqrt(2))


def _tanh_gelu(x: Any) -> Any:
    inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)
    return x / (1 + mpmath.exp(-2 * inner))


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize(("approximate", "formula"), [(True, _tanh_gelu), (False, _erf_gelu)])
def test_gelu(x: float, approximate: bool, formula: Any) -> None:
    got = ORACLES["gelu"](x=np.array([x], np.longdouble), approximate=approximate)
    np.testing.assert_allclose(
        got.astype(np.float64), [_exact(formula, x)], rtol=1e-13, atol=1e-300
    )


@pytest.mark.parametrize("approximate", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gelu_as_its_docstring_writes_it_is_right(approximate: bool, dtype: str) -> None:
    x = np.linspace(-12, 12, 481).astype(dtype)
    unit, half = x.dtype.type(1), x.dtype.type(0.5)
    inner = np.sqrt(x.dtype.type(2 / np.pi)) * (x + x.dtype.type(0.044715) * x**3)
    root = x.dtype.type(math.sqrt(2))
    step = np.tanh(inner) if approximate else scipy.special.erf(x / root)
    assert_right(half * x * (unit + step), _ask("gelu", dtype, x=x, approximate=approximate))


@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_an_error_function_is_that_of_scipy(name: str) -> None:
    x = np.linspace(-8, 26, 700)
    assert_right(getattr(scipy.special, name)(x), _ask(name, "float64", x=x))


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("divide_no_nan", {"x": [3.0, 1.0, 0.0], "y": [2.0, 0.0, 0.0]}, [1.5, 0.0, 0.0]),
        ("floor_divide", {"x": [7, -7, 7, -7], "y": [2, 2, -2, -2]}, [3, -4, -4, 3]),
        ("mod", {"x": [7, 5], "y": [3, 5]}, [1, 0]),
        ("fmod", {"x": [7, -7, 7], "y": [2, 2, -2]}, [1, -1, 1]),
        ("fmax", {"x": [1.0, math.nan], "y": [2.0, 3.0]}, [2.0, 3.0]),
        ("fmin", {"x": [1.0, 4.0], "y": [2.0, math.nan]}, [1.0, 4.0]),
        ("logaddexp2", {"x": [3.0], "y": [3.0]}, [4.0]),
        ("ldexp", {"x": [0.75, 1.5], "y": [1, 2]}, [1.5, 6.0]),
        ("heaviside", {"x": [-2.0, 0.0, 3.0], "y": [0.5, 0.5, 0.5]}, [0.0, 0.5, 1.0]),
        ("gcd", {"x": [12, 7], "y": [18, 21]}, [6, 7]),
        ("lcm", {"x": [2, 3, 4], "y": [5, 6, 7]}, [10, 6, 28]),
        ("bitwise_and", {"x": [12, -1], "y": [10, 6]}, [8, 6]),
        ("bitwise_or", {"x": [12, 1], "y": [10, 6]}, [14, 7]),
        ("bitwise_xor", {"x": [12, 1], "y": [10, 1]}, [6, 0]),
        ("bitwise_not", {"x": [0, 5, -1]}, [-1, -6, 0]),
        ("left_shift", {"x": [3, 1], "y": [2, 0]}, [12, 1]),
        ("right_shift", {"x": [13, 3], "y": [2, 2]}, [3, 0]),
        ("isin", {"x": [0, 1, 2, 5], "y": [0, 2]}, [True, False, True, False]),
        ("isin", {"x": [0, 1], "y": [0, 2], "invert": True}, [False, True]),
        ("isposinf", {"x": [math.inf, -math.inf, 1.0]}, [True, False, False]),
        ("isneginf", {"x": [math.inf, -math.inf, 1.0]}, [False, True, False]),
        ("isreal", {"x": [1.0, -2.0]}, [True, True]),
        ("signbit", {"x": [1.0, -2.0, 0.0]}, [False, True, False]),
        ("nan_to_num", {"x": [1.0, math.nan, math.inf], "posinf": 8.0}, [1.0, 0.0, 8.0]),
    ],
)
def test_a_case(name: str, values: dict[str, Any], expected: list[Any]) -> None:
    arguments = {k: np.array(v) if isinstance(v, list) else v for k, v in values.items()}
    np.testing.assert_array_equal(ORACLES[name](**arguments), np.array(expected))


def test_arccosh_is_that_of_mpmath() -> None:
    x = [1.0, 1.0009765625, 2.0, 700.0]
    got = ORACLES["arccosh"](x=np.array(x, np.longdouble)).astype(np.float64)
    np.testing.assert_allclose(got, [_exact(mpmath.acosh, element) for element in x], rtol=1e-15)
