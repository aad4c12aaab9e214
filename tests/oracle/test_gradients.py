"""The finite differences against derivatives written by hand, at smooth points and at kinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest

from conformance.oracle.expectation import Array
from conformance.oracle.gradients import MOST, Slopes, slopes

RNG = np.random.default_rng(0)

DERIVATIVES: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "log": lambda x: 1 / x,
    "sqrt": lambda x: 0.5 / np.sqrt(x),
    "square": lambda x: 2 * x,
    "sin": np.cos,
    "cos": lambda x: -np.sin(x),
    "tanh": lambda x: 1 - np.tanh(x) ** 2,
    "sigmoid": lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
    "softplus": lambda x: 1 / (1 + np.exp(-x)),
    "softsign": lambda x: 1 / (1 + np.abs(x)) ** 2,
    "abs": np.sign,
    "relu": lambda x: (x > 0).astype(float),
    "elu": lambda x: np.where(x > 0, 1, np.exp(x)),
}
POSITIVE = ("log", "sqrt")


def check_smooth(gradient: Slopes, expected: Array, scale: Array | None = None) -> None:
    """The very slope, no kink, and an error estimate that holds."""
    np.testing.assert_allclose(gradient.value, expected, rtol=1e-9, atol=1e-12)
    assert (
        np.abs(gradient.value - expected) <= gradient.error + 1e-9 * gradient.scale + 1e-12
    ).all()
    np.testing.assert_array_equal(gradient.kink, 0)
    np.testing.assert_array_equal(gradient.low, gradient.value)
    np.testing.assert_array_equal(gradient.high, gradient.value)
    if scale is not None:
        np.testing.assert_allclose(gradient.scale, scale, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("function", DERIVATIVES)
def test_an_elementwise_function(function: str) -> None:
    x = RNG.uniform(0.25, 1.25, (3, 4))
    if function not in POSITIVE:
        x *= RNG.choice((-1, 1), x.shape)
    weights = RNG.normal(size=x.shape)
    (gradient,) = slopes(function, {"x": x}, weights).values()
    exact = weights * DERIVATIVES[function](x)
    check_smooth(gradient, exact, np.abs(exact))


def test_every_column_of_a_jacobian_matrix_is_weighed() -> None:
    x, weights = RNG.normal(size=(2, 5)), RNG.normal(size=(2, 5))
    (gradient,) = slopes("softmax", {"x": x, "axis": -1}, weights).values()
    s = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    jacobian = s[:, :, None] * (np.eye(5) - s[:, None, :])
    terms = weights[:, :, None] * jacobian
    check_smooth(gradient, terms.sum(1), np.abs(terms).sum(1))


def test_the_gradient_is_taken_at_the_numbers_of_the_case() -> None:
    x = RNG.normal(size=4).astype("float32")
    (gradient,) = slopes("exp", {"x": x}, np.ones(4)).values()
    check_smooth(gradient, np.exp(x.astype(float)))


def test_each_tensor_has_its_own() -> None:
    x, y, weights = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=(2, 4))
    gradients = slopes("dot", {"x": x, "y": y}, weights)
    assert set(gradients) == {("x", None), ("y", None)}
    check_smooth(gradients["x", None], weights @ y.T)
    check_smooth(gradients["y", None], x.T @ weights)


def test_each_tensor_of_a_list_has_its_own() -> None:
    tensors, weights = [RNG.normal(size=(2, n)) for n in (1, 3)], RNG.normal(size=(2, 4))
    gradients = slopes("concatenate", {"tensors": tensors, "axis": -1}, weights)
    assert set(gradients) == {("tensors", 0), ("tensors", 1)}
    check_smooth(gradients["tensors", 0], weights[:, :1])
    check_smooth(gradients["tensors", 1], weights[:, 1:])


def test_integers_have_none() -> None:
    x, indices = RNG.normal(size=(4, 2)), np.array([2, 2, 0])
    gradients = slopes("gather", {"reference": x, "indices": indices}, np.ones((3, 2)))
    assert set(gradients) == {("reference", None)}
    check_smooth(gradients["reference", None], np.array([[1, 1], [0, 0], [2, 2], [0, 0]]))


def test_terms_that_are_not_zero_are_counted() -> None:
    x, weights = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 4))
    y = np.array([[1.0, 0, 2, 3], [1, 1, 1, 1], [0, 0, 0, 4]])
    (gradient, _) = slopes("dot", {"x": x, "y": y}, weights).values()
    assert gradient.count.tolist() == [[3, 4, 1]] * 2


KINKS = [
    ("abs", {"x": np.zeros(2)}, [(-1.0, 1.0)] * 2),
    ("relu", {"x": np.zeros(1)}, [(0.0, 1.0)]),
    ("relu", {"x": np.zeros(1), "alpha": 0.25}, [(0.25, 1.0)]),
    ("clip", {"x": np.array([1.0, 4.0]), "min_value": 1.0, "max_value": 4.0}, [(0.0, 1.0)] * 2),
    ("maximum", {"x": np.full(2, 3.0), "y": 3}, [(0.0, 1.0)] * 2),
    ("max", {"x": np.array([[2.0, 2.0]]), "axis": -1}, [(0.0, 1.0)] * 2),
]


@pytest.mark.parametrize("weight", [1.0, -3.0])
@pytest.mark.parametrize(("function", "arguments", "sides"), KINKS, ids=lambda v: str(v)[:30])
def test_a_kink_has_the_slopes_on_both_sides(
    function: str, arguments: dict[str, Array], sides: list[tuple[float, float]], weight: float
) -> None:
    x = arguments["x"]
    weights = np.full(1 if function == "max" else x.shape, weight)
    gradient = slopes(function, arguments, weights)["x", None]
    np.testing.assert_array_equal(gradient.kink, 1)
    expected = np.sort(weight * np.array(sides), axis=-1).reshape(*x.shape, 2)
    np.testing.assert_allclose(gradient.low, expected[..., 0], atol=1e-6)
    np.testing.assert_allclose(gradient.high, expected[..., 1], atol=1e-6)


@pytest.mark.parametrize("x", [2.0**-17, -(2.0**-17)])
def test_beside_a_kink_the_interval_is_the_one_slope(x: float) -> None:
    """The differences reach over the kink; the slopes on both sides of the number do not."""
    gradient = slopes("relu", {"x": np.array([x])}, np.ones(1))["x", None]
    slope = float(x > 0)
    assert gradient.kink == 1
    assert gradient.low == pytest.approx(slope, abs=1e-6)
    assert gradient.high == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("weight", [1.0, -3.0])
def test_of_a_slope_without_end_nothing_is_known(weight: float) -> None:
    """A cube root has none at zero that is a number; infinity and NaN are what backends give."""
    gradient = slopes("cbrt", {"x": np.array([0.0, 8.0])}, np.full(2, weight))["x", None]
    assert gradient.error[0] == np.inf
    assert gradient.error[1] < 1e-9
    assert gradient.value[1] == pytest.approx(weight / 12)


def test_where_a_smooth_function_bends_the_interval_is_narrow() -> None:
    """At the top of a sine the slope is small beside its change."""
    x = np.array([np.pi / 2 + 0.01])
    gradient = slopes("sin", {"x": x}, np.ones(1))["x", None]
    assert gradient.kink == 1
    assert gradient.low == pytest.approx(np.cos(x), abs=1e-6)
    assert gradient.high == pytest.approx(np.cos(x), abs=1e-6)


def test_a_kink_of_one_element_is_not_that_of_others() -> None:
    gradient = slopes("abs", {"x": np.array([0.0, 1.0])}, np.ones(2))["x", None]
    assert gradient.kink.tolist() == [1, 0]


def test_of_many_elements_some_are_looked_at() -> None:
    x = RNG.normal(size=(5, 8))
    first, second = (slopes("exp", {"x": x}, np.ones(x.shape))["x", None] for _ in range(2))
    known = np.isfinite(first.value)
    assert known.sum() == MOST
    np.testing.assert_allclose(first.value[known], np.exp(x)[known], rtol=1e-9)
    for item in fields(Slopes):
        mine, other = getattr(first, item.name), getattr(second, item.name)
        np.testing.assert_array_equal(np.isfinite(mine), known)
        np.testing.assert_array_equal(mine, other)


def test_outside_the_domain_nothing_is_known() -> None:
    gradient = slopes("log", {"x": np.array([-1.0, 2.0])}, np.ones(2))["x", None]
    assert not np.isfinite(gradient.value[0])


def test_an_unknown_function() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        slopes("nonsense", {"x": np.ones(1)}, np.ones(1))
