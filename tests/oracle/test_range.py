"""The ends of the range: overflow, subnormals, special values and empty arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees
from tests.oracle.support import DTYPES, SUMS, allowed, ask

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # overflow is meant

LEAST = float(np.finfo(np.float32).smallest_normal)


@pytest.mark.parametrize("dtype", DTYPES)
def test_certain_overflow(dtype: str) -> None:
    largest = np.finfo(dtype).max
    x = np.array([largest, -largest, 2], dtype)
    for function, right in (("square", [np.inf, np.inf, 4]), ("pow", [np.inf, -np.inf, 8])):
        extra: dict[str, Any] = {"a": 3} if function == "pow" else {}
        expectation = ask(function, x=x, **extra)
        assert expectation.value.tolist() == right
        assert agrees(np.array(right, dtype), expectation).all()
        assert not agrees(np.array([largest, -largest, np.inf], dtype), expectation).any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_either_side_of_the_overflow_threshold(dtype: str) -> None:
    largest = np.finfo(dtype).max
    x = np.log(np.array([largest], np.longdouble)).astype(dtype)
    x = np.nextafter(x, np.dtype(dtype).type(0)) if np.isinf(np.exp(x)).any() else x
    assert allowed("exp", np.exp(x), x=x)
    assert not allowed("exp", np.array([-np.inf], dtype), x=x)
    assert not allowed("exp", np.array([np.nan], dtype), x=x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_last_binade_may_overflow_early(dtype: str) -> None:
    largest = np.finfo(dtype).max
    inside = np.log(np.array([largest * 0.75], np.longdouble)).astype(dtype)
    below = np.log(np.array([largest * 0.375], np.longdouble)).astype(dtype)
    infinite = np.array([np.inf], dtype)
    assert allowed("exp", infinite, x=inside)
    assert not allowed("exp", infinite, x=below)
    assert not allowed("exp", np.array([largest / 4], dtype), x=inside)


def test_a_result_at_the_largest_number_may_be_infinite() -> None:
    x = np.sqrt(np.array([np.finfo(np.float32).max], np.float32))
    bound = ask("pow", x=x, a=2)
    assert agrees(np.array([np.inf], np.float32), bound).all()
    assert agrees(np.array([np.finfo(np.float32).max], np.float32), bound).all()


def test_sums_of_one_sign_overflow_in_every_order() -> None:
    x = np.full(4, 2e38, np.float32)
    assert ask("sum", x=x).value == np.inf
    assert not allowed("sum", np.float32(3e38), x=x)


def test_sums_that_overflow_in_some_order_are_free() -> None:
    x = np.array([3e38, -3e38, 3e38, 3e38, -3e38, -1e38], np.float32)
    for add in SUMS.values():
        assert allowed("sum", add(x), x=x)
        assert allowed("mean", add(x) / np.float32(6), x=x)
    tame = x / 8
    assert not allowed("sum", np.float32(np.nan), x=tame)
    assert not allowed("sum", np.float32(np.inf), x=tame)


def test_products_that_overflow_meet_an_opposite_infinity() -> None:
    x = np.array([[-1.3e34, 5.1e33]], np.float32)
    y = np.array([[4.4e11], [1.4e27]], np.float32)
    assert allowed("dot", x @ y, x=x, y=y)
    assert allowed("dot", np.array([[np.inf]], np.float32), x=x, y=y)
    same_sign = np.abs(x)
    assert ask("dot", x=same_sign, y=y).value.tolist() == [[np.inf]]
    assert not allowed("dot", np.array([[np.nan]], np.float32), x=same_sign, y=y)


def test_underflow_times_infinity() -> None:
    x = np.array([1e-30, 1e-30, np.inf], np.float32)
    assert allowed("prod", np.float32(np.nan), x=x)
    assert allowed("prod", np.float32(np.inf), x=x)
    assert not allowed("prod", np.float32(np.nan), x=x[1:])


def test_variance_whose_squares_overflow() -> None:
    x = np.array([-3e30, 3e30], np.float32)
    assert ask("var", x=x).value == np.inf
    assert not allowed("var", np.float32(0), x=x)
    assert allowed("std", np.float32(np.inf), x=x)
    assert allowed("std", np.float32(3e30), x=x)


@pytest.mark.parametrize("function", ["sum", "mean", "prod", "max", "min", "var", "std"])
def test_special_values_are_asked_for(function: str) -> None:
    for special in ([1, np.inf, 2], [1, np.nan, 2], [np.inf, -np.inf, 1], [-np.inf, 1, 2]):
        x = np.array(special, np.float32)
        right = getattr(np, function)(x)
        expectation = ask(function, x=x)
        assert agrees(np.array(right, np.float32), expectation).all()
        assert not agrees(np.array(1.5, np.float32), expectation).any()


def test_special_values_of_elementwise_functions() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -1.0], np.float32)
    for function in ("sqrt", "log", "exp", "sin", "sign", "tanh", "abs", "round", "square"):
        assert allowed(function, getattr(np, function)(x), x=x), function
    y = x[::-1].copy()
    assert allowed("maximum", np.maximum(x, y), x=x, y=y)
    assert not allowed("maximum", np.fmax(x, y), x=x, y=y)
    assert ask("sigmoid", x=x).value[1:3].tolist() == [1, 0]
    assert ask("softplus", x=x).value[1:3].tolist() == [np.inf, 0]
    assert ask("relu", x=x).value[1:].tolist() == [np.inf, 0, 0, 0]
    assert ask("logsumexp", x=x[1:3]).value == np.inf


def test_infinite_factors() -> None:
    x, y = np.array([[np.inf, 1]], np.float32), np.array([[0], [1]], np.float32)
    assert np.isnan(ask("dot", x=x, y=y).value).all()
    assert ask("dot", x=x, y=y + 1).value.tolist() == [[np.inf]]


@pytest.mark.parametrize("function", ["exp", "square", "sigmoid", "softplus"])
def test_subnormal_results(function: str) -> None:
    x = np.array([{"square": 3e-20}.get(function, -95.0)], np.float32)
    value = ask(function, x=x).value
    assert 0 < value < LEAST
    zero = np.zeros(1, np.float32)
    assert allowed(function, zero, flush=True, x=x)
    assert not allowed(function, zero, flush=False, x=x)
    assert not allowed(function, np.array([3 * LEAST], np.float32), flush=True, x=x)


def test_subnormal_inputs() -> None:
    x = np.array([1e-40, 1.0], np.float32)
    read_as_zero = np.array([0, 1], np.float32)
    for function, got in (
        ("abs", read_as_zero), ("sign", read_as_zero), ("sum", np.float32(1)),
        ("relu", read_as_zero),
        ("log", np.log(read_as_zero)), ("cumsum", np.cumsum(read_as_zero)), ("reverse", [1, 0]),
    ):  # fmt: skip
        extra: dict[str, Any] = {"axes": 0} if function == "reverse" else {}
        assert allowed(function, got, flush=True, x=x, **extra), function
    assert not allowed("abs", read_as_zero, flush=False, x=x)
    assert not allowed("sign", read_as_zero, flush=False, x=x)


def test_subnormal_factor_times_a_large_one() -> None:
    x, y = np.array([[1e-39, 1]], np.float32), np.array([[1e30], [1e-20]], np.float32)
    assert allowed("dot", np.array([[1e-20]], np.float32), flush=True, x=x, y=y)
    assert not allowed("dot", np.array([[1e-20]], np.float32), flush=False, x=x, y=y)


def test_subnormal_comparison() -> None:
    x, y = np.array([1e-40, 1.0], np.float32), np.array([0.0, 2.0], np.float32)
    read_as_zero = ask("equal", "bool", flush=True, x=x, y=y)
    assert agrees(np.array([True, False]), read_as_zero).tolist() == [True, True]
    assert agrees(np.array([True, True]), read_as_zero).tolist() == [True, False]
    assert agrees(np.array([True, False]), ask("equal", "bool", x=x, y=y)).tolist() == [False, True]


def test_bounds_of_normal_numbers_are_the_same_with_flushing() -> None:
    x = np.array([0.5, -1.25, 3.0], np.float32)
    for function in ("exp", "tanh", "softmax", "sigmoid", "abs"):
        exact, flushing = ask(function, x=x), ask(function, flush=True, x=x)
        assert np.array_equal(exact.bound, flushing.bound)


@pytest.mark.parametrize("function", ["sum", "prod", "mean", "var", "logsumexp", "exp", "softplus"])
def test_empty(function: str) -> None:
    x = np.zeros((0, 3), np.float32)
    extra: dict[str, Any] = {"axis": 0} if function not in ("exp", "softplus") else {}
    right = {"sum": 0, "prod": 1, "mean": np.nan, "var": np.nan}
    if function == "logsumexp":
        with pytest.raises(ValueError, match="zero-size"):
            ask(function, x=x, **extra)
        return
    expectation = ask(function, x=x, **extra)
    assert expectation.value.shape == ((3,) if extra else (0, 3))
    if extra:
        assert agrees(np.full(3, right[function], np.float32), expectation).all()


def test_variance_of_equal_elements_may_be_zero_or_tiny() -> None:
    x = np.full(7, 0.1, np.float32)
    assert allowed("std", np.float32(0), x=x)
    assert not allowed("std", np.float32(1e-3), x=x)


def test_subnormals_that_compare_as_zeros_may_all_be_the_largest() -> None:
    x, y = np.array([-1e-39], np.float32), np.array([6e-39], np.float32)
    for other in (x, np.zeros_like(x)):
        assert allowed("maximum", other, flush=True, x=x, y=y)
        assert not allowed("maximum", other, flush=False, x=x, y=y)
    assert not allowed("maximum", np.array([-2e-38], np.float32), flush=True, x=x, y=y)
    assert allowed("maximum", x, flush=True, x=x, y=np.zeros_like(x))
