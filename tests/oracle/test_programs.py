"""Programs with callables on wide arrays: values by hand, and bounds that tell right from wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees
from conformance.oracle.control_flow import foldl, foldr, map_fn, rnn, switch
from conformance.oracle.program_gradients import expect_gradients
from conformance.oracle.programs import as_callable, expect_program
from conformance.program import Function, Program, Ref, Step
from tests.bounds import assert_right

Array = np.ndarray[Any, Any]


def _cell() -> Function:
    """tanh(x W + s U)."""
    steps = (
        Step("a", "dot", (Ref("x"), Ref("W"))),
        Step("s", "operator.getitem", (Ref("states"), 0)),
        Step("b", "dot", (Ref("s"), Ref("U"))),
        Step("c", "operator.add", (Ref("a"), Ref("b"))),
        Step("h", "tanh", (Ref("c"),)),
    )
    return Function("step", ("x", "states"), steps, (Ref("h"), [Ref("h")]))


def _program() -> Program:
    steps = (
        Step("r", "rnn", (_cell(), Ref("x"), [Ref("s0")])),
        Step("last", "operator.getitem", (Ref("r"), 0)),
        Step("total", "sum", (Ref("last"),)),
        Step("shown", "no such function", (Ref("last"),)),
    )
    return Program((), steps, ("last",))


def _arrays(dtype: str, seed: int = 11) -> dict[str, Array]:
    random = np.random.default_rng(seed)
    shapes = {"x": (2, 5, 3), "s0": (2, 4), "W": (3, 4), "U": (4, 4)}
    return {name: random.normal(size=shape).astype(dtype) for name, shape in shapes.items()}


def _by_hand(arrays: dict[str, Array], dtype: str) -> Array:
    x, state, weights, recurrent = (arrays[n].astype(dtype) for n in ("x", "s0", "W", "U"))
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ weights + state @ recurrent)
    return state


def test_a_program_is_what_its_steps_are() -> None:
    arrays = _arrays("float64")
    (expectation,) = expect_program(_program(), arrays, {"last": "float64"}).values()
    assert_right(_by_hand(arrays, "float64"), expectation)


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_takes_the_dtypes_own_arithmetic_and_no_more(seed: int) -> None:
    arrays = _arrays("float32", seed)
    (expectation,) = expect_program(_program(), arrays, {"last": "float32"}).values()
    assert agrees(_by_hand(arrays, "float32"), expectation).all()
    assert not agrees(_by_hand(arrays, "float16").astype(np.float32), expectation).all()


def test_gradients_are_those_of_backpropagation_through_time() -> None:
    arrays = _arrays("float32")
    (gradients,) = expect_gradients(_program(), arrays, "total", ["U"]).values()
    x, state, weights, recurrent = (arrays[n].astype(np.float64) for n in ("x", "s0", "W", "U"))
    states = [state]
    for t in range(x.shape[1]):
        states.append(np.tanh(x[:, t] @ weights + states[-1] @ recurrent))
    upstream, gradient = np.ones_like(state), np.zeros_like(recurrent)
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        inner = upstream * (1 - after**2)
        gradient += before.T @ inner
        upstream = inner @ recurrent.T
    np.testing.assert_allclose(gradients.value, gradient, rtol=1e-9, atol=1e-9)


def test_a_callable_sees_the_names_around_it() -> None:
    step = Step("y", "operator.mul", (Ref("x"), Ref("k")))
    times = as_callable(Function("f", ("x",), (step,), Ref("y")), {"k": np.float64(3), "x": 0})
    assert times(np.float64(2)) == 6


def test_masked_steps_keep_states_and_repeat_outputs() -> None:
    inputs = np.arange(1.0, 9.0).reshape(2, 4, 1)
    mask = np.array([[0, 1, 0, 1], [1, 1, 1, 1]])
    start = np.array([[10.0], [0.0]])

    def step(x: Array, states: list[Array]) -> tuple[Array, list[Array]]:
        return 2 * x, [states[0] + x]

    last, outputs, (state,) = rnn(step, inputs, [start], mask=mask)
    np.testing.assert_array_equal(outputs[:, :, 0], [[0, 4, 4, 8], [10, 12, 14, 16]])
    np.testing.assert_array_equal(last, [[8], [16]])
    np.testing.assert_array_equal(state, [[16], [26]])


MASKED = {
    "previous": [0, 4, 4, 8],
    "first state": [10, 4, 12, 8],
    "computed": [2, 4, 6, 8],
    "zeros": [0, 4, 0, 8],
}


@pytest.mark.parametrize("masked", MASKED)
def test_masked_steps_keep_states_under_every_reading_of_their_outputs(masked: str) -> None:
    inputs, mask = np.arange(1.0, 5.0).reshape(1, 4, 1), np.array([[0, 1, 0, 1]])

    def step(x: Array, states: list[Array]) -> tuple[Array, list[Array]]:
        return 2 * x, [states[0] + x]

    _, outputs, (state,) = rnn(step, inputs, [np.array([[10.0]])], mask=mask, masked=masked)
    np.testing.assert_array_equal(outputs[0, :, 0], MASKED[masked])
    assert state == 16


def test_constants_come_after_the_states_or_before() -> None:
    def step(_: Array, held: list[Array]) -> tuple[Array, list[Array]]:
        return held[0] - 2 * held[1], held[:1]

    inputs, state, constant = np.zeros((1, 1, 1)), np.array([[3.0]]), np.array([[5.0]])
    assert rnn(step, inputs, [state], constants=[constant])[0] == -7
    assert rnn(step, inputs, [state], constants=[constant], constants_first=True)[0] == -1


def test_in_time_only_the_outputs_are_turned_round() -> None:
    inputs = np.arange(3.0).reshape(1, 3, 1)

    def add(x: Array, states: list[Array]) -> tuple[Array, list[Array]]:
        return states[0] + x, [states[0] + x]

    start = [np.zeros((1, 1))]
    last, outputs, (state,) = rnn(add, inputs, start, go_backwards=True, in_time=True)
    np.testing.assert_array_equal(outputs[0, :, 0], [3, 3, 2])
    assert last == state == 3
    forwards = rnn(add, inputs, start, in_time=True)[1]
    np.testing.assert_array_equal(forwards[0, :, 0], [0, 1, 3])


def test_backwards_the_outputs_are_in_the_order_of_iteration() -> None:
    inputs = np.arange(3.0).reshape(1, 3, 1)
    last, outputs, _ = rnn(lambda x, _: (x, []), inputs, [], go_backwards=True)
    np.testing.assert_array_equal(outputs[0, :, 0], [2, 1, 0])
    assert last == 0


def test_folds_and_maps() -> None:
    elems = np.array([1.0, 2.0, 3.0])
    assert foldl(lambda acc, x: acc - x, elems) == -4
    assert foldr(lambda acc, x: acc - x, elems) == 0
    assert foldl(lambda acc, x: 2 * acc + x, elems, 1.0) == 19
    assert foldr(lambda acc, x: 2 * acc + x, elems, 1.0) == 25
    np.testing.assert_array_equal(map_fn(lambda x: [x, x], elems), [[1, 1], [2, 2], [3, 3]])


def test_a_condition_of_a_lower_rank_chooses_slices() -> None:
    x, y = np.ones((2, 3)), np.zeros((2, 3))
    np.testing.assert_array_equal(switch(np.array([1, 0]), x, lambda: y), [[1] * 3, [0] * 3])
    with pytest.raises(ValueError, match="rank"):
        switch(np.ones((2, 3, 1)), x, y)


def test_the_axes_of_a_condition_may_be_the_last_ones() -> None:
    x, y = np.ones((2, 3)), np.zeros((2, 3))
    chosen = switch(np.array([1, 0, 1]), x, y, trailing=True)
    np.testing.assert_array_equal(chosen, [[1, 0, 1]] * 2)
    with pytest.raises(ValueError, match="broadcast"):
        switch(np.array([1, 0]), x, y, trailing=True)


@pytest.mark.parametrize(
    ("true", "expected"),
    [("but zero", [0, 1, 1, 1]), ("positive", [0, 1, 1, 0]), ("one", [0, 1, 0, 0])],
)
def test_which_integers_are_true(true: str, expected: list[int]) -> None:
    chosen = switch(np.array([0, 1, 2, -1]), np.ones(4), np.zeros(4), true=true)
    np.testing.assert_array_equal(chosen, expected)
