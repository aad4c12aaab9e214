"""The ranges of functions hold what others' functions give, and are no wider."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

from conformance.oracle import ranges
from conformance.oracle.ranges import ANY, in_range, range_of

NUMBERS = np.concatenate(
    [
        np.array([-np.inf, np.inf, 0.0, -0.0]),
        np.linspace(-40, 40, 2001),
        np.geomspace(1e-300, 1e300, 99),
        -np.geomspace(1e-300, 1e300, 99),
    ]
)
INDEPENDENT: dict[str, Callable[[Any], Any]] = {
    "sigmoid": scipy.special.expit,
    "tanh": np.tanh,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "sign": np.sign,
    "arctan": np.arctan,
    "exp": np.exp,
    "exp2": np.exp2,
    "softplus": lambda x: np.logaddexp(0, x),
    "abs": np.abs,
    "square": np.square,
    "cosh": np.cosh,
    "sin": lambda x: np.sin(x[np.abs(x) < 50]),
    "cos": lambda x: np.cos(x[np.abs(x) < 50]),
    "softsign": lambda x: x[np.isfinite(x)] / (1 + np.abs(x[np.isfinite(x)])),
    "hard_sigmoid": lambda x: np.clip(x / 5 + 0.5, 0, 1),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "relu6": lambda x: np.clip(x, 0, 6),
    "squareplus": lambda x: (y := x[x > -1e100]) / 2 + np.sqrt(y**2 + 4) / 2,
    "softmax": lambda x: scipy.special.softmax(x[4:2005:200]),
    "sparsemax": lambda x: nearest_distribution(x[4:2005:200]),
    "angle": lambda x: np.angle(np.add.outer([-1e-9j, 1e-9j], x)),
    "arctan2": lambda x: np.arctan2(x[:, np.newaxis], x[np.isfinite(x)]),
    "hypot": lambda x: np.hypot(x, x),
    **dict.fromkeys(("var", "nanvar", "moments.variance"), lambda x: spreads(x, np.var)),
    **dict.fromkeys(("std", "nanstd"), lambda x: spreads(x, np.std)),
    "norm": lambda x: spreads(x, np.linalg.norm),
}


def spreads(x: Any, of: Callable[[Any], Any]) -> Any:
    """What a function of a vector gives of zeros, of the numbers, and of infinite ones."""
    finite = x[np.isfinite(x)]
    return np.array([of(v) for v in (np.zeros(3), finite[:2000], finite)] + [np.inf])


def nearest_distribution(x: Any) -> Any:
    """The distribution nearest to x, by bisection for the number that is taken off."""
    low, high = x.min() - 1, x.max()
    for _ in range(200):
        off = (low + high) / 2
        low, high = (off, high) if np.maximum(x - off, 0).sum() > 1 else (low, off)
    return np.maximum(x - off, 0)


def test_every_range_is_held_against_such_a_function() -> None:
    assert {*INDEPENDENT} == {*ranges._FIXED}


@pytest.mark.parametrize("function", INDEPENDENT)
def test_a_range_is_that_of_the_function(function: str) -> None:
    with np.errstate(all="ignore"):
        values = INDEPENDENT[function](NUMBERS)
    least, greatest = range_of(function, {})
    assert in_range(values, (least, greatest)).all()
    assert values.min() == pytest.approx(least, abs=0.02)
    assert values.max() == pytest.approx(greatest, abs=0.02)


def test_an_index_is_one_along_the_axis_or_of_all_elements() -> None:
    x = np.zeros((3, 5))
    assert range_of("argmax", {"x": x, "axis": 0}) == (0, 2)
    assert range_of("argmin", {"x": x}) == (0, 4)
    assert range_of("argmax", {"x": x, "axis": None}) == (0, 14)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_bound_is_missed_by_half_of_the_digits_at_most(dtype: str) -> None:
    half = math.sqrt(np.finfo(dtype).eps)
    got = np.array([1 + half / 2, -half / 2, 1 + 3 * half, -3 * half, np.nan], dtype)
    np.testing.assert_array_equal(in_range(got, (0, 1)), [True, True, False, False, True])


def test_a_function_without_a_narrower_range_gives_any_number() -> None:
    assert range_of("log", {}) == ANY
    assert in_range(np.array([-np.inf, np.nan, 1e300]), ANY).all()
