"""What plans leave out: values that are there already, branches not taken, arrays not needed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference.symbolic.functions import CompiledFunction
from conformance.reference.symbolic.graph import Tensor
from conformance.reference.symbolic.plans import plan
from tests.bounds import assert_same, library

ONE = np.ones((2, 3), dtype="float32")


def operations(targets: list[Any], settings: dict[Tensor, bool] | None = None) -> Counter[str]:
    """How often a plan computes each operation."""
    planned = plan(targets, [], K.BACKEND.library, settings or {})
    return Counter(planned.nodes[slot].operation for slot, *_ in planned.steps)


def x_() -> Any:
    return K.placeholder((None, 3))


def test_what_is_the_same_is_computed_once() -> None:
    x = x_()
    assert operations([K.exp(x) + K.exp(x)]) == {"exp": 1, "add": 1}
    assert operations([K.sum(x, axis=0), K.sum(x, axis=-2), K.sum(x, axis=1)]) == {"sum": 2}
    assert operations([K.identity(K.stop_gradient(x)) * K.cast(x, "float32")]) == {"multiply": 1}


def test_what_is_not_the_same_is_not() -> None:
    x = x_()
    assert operations([K.relu(x, alpha=0.0), K.relu(x, alpha=-0.0)]) == {"relu": 2}
    assert operations([x - 1, 1 - x, K.exp(x), K.exp(-x)])["subtract"] == 2
    drawn = K.function([], [K.random_uniform((9,)), K.random_uniform((9,))])([])
    assert not np.array_equal(*drawn)


def test_every_message_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    x = K.constant([1.0])
    K.function([], [K.print_tensor(x, "a "), K.print_tensor(x, "a ")])([])
    assert capsys.readouterr().out.count("a ") == 2


def test_a_known_phase_computes_one_branch() -> None:
    x, phase = x_(), K.placeholder((), dtype="bool")
    chosen = K.switch(phase, K.exp(x), K.sqrt(x))
    assert operations([chosen], {phase: True}) == {"exp": 1}
    assert operations([chosen], {phase: False}) == {"sqrt": 1}
    assert operations([chosen]).keys() >= {"exp", "sqrt", "choose"}


@pytest.mark.parametrize("dtype", ["bool", "int32"])
def test_a_function_follows_the_phase_of_each_call(dtype: str) -> None:
    x, phase = x_(), K.placeholder((), dtype=dtype)
    y = K.switch(phase, K.exp(x), K.switch(phase, x, -x))
    f = K.function([x, phase], [y, *K.gradients(y, [x])])
    for value in (1, 0, 1, 0):
        y, slope = f([ONE, np.array(value, dtype)])
        for result in (y, slope):
            expected = np.exp(ONE) if value else -ONE
            assert_same(result, expected, roundings=library("exp"), dtype="float32")


def test_the_default_of_the_learning_phase_counts() -> None:
    x = x_()
    phase = K.learning_phase()
    chosen = K.in_train_phase(x + 1, x - 1)
    assert K.function([x], [chosen])([ONE])[0].max() == 0
    assert K.function([x, phase], [chosen])([ONE, True])[0].min() == 2


def test_no_gradient_comes_back_from_a_branch_that_is_not_taken() -> None:
    x, phase = x_(), K.placeholder((), dtype="bool")
    y = K.switch(phase, K.square(x), K.sqrt(x))
    slope = K.gradients(y, [x])
    assert "sqrt" not in operations(slope, {phase: True})
    zeros = 0 * ONE
    assert K.function([x, phase], slope)([zeros, True])[0].tolist() == zeros.tolist()
    assert np.isinf(K.function([x, phase], slope)([zeros, False])[0]).all()


def test_zeros_of_the_user_are_numbers_like_all_others() -> None:
    x, phase = x_(), K.placeholder((), dtype="bool")
    y = K.switch(phase, K.zeros_like(x), x) * K.log(x * 0) + K.zeros_like(x)
    assert np.isnan(K.function([x, phase], [y])([ONE, True])[0]).all()


def test_many_switches_have_one_plan() -> None:
    x = x_()
    phases = [K.placeholder((), dtype="bool") for _ in range(5)]
    y = x
    for i, phase in enumerate(phases):
        y = K.switch(phase, y + 2**i, y)
    f = K.function([x, *phases], [y])
    for number in (0, 5, 31):
        bits = [np.array(bool(number >> i & 1)) for i in range(5)]
        assert (f([0 * ONE, *bits])[0] == number).all()
    assert len(f._plans) == 1


def test_branches_of_different_shapes_are_still_refused() -> None:
    x, y, phase = x_(), K.placeholder((None, None)), K.placeholder((), dtype="bool")
    f = K.function([x, y, phase], [K.switch(phase, x, y)])
    with pytest.raises(ValueError, match="must be the same"):
        f([ONE, ONE[:, :2], True])


def test_arrays_are_let_go() -> None:
    x = K.placeholder((None,))
    planned = plan([K.exp(K.exp(x)) + x], [x], K.BACKEND.library)
    values = [np.ones(3, "float32"), *planned.constants[1:]]
    planned.run(values)
    assert [value is None for value in values] == [True, True, True, False]


def test_outputs_share_no_memory() -> None:
    x = x_()
    f = CompiledFunction([x], [x, K.identity(x), K.stop_gradient(x)], [])
    results = f([ONE])
    assert not any(np.shares_memory(a, ONE) for a in results)
    assert not np.shares_memory(results[0], results[1])


def test_loops_are_differentiated_after_other_inputs_too() -> None:
    """What a loop keeps for its gradients is of the same call."""
    x = K.placeholder((1, None, 1), dtype="float64")
    start = K.placeholder((1, 1), dtype="float64")
    _, outputs, _ = K.rnn(lambda a, s: (a * s[0], [a * s[0]]), x, [start])
    loss = K.sum(outputs[:, -1])
    value, slope = K.function([x, start], [loss]), K.function([x, start], K.gradients(loss, [x]))
    for scale in (1.0, 2.0):
        a = scale * np.array([[[2.0], [3.0], [5.0]]])
        value([a + 1, [[7.0]]])
        assert_same(slope([a, [[1.0]]])[0], a.prod() / a, roundings=a.size)
