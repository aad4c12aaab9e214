"""Values against SciPy and NumPy in float64, and dtypes and shapes against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

from tests.bounds import assert_right, assert_same
from tests.oracle.support import allowed, ask, draws

AXES = (None, 0, 1, -1, (0, 2), [1, 2])


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(
    ("function", "numpy"),
    [
        ("sum", np.sum), ("mean", np.mean), ("prod", np.prod), ("var", np.var), ("std", np.std),
        ("max", np.max), ("min", np.min), ("logsumexp", scipy.special.logsumexp),
    ],
)  # fmt: skip
def test_reductions(function: str, numpy: Any, axis: Any, keepdims: bool) -> None:
    for x in draws("float64", (2, 3, 4), 10):
        where = tuple(axis) if isinstance(axis, list) else axis
        right = numpy(x, axis=where, keepdims=keepdims)
        expectation = ask(function, x=x, axis=axis, keepdims=keepdims)
        assert expectation.bound.shape == np.shape(right)
        assert_right(right, expectation)


@pytest.mark.parametrize("function", ["cumsum", "cumprod"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans(function: str, axis: int) -> None:
    for x in draws("float64", (2, 3, 4), 10):
        right = getattr(np, function)(x, axis=axis)
        assert_right(right, ask(function, x=x, axis=axis))


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax(axis: int) -> None:
    for x in draws("float64", (3, 4), 20):
        assert_right(scipy.special.softmax(x, axis=axis), ask("softmax", x=x, axis=axis))


def test_sigmoid() -> None:
    for x in draws("float64", (30,), 20):
        assert_right(scipy.special.expit(x), ask("sigmoid", x=x))


def test_softplus() -> None:
    for x in draws("float64", (30,), 20):
        assert_right(-scipy.special.log_expit(-x), ask("softplus", x=x))


@pytest.mark.parametrize("function", ["any", "all"])
@pytest.mark.parametrize("axis", AXES)
def test_truth(function: str, axis: Any) -> None:
    x = np.array([[[0, 1], [0, 0]], [[1, 1], [1, 0]], [[0, 0], [0, 0]]], np.float32)
    where = tuple(axis) if isinstance(axis, list) else axis
    right = getattr(np, function)(x, axis=where)
    for dtype in ("bool", "uint8"):
        expectation = ask(function, dtype, x=x, axis=axis)
        assert np.array_equal(expectation.value, right)
        assert allowed(function, right.astype(dtype), dtype=dtype, x=x, axis=axis)
        assert not allowed(function, (~right).astype(dtype), dtype=dtype, x=x, axis=axis)


def test_first_index_on_ties() -> None:
    x = np.array([[1, 3, 3], [2, 2, 1]], np.float32)
    assert ask("argmax", "int64", x=x).value.tolist() == [1, 0]
    assert ask("argmin", "int64", x=x, axis=0).value.tolist() == [0, 1, 1]
    assert not allowed("argmax", np.array([2, 0]), dtype="int64", x=x)


@pytest.mark.parametrize("function", ["mean", "var", "std"])
def test_means_of_truth_values(function: str) -> None:
    x = np.array([True, False, True])
    expectation = ask(function, "float32", x=x)
    # a difference, its square, n - 1 sums, a quotient, a root
    assert_same(expectation.value, getattr(np, function)(x), roundings=len(x) + 4)


@pytest.mark.parametrize("function", ["sum", "prod", "max", "cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers_are_exact(function: str, dtype: str) -> None:
    x = np.array([[3, -4, 5], [7, 11, 2]], dtype)
    expectation = ask(function, x=x, axis=1)
    assert expectation.value.dtype == np.int64
    assert np.array_equal(expectation.value, getattr(np, function)(x, axis=1))
    assert not expectation.bound.any()


@pytest.mark.parametrize(
    "function", ["equal", "not_equal", "greater", "greater_equal", "less", "less_equal"]
)
def test_comparisons(function: str) -> None:
    x = np.array([1, 2, np.nan, np.inf, -0.0], np.float32)
    y = np.array([2, 2, np.nan, np.inf, 0.0], np.float32)
    expectation = ask(function, "bool", x=x, y=y)
    assert np.array_equal(expectation.value, getattr(np, function)(x, y))
    assert not expectation.bound.any()


def test_comparison_with_a_number_is_in_the_dtype() -> None:
    x = np.array([0.1], np.float32)
    assert ask("equal", "bool", x=x, y=0.1).value.tolist() == [True]
