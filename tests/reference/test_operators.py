"""Operators and indices of tensors against NumPy, and what Python may not do with a tensor."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812

X = np.array([[-2.5, -1.0, 0.75], [1.5, 2.0, 7.0]], dtype="float32")
Y = np.array([[2.0, -3.0, 0.5]], dtype="float32")
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


def tensors(*arrays: Any) -> list[Any]:
    return [K.placeholder((None,) * x.ndim, dtype=x.dtype.name) for x in arrays]


def evaluated(build: Callable[..., Any], *arrays: Any) -> Any:
    """The value of what a function makes of placeholders of unknown shapes."""
    inputs = tensors(*arrays)
    return K.function(inputs, [build(*inputs)])(list(arrays))[0]


def same(result: Any, expected: Any) -> None:
    assert result.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("compute", BINARY, ids=lambda compute: compute.__name__)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_two_tensors(compute: Any, dtype: str) -> None:
    x, y = X.astype(dtype), Y.astype(dtype)
    y[y == 0] = 1
    expected = compute(x, y)
    whole = dtype == "int32" and compute is operator.truediv
    same(evaluated(compute, x, y), expected.astype("float32") if whole else expected)


@pytest.mark.parametrize("compute", BINARY, ids=lambda compute: compute.__name__)
@pytest.mark.parametrize("other", [3, -2.5, Y], ids=["int", "float", "array"])
def test_reflected(compute: Any, other: Any) -> None:
    same(evaluated(lambda x: compute(other, x), X), compute(np.asarray(other, "float32"), X))
    same(evaluated(lambda x: compute(x, other), X), compute(X, np.asarray(other, "float32")))


def test_powers_and_one_tensor() -> None:
    same(evaluated(lambda x: x**2, X), X**2)
    same(evaluated(lambda x: 2**x, X), (2 ** X.astype("float64")).astype("float32"))
    same(evaluated(lambda x: -x, X), -X)
    same(evaluated(abs, X), abs(X))


@pytest.mark.parametrize("compute", [operator.and_, operator.or_, operator.xor])
def test_of_bool(compute: Any) -> None:
    x, y = np.array([[True], [False]]), np.array([True, False])
    same(evaluated(compute, x, y), compute(x, y))
    same(evaluated(lambda x: compute(True, x), x), compute(True, x))
    same(evaluated(operator.invert, x), ~x)
    with pytest.raises(ValueError, match="take bool"):
        compute(*tensors(X, X))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ((2, 3), (3, 4)),
        ((3,), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (3,)),
        ((3,), (3,)),
        ((5, 2, 3), (5, 3, 4)),
        ((2, 5, 1, 3), (2, 5, 3, 2)),
    ],
)
def test_products_of_matrices(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    a, b = (np.arange(np.prod(shape)).reshape(shape).astype("float32") for shape in (x, y))
    same(evaluated(operator.matmul, a, b), a @ b)
    same(evaluated(lambda y: a @ y, b), a @ b)


def test_products_of_matrices_of_other_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match=r"@.*K\.expand_dims"):
        operator.matmul(*tensors(np.ones((2, 3)), np.ones((4, 3, 2))))


INDICES: list[Callable[[Any, Any], Any]] = [
    lambda x, i: x[i],
    lambda x, i: x[-i],
    lambda x, i: x[:, i],
    lambda x, i: x[..., i],
    lambda x, i: x[i, ..., -i],
    lambda x, i: x[i, i, i],
    lambda x, i: x[i:],
    lambda x, i: x[:i],
    lambda x, i: x[-i:, :, ::-2],
    lambda x, i: x[:, i : i + 2],
    lambda x, i: x[..., 1:-i],
    lambda x, i: x[i + 1 : i],
    lambda x, i: x[-100 * i : 100 * i],
    lambda x, i: x[:, None, i, ..., None],
    lambda x, i: x[None, :-i:1, 0],
    lambda x, i: x[0, 1:, i],
]


@pytest.mark.parametrize("index", range(len(INDICES)))
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_indices_that_are_tensors(index: int, dtype: str) -> None:
    x, i = np.arange(60.0).reshape(3, 4, 5), np.array(1, dtype=dtype)
    same(evaluated(INDICES[index], x, i), INDICES[index](x, int(i)))


@pytest.mark.parametrize("index", range(len(INDICES)))
def test_known_indices_give_known_shapes(index: int) -> None:
    x = np.ones((3, 4, 5))
    element = INDICES[index](K.placeholder(x.shape), K.shape(K.placeholder((1, None)))[0])
    assert K.int_shape(element) == INDICES[index](x, 1).shape


def test_numpy_integers_are_indices() -> None:
    same(evaluated(lambda x: x[np.int64(1), : np.int32(2)], X), X[1, :2])


@pytest.mark.parametrize("index", ["a", 1.0, True, [0, 1], X])
def test_other_indices_are_refused(index: Any) -> None:
    with pytest.raises(TypeError, match="must be an int, a slice"):
        K.placeholder((2, 3))[index]


def test_tensors_that_are_no_indices_are_refused() -> None:
    (x,) = tensors(X)
    for index in (x, K.constant([1, 2], dtype="int32"), K.constant(1.0), K.constant(True, "bool")):
        with pytest.raises(IndexError, match="scalar of an integer dtype"):
            x[index]
    with pytest.raises(ValueError, match="steps of 1"):
        x[K.constant(0, "int32") :: 2]
    with pytest.raises(IndexError, match="more than one"):
        x[..., ...]
    with pytest.raises(IndexError, match="has 2 axes"):
        x[0, 0, K.constant(0, "int32")]


@pytest.mark.parametrize(
    ("attempt", "cure"), [(len, "K.int_shape"), (list, "K.map_fn"), (bool, "K.switch")]
)
def test_what_needs_a_value_is_refused(attempt: Any, cure: str) -> None:
    with pytest.raises(TypeError, match=cure):
        attempt(K.placeholder((2, 3)))


def test_tensors_are_equal_if_they_are_the_same() -> None:
    x, y = tensors(X, X)
    assert x == x and x != y and hash(x) != hash(y)  # noqa: PLR0124
    assert {x: 1, y: 2}[y] == 2
    assert x in [y, x]
