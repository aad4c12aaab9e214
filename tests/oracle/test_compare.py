"""Comparison: special values, shapes, dtypes, and the error in ULP."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import Expectation, agrees, ulp_error, ulp_limit, worst
from conformance.oracle.compare import (
    CONDITIONED,
    EXACT,
    HALF,
    OF_NUMBERS,
    Slack,
    as_in_single,
    is_inaccurate,
    widened_by_rounding,
)
from conformance.oracle.expectation import Array


def f32(values: Any) -> Array:
    return np.array(values, np.float32)


def expectation(value: Any, bound: Any, dtype: str = "float32") -> Expectation:
    value = np.asarray(value)
    return Expectation(value, np.broadcast_to(np.float64(bound), value.shape).copy(), dtype)


def test_within_and_beyond_the_bound() -> None:
    asked = expectation([1.0, 1.0, 1.0], [0.5, 0.0, 0.25])
    assert agrees(f32([1.5, 1.0, 1.3]), asked).tolist() == [True, True, False]


def test_special_values() -> None:
    special = [np.nan, np.inf, -np.inf, np.nan, np.inf, 1.0, 1.0]
    got = f32([np.nan, np.inf, -np.inf, 1.0, 3e38, np.nan, np.inf])
    asked = expectation(special, 0)
    assert agrees(got, asked).tolist() == [True, True, True, False, False, False, False]
    assert ulp_error(got, asked).tolist() == [0, 0, 0, *[np.inf] * 4]
    assert agrees(-got[1:3], expectation(special[1:3], 0)).tolist() == [False, False]


@pytest.mark.filterwarnings("error")
def test_a_complex_number_agrees_only_if_it_is_real() -> None:
    expected = expectation([np.inf, 1.0, np.inf, 1.0], 0.0)
    got = np.array([complex(np.inf, 0), 1, complex(np.inf, 5), 1 + 2j])
    assert agrees(got, expected).tolist() == [True, True, False, False]
    assert ulp_error(got, expected).tolist() == [0.0, 0.0, np.inf, 2**24]


def test_infinity_is_near_the_largest_number_only() -> None:
    largest = float(np.finfo(np.float32).max)
    near = expectation([largest, -largest, largest / 2, largest], [2e31, 2e31, 2e31, 0])
    got = f32([np.inf, -np.inf, np.inf, np.inf])
    assert agrees(got, near).tolist() == [True, True, False, False]
    assert agrees(-got, near).tolist() == [False] * 4


def test_infinite_bound_asks_nothing() -> None:
    asked = expectation([1.0, 1.0, np.nan], np.inf)
    got = f32([np.nan, -np.inf, 3])
    assert agrees(got, asked).all()
    assert ulp_error(got, asked).tolist() == [0, 0, 0]


@pytest.mark.parametrize("got_dtype", ["bool", "uint8", "float32", "int32"])
def test_truth_values_in_any_dtype(got_dtype: str) -> None:
    asked = expectation([True, False, True], 0, "bool")
    assert agrees(np.array([1, 0, 0]).astype(got_dtype), asked).tolist() == [True, True, False]


def test_large_integers_are_not_rounded() -> None:
    asked = expectation(np.array([2**62], np.int64), 0, "int64")
    assert agrees(np.array([2**62]), asked).all()
    assert not agrees(np.array([2**62 + 1]), asked).any()
    assert ulp_error(np.array([2**62 + 1]), asked).tolist() == [1.0]


def test_rank_zero_and_empty() -> None:
    assert bool(agrees(f32(2), expectation(2.0, 0)).all())
    assert agrees(np.zeros((0, 3), np.float32), expectation(np.zeros((0, 3)), 0)).shape == (0, 3)
    assert worst(np.zeros(0, np.float32), expectation(np.zeros(0), 0)).index is None


def test_other_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        agrees(np.zeros((1, 2), np.float32), expectation([0.0, 0.0], 0))


def test_error_in_ulp() -> None:
    unit = np.float32(1)
    asked = expectation([1.0, 2.0, 0.0], [2.0**-22, 0, 2.0**-149])
    got = np.array([np.nextafter(unit, np.float32(2)), 2 + 2.0**-20, 2.0**-148], np.float32)
    assert ulp_error(got, asked).tolist() == [1.0, 4.0, 2.0]
    assert ulp_limit(asked).tolist() == [2.0, 0.0, 1.0]


def test_worst_is_the_one_that_exceeds_most() -> None:
    asked = expectation([[1.0, 2.0], [4.0, 8.0]], [[1e-3, 1e-3], [1e-6, 1.0]])
    element = worst(f32([[1.0, 2.0005], [4.0005, 8.5]]), asked)
    assert element.index == (1, 0)
    assert element.ulp > 100 * element.limit_ulp


def test_worst_prefers_an_exact_element_that_is_off() -> None:
    asked = expectation([1.0, 1.0], [0.0, 1e-6])
    assert worst(f32([1 + 2.0**-23, 1.5]), asked).index == (0,)


def test_a_rounding_more_is_half_an_ulp() -> None:
    exact = Expectation(np.array([1.0 + 2**-24]), np.array([0.0]), "float32")
    assert not agrees(np.array([1.0], "float32"), exact).any()
    assert agrees(np.array([1.0], "float32"), widened_by_rounding(exact)).all()
    assert not agrees(np.array([1.0 - 2**-24], "float32"), widened_by_rounding(exact)).any()


def test_float64_computed_in_float32() -> None:
    exact = np.array([1 / 3, -7 / 3, 1e-3])
    rounded = exact.astype(np.float32).astype(np.float64)
    beyond = np.ones(3, bool)
    for bound in (0.0, 1e-15):
        asked = expectation(exact, bound, "float64")
        assert as_in_single(rounded, asked, beyond)
        assert as_in_single(rounded + np.array([1e-7, 0, 0]), asked, beyond)
        assert not as_in_single(rounded + np.array([1e-5, 0, 0]), asked, beyond)
    assert not as_in_single(rounded, expectation(exact, 0.0), beyond)


INACCURATE = [
    # dtype, bound, error, whether it is inaccurate rather than wrong
    ("float32", 1e-6, 1e-4, True),
    ("float32", 1e-6, 1e-2, False),
    ("float32", 0.0, 1e-6, False),
    ("float64", 1e-15, 1e-9, True),
    ("float64", 1e-15, 2e-7, True),
    ("float64", 1e-15, 1e-5, False),
    ("float64", 0.0, 2e-7, True),
    ("float64", 0.0, 1e-6, False),
]


@pytest.mark.parametrize(("dtype", "bound", "error", "expected"), INACCURATE)
def test_inaccurate_or_wrong(dtype: str, bound: float, error: float, expected: bool) -> None:
    asked = expectation([1.0, 0.5], bound, dtype)
    got = np.array([1.0 + error, 0.5])
    assert is_inaccurate(got, asked, single_will_do=True) is expected


def test_one_wrong_element_is_not_inaccurate() -> None:
    asked = expectation([1.0, 0.5, np.nan], 1e-6)
    assert is_inaccurate(f32([1.0001, 0.5, np.nan]), asked, single_will_do=True)
    assert not is_inaccurate(f32([1.0001, 0.6, np.nan]), asked, single_will_do=True)
    assert not is_inaccurate(f32([1.0001, 0.5, 1.0]), asked, single_will_do=True)


def test_integers_are_wrong_never_inaccurate() -> None:
    asked = expectation(np.array([2, 3]), 0, "int64")
    assert not is_inaccurate(np.array([2, 4]), asked, single_will_do=True)


@pytest.mark.parametrize("bound", [0.0, 1e-15])
def test_float64_that_a_document_names_is_not_as_good_in_float32(bound: float) -> None:
    asked = expectation([1.0, 0.5], bound, "float64")
    got = np.array([1.0 + 2e-7, 0.5])
    assert is_inaccurate(got, asked, single_will_do=True)
    assert not is_inaccurate(got, asked, single_will_do=False)


def test_half_of_the_digits_of_float64_are_inaccurate_in_any_case() -> None:
    asked = expectation([1.0, 0.5], 1e-15, "float64")
    assert is_inaccurate(np.array([1.0 + 1e-9, 0.5]), asked, single_will_do=False)


@pytest.mark.parametrize(
    ("got", "dtype", "expected"),
    [
        ([-0.99999994, 1.0, 0.0], "float32", True),
        ([-1.0, 1.0000001, 0.0], "float32", True),
        ([-0.999999, 1.0, 0.0], "float32", False),
        ([-1.0, 1.0, 1e-9], "float32", False),
        ([-0.99999999999999989, 1.0, 0.0], "float64", True),
        ([-0.99999994, 1.0, 0.0], "float64", False),
    ],
)
def test_an_exact_result_may_have_been_rounded(
    got: list[float], dtype: str, expected: bool
) -> None:
    asked = expectation([-1.0, 1.0, 0.0], 0, dtype)
    assert is_inaccurate(np.array(got, dtype), asked, single_will_do=False) is expected


@pytest.mark.parametrize(
    ("slack", "dtype", "bound", "error", "expected"),
    [
        (HALF, "float32", 1e-6, 3e-4, True),
        (OF_NUMBERS, "float32", 1e-7, 1e-5, True),
        (OF_NUMBERS, "float32", 1e-7, 1e-4, False),
        (OF_NUMBERS, "float32", 1e-6, 1e-4, True),
        (CONDITIONED, "float32", 1e-7, 1e-4, True),
        (CONDITIONED, "float32", 1e-8, 1e-4, False),
        (EXACT, "float32", 1e-38, 1e-5, False),
        (EXACT, "float32", 1e-38, 2e-7, True),
        (OF_NUMBERS, "float64", 1e-15, 1e-9, True),
        (OF_NUMBERS, "float16", 1e-3, 2e-2, True),
    ],
)
def test_how_much_more_than_its_bound_a_result_may_be_off(
    slack: Slack, dtype: str, bound: float, error: float, expected: bool
) -> None:
    asked = expectation([1.0, 0.5], bound, dtype)
    got = np.array([1.0 + error, 0.5])
    assert is_inaccurate(got, asked, single_will_do=False, slack=slack) is expected


def test_another_subnormal_number_is_no_matter_of_digits() -> None:
    asked = expectation([1e-39, 0.5], 1e-39)
    got = np.array([-1e-38, 0.5])
    assert is_inaccurate(got, asked, single_will_do=True)
    assert not is_inaccurate(got, asked, single_will_do=True, slack=EXACT)


def test_a_finite_number_in_place_of_infinity_is_no_matter_of_digits() -> None:
    expectation = Expectation(np.array([np.inf]), np.zeros(1), "float32")
    assert not is_inaccurate(np.array([6e4], "float32"), expectation, single_will_do=True)
