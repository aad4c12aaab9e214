"""What is inaccurate has a limit: what loses more than four times as much as any released
implementation is wrong."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.session import CallLimits
from conformance.oracle.compare import is_inaccurate
from conformance.oracle.expectation import Expectation
from conformance.results import Aspect, Verdict
from conformance.specs import load
from conformance.specs.accuracy import (
    MARGIN,
    UNLIMITED,
    Limit,
    limit_of_accuracy,
    limits_of_accuracy,
)
from tests.engine.support import Outcome, examine, module

FAULTY = ("exp", "sigmoid", "softmax")
EPS = 2.0**-23


@cache
def outcome() -> Outcome:
    folder = Path(__file__).parent / "broken"
    return examine(module("loses_digits", folder, CallLimits(structure=20.0, draw=2.0)), FAULTY)


@pytest.mark.slow
@pytest.mark.parametrize("function", FAULTY)
def test_what_loses_more_than_any_implementation_violates(function: str) -> None:
    assert outcome().aspect(function, Aspect.VALUE).verdict is Verdict.VIOLATES


def _expected(value: float, bound: float, dtype: str = "float32") -> Expectation:
    return Expectation(np.array([value]), np.array([bound]), dtype)


@pytest.mark.parametrize(("error", "expected"), [(3 * EPS, True), (5 * EPS, False)])
def test_an_error_is_at_most_so_many_times_the_bound(error: float, expected: bool) -> None:
    got = np.array([1 + error], "float32")
    asked = _expected(1.0, EPS)
    assert is_inaccurate(got, asked, single_will_do=False)
    assert is_inaccurate(got, asked, single_will_do=False, most=Limit(MARGIN)) is expected


def test_a_factor_that_vanishes_makes_an_error_of_a_few_of_the_smallest_numbers() -> None:
    lost = np.array([0.0], "float32")
    for value, expected in ((5e-37, True), (5e-36, False)):
        asked = _expected(value, value * EPS)
        assert is_inaccurate(lost, asked, single_will_do=False, most=Limit(MARGIN)) is expected


def test_a_vanished_result_may_have_a_limit_of_its_own() -> None:
    lost, asked = np.array([0.0], "float32"), _expected(1e-11, 1e-18)
    assert not is_inaccurate(lost, asked, single_will_do=False, most=Limit(MARGIN))
    assert is_inaccurate(lost, asked, single_will_do=False, most=Limit(MARGIN, 4e-11))


ROUNDED = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24}


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("function", ["keras.ops.elu", "keras.ops.selu"])
def test_a_rounded_exponential_less_1_is_inaccurate(function: str, dtype: str) -> None:
    value, most = -2 * ROUNDED[dtype], limit_of_accuracy(function, dtype)
    asked, lost = _expected(value, 8 * ROUNDED[dtype] ** 2, dtype), np.array([1.3 * value])
    assert not is_inaccurate(lost, asked, single_will_do=False, most=Limit(MARGIN))
    assert is_inaccurate(lost, asked, single_will_do=False, most=most)
    assert not is_inaccurate(5 * lost, asked, single_will_do=False, most=most)


def test_a_hyperbolic_sine_of_exponentials_is_inaccurate() -> None:
    """XLA computes exp(x + log(0.5)): the sum is rounded, and 1.4e-6 of the result is lost."""
    right, got = 1.415376651637347e23, 1.4153786808110428e23
    asked = _expected(right, 4 * right * ROUNDED["float32"])
    most = limit_of_accuracy("keras.ops.sinh", "float32")
    assert not is_inaccurate(np.array([got]), asked, single_will_do=False, most=Limit(MARGIN))
    assert is_inaccurate(np.array([got]), asked, single_will_do=False, most=most)
    wrong = np.array([right * (1 + 1e-5)])
    assert not is_inaccurate(wrong, asked, single_will_do=False, most=most)


@pytest.mark.parametrize(("lost", "expected"), [(4.3e-8, True), (4.3e-7, False)])
def test_an_inverse_error_function_loses_what_x_beside_1_loses(lost: float, expected: bool) -> None:
    right = 0.00040426603562584962
    asked, got = _expected(right, 13.8 * 2.0**-35), np.array([right + lost])
    most = limit_of_accuracy("keras.ops.erfinv", "float32")
    assert is_inaccurate(got, asked, single_will_do=False, most=most) is expected


def test_no_element_is_held_against_more_than_the_dtype_holds() -> None:
    huge = Expectation(np.array([1e60, -3e36]), np.array([1e54, 1e30]), "float32")
    got = np.array([np.inf, 3e-30], "float32")
    assert not is_inaccurate(got, huge, single_will_do=False)


def test_every_entry_names_a_function() -> None:
    specs = load()
    assert all(function in specs for function, _ in limits_of_accuracy())


def test_float64_has_no_limit() -> None:
    assert limit_of_accuracy("softmax", "float64") is UNLIMITED
    assert limit_of_accuracy("softmax", "float32") == Limit(MARGIN)
    assert limit_of_accuracy("sigmoid", "float32") == Limit(MARGIN, 4e-11)
