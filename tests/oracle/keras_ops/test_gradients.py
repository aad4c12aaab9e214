"""Gradients of functions that Keras 3 has: right ones are inside, by whatever formula, wrong ones
are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from conformance.oracle.expectation import Array
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.oracle.gradients import slopes
from conformance.oracle.keras_ops.gradient_paths import PATHS
from conformance.specs import load
from tests.oracle.test_against_mpmath import exact

X = ("x", None)
POINTS = np.array(
    [-19.3, -9.9, -4.1, -2.7, -0.8, -0.05, -2e-6, 3e-9, 2e-4, 0.3, 1.1, 2.9, 7.5, 18.0], "float32"
)
SELU = (np.float32(1.0507009873554805), np.float32(1.7580993408473766))
ONE = np.float32(1)
HALF = np.float32(0.5)
PI = np.float32(np.pi)
ROOT_OF_TWO_OVER_PI = np.float32(np.sqrt(2 / np.pi))


def sigmoid(x: Array) -> Array:
    return np.asarray(ONE / (ONE + np.exp(-x)))


def inner(x: Array) -> Array:
    return np.asarray(np.tanh(ROOT_OF_TWO_OVER_PI * (x + np.float32(0.044715) * x**3)))


def of_gelu(x: Array) -> Array:
    slope = ROOT_OF_TWO_OVER_PI * (ONE + np.float32(3 * 0.044715) * x * x)
    return np.asarray(HALF * (ONE + inner(x)) + HALF * x * (ONE - inner(x) ** 2) * slope)


def of_log_softmax(x: Array) -> Array:
    powers = np.exp(x - x.max())
    return np.asarray(ONE - powers / powers.sum() * np.float32(x.size))


def below(x: Array) -> Array:
    return np.asarray(np.expm1(np.minimum(x, 0)))


DERIVATIVES: dict[str, Callable[[Array], Array]] = {
    "expm1": lambda x: np.expm1(x) + ONE,
    "tanh_shrink": lambda x: ONE - (ONE - np.tanh(x) ** 2),
    "log_sigmoid": lambda x: ONE - sigmoid(x),
    "silu": lambda x: sigmoid(x) + x * sigmoid(x) * (ONE - sigmoid(x)),
    "hard_silu": lambda x: (
        np.clip(x + 3, 0, 6) / np.float32(6) + np.where(abs(x) < 3, x / np.float32(6), 0)
    ),
    "gelu": of_gelu,
    "celu": lambda x: np.where(x > 0, ONE, below(x) + ONE),
    "selu": lambda x: np.where(x > 0, SELU[0], SELU[1] * below(x) + SELU[1]),
    "squareplus": lambda x: HALF + x / (2 * np.sqrt(x * x + np.float32(4))),
    "log_softmax": of_log_softmax,
    "sinc": lambda x: np.cos(PI * x) / x - np.sin(PI * x) / (PI * x * x),
}
"""By formulas of which terms cancel, in float32."""


def gradient_of(name: str, x: Array) -> WeightedGradient:
    spec = load()[f"keras.ops.{name}"]
    assert spec.accuracy is not None
    return WeightedGradient(spec.oracle or name, {"x": x}, np.ones_like(x), spec.accuracy)


def test_there_is_one_of_each() -> None:
    assert {*DERIVATIVES, "average"} == {*PATHS}


def test_the_gradient_of_an_average_by_its_weights() -> None:
    """Of one element it is the difference of two equal terms, which need not be 0 when computed."""
    x, weights = np.array([3.7], "float32"), np.array([0.3], "float32")
    accuracy = load()["keras.ops.average"].accuracy
    assert accuracy is not None
    arguments = {"x": x, "weights": weights}
    gradient = WeightedGradient("average", arguments, np.ones((), "float32"), accuracy)
    place = ("weights", None)
    got = x / weights - x * weights / (weights * weights)
    assert not gradient.outside(place, got).any()
    assert not gradient.outside(place, np.array([1e-6], "float32")).any()
    assert gradient.outside(place, np.array([1e-4], "float32")).all()


def test_the_gradient_of_an_average_by_a_weight_of_each_place() -> None:
    x = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], "float32")
    weights = np.array([1.0, 3.0], "float32")
    accuracy = load()["keras.ops.average"].accuracy
    assert accuracy is not None
    arguments = {"x": x, "axis": 0, "weights": weights}
    gradient = WeightedGradient("average", arguments, np.ones(3, "float32"), accuracy)
    expected = ((x - np.average(x, 0, weights)) / weights.sum()).sum(1)
    assert not gradient.outside(("weights", None), expected).any()
    assert gradient.outside(("weights", None), expected * np.float32(1.001)).all()


def points(name: str) -> Array:
    """Few enough that all are looked at. The series of sinc is another formula near 0."""
    return POINTS[abs(POINTS) > 0.01] if name == "sinc" else POINTS


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_right_gradient_is_inside_though_its_terms_cancel(name: str) -> None:
    x = points(name)
    got = DERIVATIVES[name](x)
    assert got.dtype == np.float32
    assert not gradient_of(name, x).outside(X, got).any()


@pytest.mark.parametrize("factor", [1 + 1e-4, 0.5, -1.0])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_wrong_gradient_is_outside(name: str, factor: float) -> None:
    x = points(name)
    got = (DERIVATIVES[name](x) * factor).astype("float32")
    assert gradient_of(name, x).outside(X, got)[np.argmax(np.abs(got))]


TAILS: dict[str, tuple[Callable[[mpmath.mpf], mpmath.mpf], list[float]]] = {
    "erf": (mpmath.erf, [-25.0, -9.0, -6.6, 6.6, 11.0]),
    "erfc": (mpmath.erfc, [-25.0, -10.7, -7.0, 3.0, 11.0]),
}


@pytest.mark.parametrize("name", TAILS)
def test_a_slope_that_is_lost_beside_the_value_is_within_the_error(name: str) -> None:
    function, numbers = TAILS[name]
    x = np.array(numbers)
    (slope,) = slopes(name, {"x": x}, np.ones(x.shape)).values()
    for i, point in enumerate(x):
        right = mpmath.diff(function, exact(point))
        assert abs(exact(slope.value[i]) - right) <= slope.error[i] + 2.0**-52 * abs(right)
        assert slope.error[i] < 1e-12


def test_a_slope_that_is_lost_in_a_sum_is_within_the_error() -> None:
    x = np.array([-25.0, 20.0, 20.5])
    (slope,) = slopes("logsumexp", {"x": x}, np.ones(())).values()
    right = np.exp(x - 20.5) / np.exp(x - 20.5).sum()
    assert (np.abs(slope.value - right) <= slope.error + 1e-15 * right).all()


def test_what_an_element_has_nothing_to_do_with_adds_no_error() -> None:
    x = np.array([3e8, 1.0])
    (slope,) = slopes("square", {"x": x}, np.ones(2)).values()
    assert slope.error[1] < 1e-12


NEAR_ONE: dict[str, tuple[str, dict[str, Any], Array, int]] = {
    "logsumexp": ("x", {}, np.ones(()), 1),
    "log_softmax": ("x", {}, np.array([[0.0, 1.0]]), -1),
    "categorical_crossentropy": (
        "output", {"target": np.array([[0.0, 1.0]]), "from_logits": True}, np.ones(1), 1
    ),
}  # fmt: skip
"""The parameter of logits, the other arguments, weights, and the sign of the slope by the first
of two logits."""


@pytest.mark.parametrize("top", [0.0, -6.103515625e-10, 30.0])
@pytest.mark.parametrize("name", NEAR_ONE)
def test_a_slope_that_is_lost_in_a_sum_near_one_is_within_the_error(name: str, top: float) -> None:
    parameter, others, weights, sign = NEAR_ONE[name]
    x = np.array([[top - 21.188, top]])
    slope = slopes(name, {parameter: x, **others}, weights)[parameter, None]
    total = mpmath.fsum(mpmath.exp(exact(v)) for v in x[0])
    right = sign * mpmath.exp(exact(x[0, 0])) / total
    assert abs(exact(slope.value[0, 0]) - right) <= slope.error[0, 0] + 2.0**-53 * abs(right)
    assert slope.error[0, 0] < 1e-15 * max(top, 1)
