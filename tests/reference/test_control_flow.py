"""Control flow of the reference: values against the oracle, gradients, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.oracle import control_flow as oracle
from tests.bounds import assert_same, assert_within, gamma, library

RNG = np.random.default_rng(5)
X = RNG.normal(size=(2, 4, 3))
S = RNG.normal(size=(2, 3))
C = RNG.normal(size=(2, 3))
W = RNG.normal(size=(3, 3))
MASK = np.array([[0, 1, 1, 0], [1, 0, 0, 1]])


def held(value: Any) -> Any:
    """A float64 (or integer) variable."""
    array = np.asarray(value)
    return K.variable(array, dtype=array.dtype.name)


def _both(mask: bool, backwards: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    ours = {"mask": held(MASK)} if mask else {}
    theirs = {"mask": MASK} if mask else {}
    return {**ours, "go_backwards": backwards}, {**theirs, "go_backwards": backwards}


def _room() -> float:
    """How far two computations of the loop of `test_rnn` may lie apart, in any element.

    A step adds the roundings of tanh(x W + h c) and of a sum; an error of the state grows by |c|
    at most, because the slope of tanh is 1 at most.
    """
    steps, width = X.shape[1], len(W)
    size = np.max(np.abs(X) @ np.abs(W)) + max(1.0, np.abs(S).max()) * np.abs(C).max()
    step = gamma(width + 1) * size + gamma(library("tanh"))
    added = gamma(steps) * np.max(np.abs(C) + np.abs(X).sum(axis=1))
    growth = max(1.0, np.abs(C).max())
    return float(2 * (step * sum(growth**t for t in range(steps)) + added))


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("mask", [False, True])
def test_rnn(unroll: bool, backwards: bool, mask: bool) -> None:
    weights = held(W)
    ours, theirs = _both(mask, backwards)

    def step(x: Any, states: Any) -> Any:
        h = K.tanh(K.dot(x, weights) + states[0] * states[2])
        return h, [h, states[1] + x]

    def same(x: Any, states: Any) -> Any:
        h = np.tanh(x @ W + states[0] * states[2])
        return h, [h, states[1] + x]

    constants = [held(C)]
    last, outputs, states = K.rnn(
        step, held(X), [held(S), held(C)], unroll=unroll, constants=constants, **ours
    )
    expected = oracle.rnn(same, X, [S, C], constants=[C], **theirs)
    arrays = K.function([], [last, outputs, *states])([])
    for a, b in zip(arrays, [expected[0], expected[1], *expected[2]], strict=True):
        assert_within(a, b, _room())
    assert outputs.shape == (2, 4, 3)


def test_the_number_of_steps_may_be_known_late() -> None:
    x = K.placeholder((None, None, 3), dtype="float64")
    _, outputs, _ = K.rnn(lambda x, s: (x + s[0], [x + s[0]]), x, [held(S)])
    assert outputs.shape == (2, None, 3)
    run = K.function([x], [outputs])
    for length in (1, 4):
        assert run([X[:, :length]])[0].shape == (2, length, 3)


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_gradients_do_not_depend_on_unrolling(mask: bool, backwards: bool) -> None:
    variables = [held(X), held(S), held(W)]
    ours, _ = _both(mask, backwards)

    def step(x: Any, states: Any) -> Any:
        h = K.tanh(K.dot(x, variables[2]) + states[0] * variables[2][0])
        return h, [h]

    def loss(unroll: bool) -> Any:
        _, outputs, states = K.rnn(step, variables[0], [variables[1]], unroll=unroll, **ours)
        return K.sum(outputs * outputs) + K.sum(states[0])

    looped, unrolled = (K.function([], K.gradients(loss(u), variables))([]) for u in (False, True))
    for a, b in zip(looped, unrolled, strict=True):
        assert np.abs(b).max() > 0
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def _numerical(f: Callable[[Any], float], x: Any) -> Any:
    gradient = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-6
        gradient[i] = (f(x + step) - f(x - step)) / 2e-6
    return gradient


@pytest.mark.parametrize("name", ["foldl", "foldr", "map_fn"])
def test_gradients_of_folds_and_maps(name: str) -> None:
    elems, start = RNG.normal(size=(4, 3)), RNG.normal(size=3)

    def result(x: Any) -> Any:
        if name == "map_fn":
            return K.map_fn(lambda v: v * v * held(start), x)
        return getattr(K, name)(lambda a, v: a * v + v * v, x, held(start))

    x = held(elems)
    (gradient,) = K.function([], K.gradients(K.sum(result(x) * result(x)), [x]))([])
    expected = _numerical(lambda v: float(K.eval(K.sum(K.square(result(held(v)))))), elems)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)


def test_nested_loops() -> None:
    x = held(X)
    total = K.map_fn(lambda rows: K.foldl(lambda a, r: a * 0.5 + r, rows), x)
    expected = [oracle.foldl(lambda a, r: a * 0.5 + r, rows) for rows in X]
    sizes = [oracle.foldl(lambda a, r: a * 0.5 + r, rows) for rows in np.abs(X)]
    assert_same(K.eval(total), expected, roundings=X.shape[1] - 1, size=sizes)
    (gradient,) = K.function([], K.gradients(K.sum(total), [x]))([])
    np.testing.assert_array_equal(gradient[0, :, 0], [0.125, 0.25, 0.5, 1])


def test_folds_start_with_the_first_or_last_element() -> None:
    x = held(np.array([1.0, 2.0, 3.0]))
    assert K.eval(K.foldl(lambda a, v: a - v, x)) == -4
    assert K.eval(K.foldr(lambda a, v: a - v, x)) == 0
    assert K.eval(K.foldl(lambda a, v: a - v, x, 10.0)) == 4
    assert K.eval(K.foldl(lambda a, v: a - v, x[:1])) == 1


def test_map_fn_casts_and_keeps_the_first_axis() -> None:
    x = K.placeholder((None, 2))
    result = K.map_fn(K.sum, x, name="sums", dtype="float64")
    assert (result.shape, result.dtype, result.name) == ((None,), "float64", "sums")


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_switch(rank: int) -> None:
    condition = np.array(1) if not rank else (RNG.random(X.shape[:rank]) < 0.5).astype("int32")
    chosen = K.eval(K.switch(held(condition), held(X), lambda: held(-X)))
    np.testing.assert_array_equal(chosen, oracle.switch(condition, X, -X))


def test_phases() -> None:
    x, y, flag = held(X), held(-X), K.placeholder((), dtype="int32")
    assert K.in_train_phase(x, y, training=1) is x
    assert K.in_test_phase(x, lambda: y, training=True) is y
    run = K.function([flag], [K.in_train_phase(x, y, training=flag)])
    np.testing.assert_array_equal(run([0])[0], -X)
    phased = K.function([K.learning_phase()], [K.in_train_phase(x, y), K.in_test_phase(x, y)])
    np.testing.assert_array_equal(phased([1]), [X, -X])
    np.testing.assert_array_equal(phased([0]), [-X, X])


def _echo(x: Any, states: Any) -> Any:
    return x, list(states)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: K.rnn(_echo, held(S), []), "rank 3"),
        (lambda: K.rnn(_echo, K.placeholder((2, None, 3)), [], unroll=True), "input_length"),
        (lambda: K.rnn(_echo, held(X), [], mask=held(MASK)), "states"),
        (lambda: K.rnn(_echo, held(X), [held(S)], mask=held(S[:, 0])), "samples, time"),
        (lambda: K.rnn(_echo, held(X), [], input_length=3), "4 time steps"),
        (lambda: K.rnn(lambda x, _: x, held(X), []), "new_states"),
        (lambda: K.rnn(lambda x, _: (x, [x]), held(X), []), "0 are carried"),
        (lambda: K.rnn(lambda x, _: (x, [x[:, :1]]), held(X), [held(S)]), "must be equal"),
        (lambda: K.switch(held(MASK), held(S[0]), held(S[0])), "rank"),
        (lambda: K.switch(held(1), held(S), held(X)), "one shape"),
        (lambda: K.in_train_phase(held(S), held(S), training=2), "True, False"),
        (lambda: K.map_fn(lambda _: 1, held(X)), "not a tensor"),
        (lambda: K.foldl(lambda a, _: a, held(1.0)), "scalar"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_map_of_nothing_is_empty() -> None:
    x = K.placeholder((None, 2))
    run = K.function([x], [K.map_fn(lambda v: K.concatenate([v, v * 2]), x)])
    assert run([np.empty((0, 2))])[0].shape == (0, 4)
    assert run([np.ones((1, 2))])[0].tolist() == [[1, 1, 2, 2]]


def test_a_recurrence_of_no_steps_has_no_last_output() -> None:
    x = K.placeholder((2, None, 3))
    _, outputs, _ = K.rnn(lambda v, states: (v + states[0], [v + states[0]]), x, [K.zeros((2, 3))])
    with pytest.raises(ValueError, match="no time step"):
        K.function([x], [outputs])([np.empty((2, 0, 3))])
