"""Values against NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import conformance.reference as K  # noqa: N812
from tests.bounds import assert_right
from tests.oracle.support import ask

RNG = np.random.default_rng(7)
X = RNG.normal(size=(2, 3, 4))
Y = RNG.normal(size=(2, 3, 4))
POSITIVE = np.abs(X) + 0.1
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.0])


def value(function: Callable[..., Any], *arrays: Any, **attributes: Any) -> Any:
    """The result of a function on float64 (or integer) variables."""
    tensors = [K.variable(a, dtype=str(np.asarray(a).dtype)) for a in arrays]
    return K.eval(function(*tensors, **attributes))


def both(name: str, expected: Any, **arguments: Any) -> None:
    """What NumPy or SciPy gives is right, and so is what the reference gives."""
    expectation = ask(name, **arguments)
    tensors = {n: v for n, v in arguments.items() if isinstance(v, np.ndarray)}
    rest = {n: v for n, v in arguments.items() if n not in tensors}
    result = value(getattr(K, name), *tensors.values(), **rest)
    assert result.dtype == np.asarray(expected).dtype
    assert_right(expected, expectation)
    assert_right(result, expectation)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), [0, -1], (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["max", "min", "sum", "prod", "mean", "var", "std", "logsumexp"])
def test_reductions(name: str, axis: Any, keepdims: bool) -> None:
    reference = special.logsumexp if name == "logsumexp" else getattr(np, name)
    expected = reference(X, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)
    both(name, expected, x=X, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("name", ["any", "all"])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_logical_reductions(name: str, axis: Any) -> None:
    x = np.array([[0.0, 2.0, 0.0], [0.0, -1.0, 3.0]])
    result = value(getattr(K, name), x, axis=axis)
    assert result.dtype == np.uint8
    np.testing.assert_array_equal(result, getattr(np, name)(x, axis=axis))


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_along_one_axis(name: str, axis: int) -> None:
    both(name, getattr(np, name)(X, axis=axis), x=X, axis=axis)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_places_along_one_axis(name: str, axis: int) -> None:
    result = value(getattr(K, name), X, axis=axis)
    np.testing.assert_array_equal(result, getattr(np, name)(X, axis=axis))


def test_defaults_of_axis() -> None:
    np.testing.assert_array_equal(value(K.argmax, X), X.argmax(-1))
    both("cumsum", X.cumsum(0), x=X)


@pytest.mark.parametrize("name", ["square", "abs", "exp", "sin", "cos", "sign", "tanh"])
def test_elementwise(name: str) -> None:
    both(name, getattr(np, name)(X), x=X)


@pytest.mark.parametrize("name", ["sqrt", "log"])
def test_elementwise_of_positive(name: str) -> None:
    both(name, getattr(np, name)(POSITIVE), x=POSITIVE)


def test_round_goes_half_to_even_and_sign_of_zero_is_zero() -> None:
    assert value(K.round, HALVES).tolist() == [-2.0, -2.0, 0.0, 0.0, 2.0, 2.0, 0.0]
    assert value(K.sign, HALVES).tolist() == [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("a", [0, 1, 2, 3, -1, 0.5])
def test_pow(a: float) -> None:
    both("pow", POSITIVE**a, x=POSITIVE, a=a)


def test_clip_is_min_then_max() -> None:
    np.testing.assert_array_equal(
        value(K.clip, X, min_value=-0.5, max_value=0.25), X.clip(-0.5, 0.25)
    )
    assert (value(K.clip, X, min_value=1, max_value=-1) == -1).all()


@pytest.mark.parametrize(
    "name", ["maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "less"]
)
def test_two_tensors_broadcast(name: str) -> None:
    x, y = np.round(X), np.round(Y[:, :1])
    result = value(getattr(K, name), x, y)
    expected = getattr(np, name)(x, y)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_dot_follows_numpy() -> None:
    for first, second in [((2, 3), (4, 3, 5)), ((3, 4), (4, 2)), ((2, 5, 3), (3, 4)), ((3,), (3,))]:
        x, y = RNG.normal(size=first), RNG.normal(size=second)
        both("dot", np.dot(x, y), x=x, y=y)
    assert value(K.dot, np.ones((2, 3)), np.ones((4, 3, 5))).shape == (2, 4, 5)


def test_batch_dot_of_the_documents() -> None:
    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    assert value(K.batch_dot, x, y, axes=1).tolist() == [[17.0], [53.0]]
    assert value(K.batch_dot, x, y).tolist() == [[17.0], [53.0]]
    assert value(K.batch_dot, np.ones((32, 20, 1)), np.ones((32, 30, 20)), axes=[1, 2]).shape == (
        32,
        1,
        30,
    )
    assert value(K.batch_dot, np.ones((7, 20)), np.ones((7, 30, 20)), axes=(1, 2)).shape == (7, 30)


@pytest.mark.parametrize(
    ("first", "second", "axes", "subscripts"),
    [
        ((2, 3, 4), (2, 4, 5), None, "bij,bjk->bik"),
        ((2, 3, 4), (2, 4), None, "bij,bj->bi"),
        ((2, 3, 4), (2, 5, 4), (2, 2), "bij,bkj->bik"),
        ((2, 4, 3), (2, 4, 5), 1, "bji,bjk->bik"),
        ((2, 3, 4, 5), (2, 6, 4, 7), (2, 2), "bijk,bljm->biklm"),
        ((2, 3, 4), (2, 4, 5), (-1, -2), "bij,bjk->bik"),
    ],
)
def test_batch_dot(first: Any, second: Any, axes: Any, subscripts: str) -> None:
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=first), rng.normal(size=second)
    expected = np.einsum(subscripts, x, y)
    expected = expected[..., np.newaxis] if expected.ndim == 1 else expected
    both("batch_dot", expected, x=x, y=y, axes=axes)


def test_transpose_reverses_the_axes() -> None:
    np.testing.assert_array_equal(value(K.transpose, X), X.T)


def test_shape_operations() -> None:
    same = np.testing.assert_array_equal
    same(value(K.reshape, X, shape=(4, -1)), X.reshape(4, 6))
    same(value(K.permute_dimensions, X, pattern=(2, 0, 1)), X.transpose(2, 0, 1))
    same(value(K.repeat_elements, X, rep=3, axis=1), np.repeat(X, 3, 1))
    same(value(K.repeat, X[0], n=2), np.stack([X[0], X[0]], axis=1))
    same(value(K.tile, X, n=[2, 1, 3]), np.tile(X, (2, 1, 3)))
    same(value(K.flatten, X), X.ravel())
    same(value(K.batch_flatten, X), X.reshape(2, 12))
    same(value(K.expand_dims, X, axis=1), X[:, None])
    same(value(K.expand_dims, X), X[..., None])
    same(value(K.squeeze, X[:, :1], axis=1), X[:, 0])
    same(value(K.reverse, X, axes=(0, -1)), X[::-1, :, ::-1])
    same(value(K.slice, X, start=[1, 0, 2], size=[1, 2, 2]), X[1:2, 0:2, 2:4])
    same(value(lambda x, y: K.concatenate([x, y], axis=1), X, Y), np.concatenate([X, Y], 1))
    same(value(lambda x, y: K.stack([x, y], axis=-1), X, Y), np.stack([X, Y], -1))


def test_gather_and_one_hot() -> None:
    indices = np.array([[0, 2], [1, 0]], dtype="int32")
    np.testing.assert_array_equal(value(K.gather, X[0], indices), X[0][indices])
    result = value(K.one_hot, np.array([0, 2, 3, -1], dtype="int64"), num_classes=3)
    assert result.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert result.dtype == np.float32


def test_activations() -> None:
    both("relu", np.maximum(X, 0), x=X)
    bent = np.minimum(np.where(X > 0, X, 0.1 * X), 0.5)
    both("relu", bent, x=X, alpha=0.1, max_value=0.5)
    both("elu", np.where(X > 0, X, 2 * np.expm1(X)), x=X, alpha=2.0)
    both("softmax", special.softmax(X, axis=-1), x=X)
    both("softmax", special.softmax(X, axis=1), x=X, axis=1)
    both("softplus", np.logaddexp(0, X), x=X)
    both("softsign", X / (1 + np.abs(X)), x=X)
    both("sigmoid", special.expit(X), x=X)
    ends = np.array([-3.0, -2.5, 0.0, 1.0, 2.5, 3.0])
    both("hard_sigmoid", np.array([0, 0, 0.5, 0.7, 1, 1]), x=ends)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_extremes_are_finite_and_right(dtype: str) -> None:
    big = 6e4 if dtype == "float16" else 1e30
    x = np.array([-big, big], dtype=dtype)
    assert value(K.softmax, x).tolist() == [0.0, 1.0]
    assert value(K.sigmoid, x).tolist() == [0.0, 1.0]
    assert value(K.softplus, x).tolist() == [0.0, x[1]]
    assert value(K.elu, x).tolist() == [-1.0, x[1]]
    assert value(K.logsumexp, x) == x[1]


def test_small_results_keep_their_digits() -> None:
    x = np.array([-50.0, -700.0])
    both("softplus", np.exp(x), x=x)
    both("sigmoid", np.exp(x), x=x)
    tiny = np.array([-1e-20])
    assert value(K.elu, tiny) == tiny


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    "name", ["exp", "log", "sin", "cos", "tanh", "sigmoid", "softplus", "softsign", "elu", "sqrt"]
)
def test_narrow_floats_are_rounded_once(name: str, dtype: str) -> None:
    x = np.abs(np.random.default_rng(7).normal(size=200) * 4).astype(dtype)
    exact = value(getattr(K, name), x.astype("float64"))
    result = value(getattr(K, name), x)
    assert result.dtype == dtype
    error = np.abs(result.astype("float64") - exact) / np.spacing(np.abs(exact).astype(dtype))
    assert error.max() <= 0.5 + 1e-3


def test_float16_sums_do_not_lose_what_float32_keeps() -> None:
    x = np.full((4096, 2), 0.1, dtype="float16")
    np.testing.assert_array_equal(
        value(K.sum, x, axis=0), x.astype("float64").sum(axis=0).astype("float16")
    )


def test_variance_is_computed_in_two_passes() -> None:
    x = np.array([1e8 + 4, 1e8 + 7, 1e8 + 13, 1e8 + 16])
    assert value(K.var, x) == 22.5


def test_special_values_follow_numpy() -> None:
    x = np.array([np.nan, 1.0, -np.inf])
    assert np.isnan(value(K.max, x))
    assert np.isnan(value(K.minimum, x, np.zeros(3))[0])
    assert value(K.equal, x, x).tolist() == [False, True, True]
    assert np.isnan(value(K.log, np.array([-1.0])))
    assert value(K.relu, np.array([-np.inf])) == 0
    assert value(K.logsumexp, np.array([-np.inf, -np.inf])) == -np.inf


def test_empty_arrays_follow_numpy() -> None:
    empty = np.ones((0, 3))
    assert value(K.sum, empty, axis=0).tolist() == [0, 0, 0]
    assert np.isnan(value(K.mean, empty))
    assert np.isnan(value(K.var, empty, axis=0)).all()
    assert value(K.batch_flatten, np.ones((0, 2, 3))).shape == (0, 6)
    assert value(K.softmax, np.ones((3, 0))).shape == (3, 0)
    assert value(K.batch_dot, np.ones((0, 2)), np.ones((0, 2))).shape == (0, 1)
    with pytest.raises(ValueError, match="zero-size"):
        value(K.max, empty)


def test_arange() -> None:
    np.testing.assert_array_equal(K.eval(K.arange(4)), np.arange(4, dtype="int32"))
    assert K.eval(K.arange(4)).dtype == np.int32
    np.testing.assert_array_equal(K.eval(K.arange(5, 1, -2)), [5, 3])
    np.testing.assert_array_equal(K.eval(K.arange(0, 1, 0.25, "float32")), [0, 0.25, 0.5, 0.75])
    assert K.eval(K.arange(3, 1)).shape == (0,)


def test_creation() -> None:
    assert K.eval(K.eye(3)).tolist() == np.eye(3).tolist()
    assert K.eval(K.constant(2, shape=(2, 3))).tolist() == [[2.0] * 3] * 2
    assert K.eval(K.constant([1, 2, 3, 4], shape=(2, 2))).tolist() == [[1, 2], [3, 4]]
    assert K.eval(K.constant(3, dtype="int32")) == 3
    assert K.eval(K.zeros((2, 0))).shape == (2, 0)
    assert K.eval(K.ones_like(K.variable([[1.0, 2.0]]), dtype="int32")).tolist() == [[1, 1]]
    x = K.variable([[1.5, 2.5]], dtype="float64")
    np.testing.assert_array_equal(K.eval(K.identity(x)), [[1.5, 2.5]])


def test_operators() -> None:
    x = K.variable(X, dtype="float64")
    y = K.variable(POSITIVE, dtype="float64")
    same = np.testing.assert_allclose
    same(K.eval(x + y), X + POSITIVE)
    same(K.eval(1 - x), 1 - X)
    same(K.eval(x * 2 / y), X * 2 / POSITIVE)
    same(K.eval(2 / y), 2 / POSITIVE)
    same(K.eval(y**0.5), POSITIVE**0.5)
    same(K.eval(2**x), 2**X)
    same(K.eval(-abs(x)), -np.abs(X))
    same(K.eval(np.float64(3) * x), 3 * X)
    same(K.eval(np.ones((3, 4)) - x), 1 - X)
    assert K.eval(x > 0).tolist() == (X > 0).tolist()
    same(K.eval(x[0, ..., None, 1:3]), X[0, ..., None, 1:3])
    assert (x == y) is False
    assert [K.eval(x[i]).tolist() for i in range(len(X))] == X.tolist()
