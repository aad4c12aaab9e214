"""Two limits accept exactly the numbers that the engine accepts."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.dtypes import held_in, rounded
from conformance.oracle import Expectation, agrees
from conformance.vectors.limits import Array, _number, _place, limits

RNG = np.random.default_rng()

FLOATS = ("float16", "bfloat16", "float32", "float64")
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-46, 3e38, -3e38, 65504.0, 1e39)


def expectations(dtype: str) -> Expectation:
    """Numbers of every size with bounds from nothing to more than the number, and special ones."""
    with np.errstate(over="ignore"):
        value = RNG.standard_normal(400) * 10.0 ** RNG.integers(-9, 9, 400)
        value = np.concatenate([rounded(value, dtype).astype(np.float64), value, SPECIAL])
    scale = np.where(np.isfinite(value) & (value != 0), np.abs(value), 1)
    size = RNG.choice([0, 1e-16, 1e-7, 1e-3, 0.5, 1, 2, np.inf], value.size)
    return Expectation(value, scale * size, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_limits_are_the_last_numbers_that_are_accepted(dtype: str) -> None:
    expected = expectations(dtype)
    lower, upper = limits(expected)
    assert lower.dtype == upper.dtype == held_in(dtype)
    nothing, everything = lower > upper, (lower == -np.inf) & (upper == np.inf)
    assert np.array_equal(everything, np.isposinf(expected.bound))
    for limit, step in ((lower, -1), (upper, 1)):
        assert (agrees(limit, expected) | nothing).all()
        finite = np.isfinite(limit)
        beyond = np.where(finite, _number(_place(limit, dtype) + step, dtype), limit)
        assert (~agrees(beyond, expected) | ~finite | nothing).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_an_answer_is_within_the_limits_if_the_engine_accepts_it(dtype: str) -> None:
    expected = expectations(dtype)
    lower, upper = limits(expected)
    for factor in (1, 1 + 2.0**-50, 1 + 2.0**-23, 1 + 2.0**-10, 1.5, -1, np.nan, np.inf):
        with np.errstate(over="ignore", invalid="ignore"):
            got = rounded(expected.value * factor, dtype)
        assert np.array_equal(within(got, lower, upper), agrees(got, expected)), factor


def within(got: Array, lower: Array, upper: Array) -> Array:
    """The rule of docs/vectors.md."""
    either = np.isnan(got) & np.isnan(lower)
    anything = (lower == -np.inf) & (upper == np.inf)
    return np.asarray(either | anything | ((lower <= got) & (got <= upper)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_places_are_in_the_order_of_the_numbers(dtype: str) -> None:
    numbers = np.unique(expectations(dtype).value)
    with np.errstate(over="ignore"):
        held = np.unique(rounded(numbers[~np.isnan(numbers)], dtype))
    places = _place(held, dtype)
    assert (np.diff(places) > 0).all()
    assert np.array_equal(_number(places, dtype), held)


def test_neighbours_in_bfloat16_differ_in_the_last_of_eight_digits() -> None:
    unit = _place(np.array([1.0], np.float32), "bfloat16")
    assert _number(unit + 1, "bfloat16").tolist() == [1 + 2.0**-7]
    assert _number(-unit - 1, "bfloat16").tolist() == [-1 - 2.0**-7]


@pytest.mark.parametrize(
    ("dtype", "value", "bound", "expected"),
    [
        ("int32", 7, 0.0, (7, 7)),
        ("int32", 7, 1.5, (6, 8)),
        ("uint8", 254, 3.0, (251, 255)),
        ("uint8", 300, 0.0, (255, 0)),
        ("int64", 2**63 - 1, 0.0, (2**63 - 1, 2**63 - 1)),
        ("int8", 0, np.inf, (-128, 127)),
        ("bool", True, 0.0, (True, True)),
        ("bool", False, np.inf, (False, True)),
    ],
)
def test_limits_of_integers(
    dtype: str, value: int, bound: float, expected: tuple[int, int]
) -> None:
    held = np.array([value], np.bool_ if dtype == "bool" else np.int64)
    lower, upper = limits(Expectation(held, np.array([bound]), dtype))
    assert (lower.item(), upper.item()) == expected
    assert lower.dtype == dtype
