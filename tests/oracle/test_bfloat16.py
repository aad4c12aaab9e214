"""Bounds of bfloat16: what is computed in float32 and rounded once is right, and so is what is
rounded after every step; an answer that is off by more is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from conformance.dtypes import BFLOAT16, limits, rounded, spacing
from conformance.oracle import Expectation, agrees, expect, worst
from conformance.oracle.compare import is_inaccurate
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import arithmetic
from conformance.specs import load

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # overflow is meant
Function = Callable[..., Any]


def bfloat(numbers: Any) -> Array:
    return rounded(numbers, BFLOAT16)


def ask(function: str, dtype: str = BFLOAT16, **arguments: Any) -> Expectation:
    """`expect` of bfloat16 tensors with the accuracy of the edition's spec."""
    spec = load()[f"keras.ops.{function}"]
    assert spec.accuracy is not None
    return expect(spec.oracle or spec.name, arguments, dtype, spec.accuracy, given=BFLOAT16)


def numbers(shape: tuple[int, ...], seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    return bfloat(random.normal(size=shape) * 2.0 ** random.integers(-6, 4, shape))


ELEMENTWISE: dict[str, Function] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "tanh": np.tanh,
    "sin": np.sin,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(np.float32(0), x),
    "square": np.square,
    "relu": lambda x: np.maximum(x, 0),
    "log1p": lambda x: np.log1p(np.abs(x)),
}


@pytest.mark.parametrize("function", ELEMENTWISE)
def test_computed_in_float32_and_rounded_once(function: str) -> None:
    x = numbers((300,))
    x = np.abs(x) if function == "log1p" else x
    got = bfloat(ELEMENTWISE[function](x))
    assert agrees(got, ask(function, x=x)).all()


@pytest.mark.parametrize("function", ["exp", "tanh", "sigmoid", "softplus"])
def test_an_answer_that_is_off_by_more_than_the_limit_is_wrong(function: str) -> None:
    x = numbers((40,))
    expected = ask(function, x=x)
    for index in range(0, 40, 7):
        got = bfloat(expected.value)
        step = spacing(float(got[index]), BFLOAT16)
        limit = float(expected.bound[index]) / step
        got[index] += np.float32(np.ceil(limit + 1) * step)
        assert not agrees(got, expected)[index]


def test_the_bound_counts_units_of_eight_digits() -> None:
    x = bfloat(np.array([1.0]))
    (exact,) = np.exp(x.astype(np.float64))
    error = worst(np.array([exact + 2.0**-6], np.float32), ask("exp", x=x))
    assert error.ulp == pytest.approx(1, rel=1e-3)
    assert float(mpmath.exp(1)) == exact


def in_steps(terms: Array) -> Array:
    """A sum along the first axis that is rounded after each addition."""
    total = bfloat(terms[0])
    for term in terms[1:]:
        total = bfloat(total.astype(np.float64) + term)
    return total


@pytest.mark.parametrize("length", [1, 2, 7, 40])
def test_sums_in_any_precision(length: int) -> None:
    for seed in range(20):
        x = numbers((length, 3), seed)
        expected = ask("sum", x=x, axis=0)
        assert agrees(in_steps(x), expected).all()
        assert agrees(in_steps(x[::-1]), expected).all()
        assert agrees(bfloat(x.sum(axis=0)), expected).all()
        mean = ask("mean", x=x, axis=0)
        assert agrees(bfloat(in_steps(x) / np.float64(length)), mean).all()


def test_sums_that_the_dtype_has_are_exact() -> None:
    x = bfloat(np.array([[1.0, 2.0, 3.0], [0.5, 0.5, 8.0]]))
    expected = ask("sum", x=x, axis=1)
    assert agrees(np.array([6, 9], np.float32), expected).all()
    assert not agrees(np.array([6.03125, 9], np.float32), expected).all()


def test_products_of_matrices() -> None:
    for seed in range(20):
        x, y = numbers((3, 5), seed), numbers((5, 2), seed + 100)
        products = bfloat(x[:, :, None].astype(np.float64) * y[None])
        got = in_steps(np.moveaxis(products, 1, 0))
        expected = ask("matmul", x=x, y=y)
        assert agrees(got, expected).all()
        assert agrees(bfloat(x @ y), expected).all()


def test_softmax_with_each_step_rounded() -> None:
    x = numbers((6, 5))
    powers = bfloat(np.exp(bfloat(x - x.max(axis=1, keepdims=True))))
    got = bfloat(powers / in_steps(powers.T)[:, None])
    expected = ask("softmax", x=x, axis=-1)
    assert agrees(got, expected).all()
    assert not agrees(bfloat(got + 0.25), expected).any()


def test_an_exact_answer_is_rounded_once() -> None:
    x, y = bfloat(np.array([256.0, 1.0])), bfloat(np.array([1.0, 2.0]))
    assert ask("maximum", x=x, y=y).value.tolist() == [256, 2]
    # a number of Python has the dtype of the tensor beside it
    assert ask("maximum", x=x, y=0.3).value.tolist() == [256, 1]
    assert ask("maximum", x=bfloat([0.0]), y=0.3).value.tolist() == bfloat([0.3]).tolist()
    # which an array of float32 does not say where the result is of another dtype
    assert ask("greater", "bool", x=bfloat([0.3]), y=0.3).value.tolist() == [False]


def test_the_range_is_that_of_float32() -> None:
    largest = limits(BFLOAT16).max
    expected = ask("square", x=bfloat([1.7e19, 2e19, 1e-30]))
    assert np.isfinite(expected.value).tolist() == [True, False, True]
    assert agrees(np.array([2.89e38, np.inf, 0], np.float32), expected).all()
    model = arithmetic(BFLOAT16, False)
    assert model is not None
    assert model.largest == largest
    assert float(model.overflow) == largest + spacing(largest, BFLOAT16) / 2
    assert np.isinf(bfloat(float(model.overflow)))
    assert np.isfinite(bfloat(np.nextafter(float(model.overflow), 0)))


def test_half_of_the_digits_are_four() -> None:
    x = bfloat(np.array([1.0, 2.0]))
    expected = ask("exp", x=x)
    assert is_inaccurate(expected.value * 1.05, expected, single_will_do=False)
    assert not is_inaccurate(expected.value * 1.5, expected, single_will_do=False)
