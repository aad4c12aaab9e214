"""The bounds are tight enough: mistakes that implementations make are outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees, expect
from conformance.oracle.rounding import arithmetic, ulp
from conformance.specs import load
from conformance.specs.model import Ulp
from tests.oracle.support import DTYPES, allowed, ask

FLOATING: dict[str, dict[str, Any]] = {
    "sum": {"axis": 1}, "mean": {"axis": 1}, "prod": {"axis": 1}, "cumsum": {"axis": 1},
    "cumprod": {"axis": 1}, "var": {"axis": 1}, "std": {"axis": 1}, "logsumexp": {"axis": 1},
    "square": {}, "abs": {}, "sqrt": {}, "exp": {}, "log": {}, "pow": {"a": 3}, "sin": {},
    "cos": {}, "clip": {"min_value": 0.25, "max_value": 2.0}, "relu": {}, "elu": {},
    "softmax": {}, "softplus": {}, "softsign": {}, "sigmoid": {}, "hard_sigmoid": {}, "tanh": {},
    "max": {"axis": 1}, "min": {"axis": 1}, "transpose": {}, "reshape": {"shape": (-1,)},
}  # fmt: skip


def positive(dtype: str, shape: tuple[int, ...] = (4, 5), count: int = 10) -> Iterator[Any]:
    """Draws between 0.3 and 2, where nothing cancels and no result is 0 or saturated."""
    random = np.random.default_rng(17)
    for _ in range(count):
        yield random.uniform(0.3, 2.0, size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FLOATING)
def test_scaled_by_one_thousandth(function: str, dtype: str) -> None:
    for x in positive(dtype):
        expectation = ask(function, x=x, **FLOATING[function])
        got = expectation.value.astype(dtype)
        assert agrees(got, expectation).all()
        assert not agrees((got * 1.001).astype(dtype), expectation).any()


@pytest.mark.parametrize("function", ["dot", "batch_dot"])
def test_scaled_inner_products(function: str) -> None:
    for x in positive("float32", (4, 4)):
        expectation = ask(function, x=x, y=x)
        assert not agrees((expectation.value * 1.001).astype("float32"), expectation).any()


@pytest.mark.parametrize("function", ["sum", "mean", "prod", "var", "std", "max", "logsumexp"])
def test_wrong_axis(function: str) -> None:
    for x in positive("float32", (4, 4)):
        other = ask(function, x=x, axis=0).value.astype("float32")
        assert not allowed(function, other, x=x, axis=1)


@pytest.mark.parametrize("function", ["cumsum", "cumprod", "softmax"])
def test_wrong_axis_kept(function: str) -> None:
    for x in positive("float32", (4, 4)):
        other = ask(function, x=x, axis=0).value.astype("float32")
        assert not allowed(function, other, x=x, axis=1)


@pytest.mark.parametrize("function", ["var", "std"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_other_degrees_of_freedom(function: str, dtype: str) -> None:
    for x in positive(dtype, (4, 20)):
        got = getattr(np, function)(x.astype(np.float64), axis=1, ddof=1).astype(dtype)
        assert not agrees(got, ask(function, x=x, axis=1)).any()


@pytest.mark.parametrize("function", ["sum", "mean", "max", "any", "logsumexp", "var", "prod"])
def test_dropped_keepdims(function: str) -> None:
    x = np.ones((2, 3), np.float32)
    expectation = ask(function, x=x, axis=1, keepdims=True)
    assert expectation.value.shape == (2, 1)
    with pytest.raises(ValueError, match=r"shape \(2,\), the expectation \(2, 1\)"):
        agrees(np.zeros((2,), np.float32), expectation)


LIMITED = [n for n, s in load().items() if isinstance(s.accuracy, Ulp) and not s.oracle]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", LIMITED)
def test_twice_the_limit(function: str, dtype: str) -> None:
    accuracy = load()[function].accuracy
    model = arithmetic(dtype, False)
    assert isinstance(accuracy, Ulp)
    assert model is not None
    extra: dict[str, dict[str, Any]] = {
        "pow": {"a": 3},
        "cast": {"dtype": dtype},
        "bias_add": {"bias": np.linspace(0.3, 2.0, 5).astype(dtype)},
    }
    for x in positive(dtype):
        expectation = expect(function, {"x": x, **extra.get(function, {})}, dtype, accuracy)
        value = expectation.value.astype(dtype)
        step = (2 * accuracy.limit * ulp(expectation.value, model)).astype(dtype)
        assert agrees(value, expectation).all()
        assert not agrees(value + step, expectation).any()


@pytest.mark.parametrize("function", ["maximum", "minimum"])
def test_swapped_extremes(function: str) -> None:
    for x in positive("float32"):
        wrong = np.minimum if function == "maximum" else np.maximum
        y = x[::-1]
        assert not agrees(wrong(x, y), ask(function, x=x, y=y))[x != y].any()


def test_exact_functions_allow_not_one_unit() -> None:
    x = np.array([1.0, -2.5, 3e-3], np.float32)
    assert allowed("abs", np.abs(x), x=x)
    for direction in (np.inf, -np.inf):
        assert not agrees(np.nextafter(np.abs(x), np.float32(direction)), ask("abs", x=x)).any()


def test_ties_rounded_up() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, -2.5], np.float32)
    assert ask("round", x=x).value.tolist() == [0, 2, 2, 0, -2]
    assert agrees(np.floor(x + 0.5), ask("round", x=x)).tolist() == [False, True, False, True, True]


def test_softmax_without_the_maximum_subtracted_overflows() -> None:
    x = np.array([100.0, 99.0, 0.0], np.float32)
    with np.errstate(all="ignore"):
        naive = np.exp(x) / np.exp(x).sum()
    assert np.isnan(naive).any()
    assert not allowed("softmax", naive, x=x)


def test_variance_from_the_mean_of_squares_cancels() -> None:
    x = np.linspace(1000, 1001, 20).astype(np.float32)
    one_pass = np.mean(np.square(x)) - np.square(np.mean(x))
    assert not allowed("var", np.float32(one_pass), x=x)


def test_exponential_minus_one_cancels() -> None:
    x = np.array([-1e-5], np.float32)
    assert not allowed("elu", np.exp(x) - 1, x=x)
    assert allowed("elu", np.expm1(x), x=x)
