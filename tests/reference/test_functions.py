"""Compiled functions: composition, updates, purity, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import conformance.reference as K  # noqa: N812
from tests.bounds import assert_within, gamma, library

RNG = np.random.default_rng(3)


def test_a_small_network() -> None:
    w1, b1 = RNG.normal(size=(5, 8)), RNG.normal(size=8)
    w2, b2 = RNG.normal(size=(8, 3)), RNG.normal(size=3)
    x = K.placeholder((None, 5), dtype="float64")
    weights = [K.variable(w, dtype="float64") for w in (w1, b1, w2, b2)]
    hidden = K.relu(K.dot(x, weights[0]) + weights[1])
    scores = K.softmax(K.dot(hidden, weights[2]) + weights[3])
    predict = K.function([x], [scores, K.argmax(scores), K.mean(hidden)])
    for batch in (1, 4, 0):
        data = RNG.normal(size=(batch, 5))
        inner = np.maximum(data @ w1 + b1, 0)
        expected = special.softmax(inner @ w2 + b2, axis=-1)
        probabilities, classes, _ = predict([data])
        first = gamma(6) * (np.abs(data) @ np.abs(w1) + np.abs(b1))
        second = first @ np.abs(w2) + gamma(9) * (inner @ np.abs(w2) + np.abs(b2))
        # an error e of two scores changes their quotient in softmax by 2 e at most, to first order
        share = 2 * second.max(initial=0) + gamma(library("exp") + 4)
        assert_within(probabilities, expected, 2 * share * expected)
        np.testing.assert_array_equal(classes, expected.argmax(-1))
    K.set_value(weights[3], [100.0, 0.0, 0.0])
    assert predict([RNG.normal(size=(6, 5))])[1].tolist() == [0] * 6


def test_a_shared_node_is_computed_once_and_deep_graphs_work() -> None:
    x = K.placeholder((2,))
    y = x
    for _ in range(3000):
        y = y + x
    assert K.function([x], [y])([[1, 2]])[0].tolist() == [3001, 6002]
    z = x
    for _ in range(60):
        z = z + z  # 2**60 additions if nodes were not shared
    assert K.function([x], [z])([[1, 0]])[0].tolist() == [2.0**60, 0]


def test_updates_are_simultaneous_and_come_after_the_outputs() -> None:
    a, b = K.variable([1.0, 2.0]), K.variable([3.0, 4.0])
    x = K.placeholder((2,))
    swap = K.function([x], [a + x], updates=[(a, b), K.update(b, a)])
    assert swap([[10, 10]])[0].tolist() == [11, 12]
    assert K.get_value(a).tolist() == [3, 4]
    assert K.get_value(b).tolist() == [1, 2]
    step = K.function([], [], updates=[K.update_add(a, 1.0), K.update_sub(b, a)])
    assert step([]) == []
    assert K.get_value(a).tolist() == [4, 5]
    assert K.get_value(b).tolist() == [-2, -2]


def test_a_failed_call_changes_no_variable() -> None:
    v, w = K.variable([1.0]), K.variable([1.0, 2.0])
    x = K.placeholder((None,))
    f = K.function([x], [], updates=[(v, v + 1.0), (w, x)])
    with pytest.raises(ValueError, match="new value"):
        f([[1, 2, 3]])
    assert K.get_value(v).tolist() == [1]


VIEWS = [
    K.identity,
    K.transpose,
    K.flatten,
    K.batch_flatten,
    lambda x: K.reshape(x, (3, 2)),
    lambda x: K.reverse(x, 0),
    lambda x: K.slice(x, [0, 0], [1, 3]),
    K.expand_dims,
    lambda x: x[0],
    K.round,
]


@pytest.mark.parametrize("build", VIEWS)
def test_outputs_share_no_memory(build: Any) -> None:
    array = np.arange(6.0, dtype="float32").reshape(2, 3)
    x, v = K.placeholder((2, 3)), K.variable(array)
    first, second = K.function([x], [build(x), build(v)])([array])
    value = v.value
    for result in (first, second, K.eval(build(v)), K.get_value(v)):
        assert not np.shares_memory(result, array)
        assert not np.shares_memory(result, value)
        result[...] = -1
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert K.get_value(v).tolist() == array.tolist()


def test_variables_share_no_memory_with_what_they_were_given() -> None:
    array = np.ones(3, dtype="float32")
    v, w, c = K.variable(array), K.variable(np.zeros(3)), K.constant(array)
    x = K.placeholder((3,))
    K.set_value(w, array)
    u = K.variable(np.zeros(3))
    K.function([x], [], updates=[(u, x)])([array])
    array[:] = 5
    for tensor in (v, w, u, c):
        assert K.eval(tensor).tolist() == [1, 1, 1]


def test_inputs_are_not_changed() -> None:
    array = np.array([[-1.5, 2.5, np.nan]], dtype="float32")
    before = array.copy()
    x = K.placeholder((1, 3))
    builds = [K.relu, K.softmax, K.cumsum, K.elu, K.std, K.logsumexp, K.sigmoid, K.tanh, K.round]
    K.function([x], [build(x) for build in builds])([array])
    np.testing.assert_array_equal(array, before)


def test_inputs_of_another_dtype_are_taken_if_nothing_is_lost() -> None:
    x, n = K.placeholder((2,)), K.placeholder((2,), dtype="int32")
    f = K.function([x, n], [x, n])
    results = f([[1, 2], np.array([3.0, 4.0])])
    assert [a.dtype.name for a in results] == ["float32", "int32"]
    with pytest.raises(ValueError, match="int32"):
        f([[1, 2], [0.5, 1]])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "a list of 1 values"),
        ([[[1, 2, 3]], 1], "not with 2 values"),
        (np.ones((2, 3)), "not with a ndarray"),
        ([np.ones(3)], "rank 2 is wanted"),
        ([np.ones((2, 4))], "axis 1 must be 3, not 4"),
        ([[["a", "b", "c"]]], "numbers"),
        ([[[1, 2, 3], [1]]], "data"),
    ],
)
def test_wrong_inputs_are_named(inputs: Any, message: str) -> None:
    x = K.placeholder((None, 3), name="data")
    with pytest.raises(ValueError, match=message):
        K.function([x], [x + 1.0])(inputs)


def test_what_function_refuses() -> None:
    x, y, v = K.placeholder((2,)), K.placeholder((2,), name="needed"), K.variable([1.0, 2.0])
    refused: list[tuple[Any, Any, Any, str]] = [
        ([x], [x + y], None, "needed"),
        ([v], [v], None, "K.placeholder"),
        (x, [x], None, "inputs must be a list"),
        ([x], x, None, "outputs must be a list"),
        ([x], [3], None, "an output is a int"),
        ([x, x], [x], None, "twice"),
        ([x], [x], [(x, x)], "not a variable"),
        ([x], [x], [v], "an update is"),
        ([x], [x], [(v, x), (v, x)], "updated twice"),
        ([x], [x], [(v, K.zeros((3,)))], "cannot be a value"),
        ([x], [x], [(v, K.zeros((2,), dtype="float64"))], "cannot be a value"),
    ]
    for inputs, outputs, updates, message in refused:
        with pytest.raises(ValueError, match=message):
            K.function(inputs, outputs, updates)
    with pytest.raises(ValueError, match="feed_dict"):
        K.function([x], [x], feed_dict={})


def test_an_error_at_evaluation_names_the_operation() -> None:
    x, y = K.placeholder((None,)), K.placeholder((None,))
    with pytest.raises(ValueError, match="broadcast") as caught:
        K.function([x, y], [x + y])([[1, 2], [1, 2, 3]])
    assert "add_" in caught.value.__notes__[0]


def test_values_of_variables() -> None:
    v, w = K.variable([1.0, 2.0]), K.variable(np.eye(2), dtype="float64")
    K.batch_set_value([(v, [5, 6]), (w, np.zeros((2, 2)))])
    values = K.batch_get_value([v, w])
    assert [a.tolist() for a in values] == [[5, 6], [[0, 0], [0, 0]]]
    assert [a.dtype.name for a in values] == ["float32", "float64"]
    with pytest.raises(ValueError, match="shape"):
        K.set_value(v, [1, 2, 3])
    with pytest.raises(ValueError, match="not a variable"):
        K.set_value(K.placeholder((2,)), [1, 2])
    with pytest.raises(ValueError, match=r"K\.eval"):
        K.get_value(v + 1.0)
    with pytest.raises(ValueError, match="placeholder"):
        K.eval(K.placeholder((2,)) + 1.0)
