"""What Keras 3 has and K had not: values against mpmath, SciPy and the docstrings' formulas."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

from conformance.oracle import ORACLES
from tests.bounds import assert_same

POINTS = [-30.5, -3.25, -2.5, -1.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 1.0, 2.75, 3.5, 30.25]
ALPHA, SCALE = "1.6732632423543772848170429916717", "1.0507009873554804934193349852946"


def _exact(formula: Any, x: float) -> float:
    with mpmath.workdps(60):
        return float(formula(mpmath.mpf(x)))


def _relu(x: Any) -> Any:
    return x if x > 0 else mpmath.mpf(0)


FORMULAS = {
    "selu": lambda x: mpmath.mpf(SCALE) * (x if x > 0 else mpmath.mpf(ALPHA) * mpmath.expm1(x)),
    "celu": lambda x: x if x > 0 else mpmath.expm1(x),
    "leaky_relu": lambda x: x if x > 0 else x * mpmath.mpf(0.2),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "hard_silu": lambda x: x * min(max(x + 3, 0), 6) / 6,
    "log_sigmoid": lambda x: -mpmath.log(1 + mpmath.exp(-x)),
    "tanh_shrink": lambda x: x - mpmath.tanh(x),
    "soft_shrink": lambda x: mpmath.sign(x) * _relu(abs(x) - mpmath.mpf(0.5)),
    "hard_shrink": lambda x: x if abs(x) > 0.5 else mpmath.mpf(0),
    "hard_tanh": lambda x: min(max(x, -1), 1),
    "relu6": lambda x: min(max(x, 0), 6),
    "squareplus": lambda x: (x + mpmath.sqrt(x * x + 4)) / 2,
    "sparse_plus": lambda x: x if x >= 1 else _relu(x + 1) ** 2 / 4,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "expm1": mpmath.expm1,
    "arcsinh": mpmath.asinh,
    "deg2rad": lambda x: x * mpmath.pi / 180,
    "exp2": lambda x: mpmath.power(2, x),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("x", POINTS)
def test_a_formula(name: str, x: float) -> None:
    got = ORACLES[name](np.array([x], np.longdouble)).astype(np.float64)
    expected = np.array([_exact(FORMULAS[name], x)])
    # of x - tanh(x) at 1e-3 six digits cancel, in 64 bits of the significand
    error = 1e-9 if name == "tanh_shrink" else 1e-14
    np.testing.assert_allclose(got, expected, rtol=error, atol=0)


def test_log_softmax_is_that_of_scipy() -> None:
    x = np.array([[1.0, 2.0, 30.0], [-5.0, 0.0, 0.25]])
    for axis in (0, 1, -1):
        got = ORACLES["log_softmax"](x, axis)
        assert_same(got, scipy.special.log_softmax(x, axis=axis), roundings=8, size=np.abs(x).max())


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("matmul", ([[1, 2], [3, 4]], [5, 6]), [17, 39]),
        ("matmul", ([1, 2], [[5, 6], [7, 8]]), [19, 22]),
        ("matmul", ([1, 2], [3, 4]), 11),
        ("matmul", ([[[1, 2]], [[3, 4]]], [[5], [6]]), [[[17]], [[39]]]),
        ("outer", ([1, 2], [3, 4, 5]), [[3, 4, 5], [6, 8, 10]]),
        ("roll", ([1, 2, 3], 1), [3, 1, 2]),
        ("repeated", ([[1, 2]], 2), [1, 1, 2, 2]),
        ("repeated", ([[1, 2]], 2, 0), [[1, 2], [1, 2]]),
        ("flip", ([[1, 2], [3, 4]],), [[4, 3], [2, 1]]),
        ("transposed", ([[1, 2], [3, 4]],), [[1, 3], [2, 4]]),
        ("tril", ([[1, 2], [3, 4]], -1), [[0, 0], [3, 0]]),
        ("triu", ([[1, 2], [3, 4]], 1), [[0, 2], [0, 0]]),
        ("count_nonzero", ([[0, 2], [3, 4]], 0), [1, 2]),
        ("logical_xor", ([0, 1, 2], [0, 0, 3]), [False, True, False]),
        ("logical_not", ([0, 1, -2],), [True, False, False]),
        ("cumsum", ([[1, 2], [3, 4]], None), [1, 3, 6, 10]),
        ("cumprod", ([[1, 2], [3, 4]], None), [1, 2, 6, 24]),
        ("argmax", ([[1, 2], [3, 4]], None, True), [[3]]),
        ("argmin", ([[1, 2], [3, 0]], 1, True), [[0], [1]]),
    ],
)
def test_a_case(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    values = [np.array(a) if isinstance(a, list) else a for a in arguments]
    np.testing.assert_array_equal(ORACLES[name](*values), np.array(expected))
