"""Floats that are made of integers: NumPy's are right, those that are cut off are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees, expect
from conformance.oracle.expectation import Array, Expectation
from conformance.specs import load

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt, "exp": np.exp, "log1p": np.log1p, "sin": np.sin, "arctan": np.arctan,
    "reciprocal": lambda x: 1 / x, "mean": np.mean, "std": np.std, "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip
WHOLE = ("int32", "int64", "uint8")


def ask(name: str, dtype: str = "float32", **arguments: Any) -> Expectation:
    accuracy = load()[f"keras.ops.{name}"].accuracy
    assert accuracy is not None
    return expect(name, arguments, dtype, accuracy)


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_ones_agree_and_those_cut_off_do_not(name: str, whole: str) -> None:
    x = np.array([1, 2, 3, 5, 11], whole)
    right = np.asarray(FUNCTIONS[name](x.astype("float64")))
    expected = ask(name, x=x)
    assert agrees(right.astype("float32"), expected).all()
    assert not agrees(np.trunc(right).astype("float32"), expected).all()


@pytest.mark.parametrize("name", ["sqrt", "mean"])
def test_truth_values_are_zero_and_one(name: str) -> None:
    x = np.array([True, False, True])
    right = np.asarray(FUNCTIONS[name](x.astype("float64")), "float32")
    assert agrees(right, ask(name, x=x)).all()


def test_they_may_be_rounded_before_or_not() -> None:
    x = np.array([2**25 + 1, 2**30 + 63])
    expected = ask("sin", x=x)
    exact, rounded = np.sin(x.astype("float64")), np.sin(x.astype("float32").astype("float64"))
    assert agrees(exact.astype("float32"), expected).all()
    assert agrees(rounded.astype("float32"), expected).all()
    assert not agrees(np.array([3, 3], "float32"), expected).any()


def test_small_ones_are_exact() -> None:
    small, fraction = np.array([3, 7]), np.array([3.0, 7.0], "float32")
    np.testing.assert_array_equal(ask("sin", x=small).bound, ask("sin", x=fraction).bound)


def test_places_stay_integers() -> None:
    x: Array = np.array([[0, 2], [1, 1]])
    accuracy = load()["keras.ops.one_hot"].accuracy
    assert accuracy is not None
    result = expect("one_hot", {"indices": x, "num_classes": 3}, "float32", accuracy).value
    np.testing.assert_array_equal(result, np.eye(3)[x])
