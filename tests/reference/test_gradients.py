"""`gradients` and `stop_gradient`: conventions, errors, extreme values and ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference.numpy_library.kernels import KERNELS
from conformance.reference.symbolic.graph import Tensor
from conformance.reference.symbolic.rules import RULES
from tests.bounds import assert_same, library
from tests.reference.test_editions import output, run


def gradient(build: Any, values: Any, dtype: str = "float64") -> Any:
    """The gradient of the sum of a function at some values."""
    x = K.variable(values, dtype=dtype)
    return K.eval(K.gradients(K.sum(build(x)), [x])[0]).tolist()


def test_one_gradient_for_each_variable_in_their_order() -> None:
    x, y = K.variable([1.0, 2.0]), K.variable([[3.0, 4.0], [5.0, 6.0]])
    gradients = K.gradients(K.sum(K.square(x) * y), [y, x, y])
    assert isinstance(gradients, list)
    expected = [[[1, 4], [1, 4]], [16, 40], [[1, 4], [1, 4]]]
    assert [K.eval(g).tolist() for g in gradients] == expected


def test_of_placeholders_and_of_tensors_on_the_way() -> None:
    x = K.placeholder((None, 2))
    y = K.square(x)
    gradients = K.gradients(K.sum(K.square(y)), [x, y])
    assert [g.shape for g in gradients] == [(None, 2), (None, 2)]
    values = K.function([x], gradients)([[[1, 2], [3, -1]]])
    assert [v.tolist() for v in values] == [[[4, 32], [108, -4]], [[2, 8], [18, 2]]]


def test_a_loss_that_is_no_scalar_stands_for_its_sum() -> None:
    x = K.variable([1.0, 2.0])
    assert K.eval(K.gradients(x * x, [x])[0]).tolist() == [2, 4]
    assert K.eval(K.gradients(x, [x])[0]).tolist() == [1, 1]


def test_zeros_where_the_loss_does_not_depend() -> None:
    x, y = K.variable([1.0, 2.0]), K.placeholder((None, 3))
    loss = K.sum(K.stop_gradient(x)) + K.sum(K.cast(K.argmax(x), "float32"))
    gradients = K.gradients(loss, [x, y])
    assert gradients[1].shape == (None, 3)
    assert [v.tolist() for v in K.function([y], gradients)([np.ones((1, 3))])] == [
        [0, 0],
        [[0] * 3],
    ]


def test_values_are_current_at_every_evaluation() -> None:
    x = K.variable([1.0])
    step = K.function([], K.gradients(K.sum(K.square(x)), [x]))
    assert step([])[0].tolist() == step([])[0].tolist() == [2]
    K.set_value(x, [5.0])
    assert step([])[0].tolist() == [10]


def test_descent_reaches_the_minimum() -> None:
    x = K.variable([3.0, -4.0])
    loss = K.sum(K.square(x - 1))
    (slope,) = K.gradients(loss, [x])
    step = K.function([], [loss], updates=[K.update_sub(x, 0.25 * slope)])
    losses = [float(step([])[0]) for _ in range(40)]
    assert losses[0] == 29
    assert losses == sorted(losses, reverse=True)
    np.testing.assert_allclose(K.get_value(x), [1, 1], atol=1e-6)


def test_a_shared_node_is_visited_once_and_deep_graphs_work() -> None:
    x = K.variable([1.0], dtype="float64")
    y = x
    for _ in range(60):
        y = y + y
    assert K.eval(K.gradients(y, [x])[0]).tolist() == [2.0**60]
    for _ in range(3000):
        y = y + x
    assert K.eval(K.gradients(y, [x])[0]).tolist() == [2.0**60 + 3000]


def test_stop_gradient() -> None:
    x = K.variable([1.0, -2.0])
    assert K.eval(K.stop_gradient(x)).tolist() == [1, -2]
    assert gradient(lambda x: x * K.stop_gradient(x), [1.0, -2.0]) == [1, -2]
    tensors = K.stop_gradient([x, K.square(x)])
    assert isinstance(tensors, list)
    assert [K.eval(item).tolist() for item in tensors] == [[1, -2], [1, 4]]
    whole = K.stop_gradient(K.placeholder((None, 2), dtype="int32"))
    assert (whole.shape, whole.dtype) == ((None, 2), "int32")


def test_keras_1_stops_a_single_tensor_only() -> None:
    source = "K.stop_gradient([K.variable([1.0])])"
    done = run("keras-1", f"import conformance.reference as K\n{source}")
    assert "ValueError: stop_gradient: variables is a list, not a tensor" in done.stderr
    assert output("keras-2.0", f"print(len({source}))") == "1"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: K.gradients(x, x), "gradients: variables must be a list of at least one"),
        (lambda x: K.gradients(x, []), "gradients: variables must be a list of at least one"),
        (lambda x: K.gradients(1.0, [x]), "gradients: loss is a float, not a tensor"),
        (lambda x: K.gradients(x, [x, 2]), r"gradients: variables\[1\] is a int"),
        (
            lambda x: K.gradients(K.argmax(x), [x]),
            "gradients: .*int64.* is not a float; use K.cast",
        ),
        (lambda x: K.gradients(x, [K.variable([1], dtype="int32")]), "is not a float"),
        (lambda _: K.stop_gradient(3), "stop_gradient: variables is a int, not a tensor"),
        (lambda _: K.stop_gradient([]), "stop_gradient: variables must be a list of at least"),
    ],
)
def test_refused_with_a_message(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(K.variable([1.0]))


def test_an_operation_without_a_rule_is_named_where_it_is_on_the_way() -> None:
    x, y = K.variable([1.0]), K.variable([2.0])
    unruled = Tensor("unruled", (x,), {}, (1,), "float32")
    with pytest.raises(ValueError, match=r"gradients: unruled has no gradient.*K.stop_gradient"):
        K.gradients(unruled * y, [x])
    RULES["unruled"], KERNELS["unruled"] = RULES["identity"], KERNELS["identity"]
    try:
        assert K.eval(K.gradients(unruled * y, [y])[0]).tolist() == [1]
    finally:
        del RULES["unruled"], KERNELS["unruled"]


def test_ties_and_kinks() -> None:
    assert gradient(K.max, [2.0, 1.0, 2.0]) == [0.5, 0, 0.5]
    assert gradient(K.min, [1.0, 1.0, 1.0, 1.0]) == [0.25] * 4
    assert gradient(K.abs, [-1.0, 0.0, 1.0]) == [-1, 0, 1]
    assert gradient(K.relu, [-1.0, 0.0, 1.0]) == [0, 0, 1]
    assert gradient(lambda x: K.relu(x, 0.5, 2.0), [-1.0, 1.0, 2.0, 3.0]) == [0.5, 1, 1, 0]
    assert gradient(lambda x: K.clip(x, -1, 1), [-2.0, -1.0, 0.0, 1.0, 2.0]) == [0, 1, 1, 1, 0]
    x, y = K.variable([1.0]), K.variable([1.0])
    for function in (K.maximum, K.minimum):
        assert [K.eval(g).tolist() for g in K.gradients(function(x, y), [x, y])] == [[1], [0]]


def test_zeros_do_no_harm() -> None:
    assert gradient(K.prod, [0.0, 2.0, 3.0]) == [6, 0, 0]
    assert gradient(K.prod, [0.0, 2.0, 0.0]) == [0, 0, 0]
    assert gradient(K.cumprod, [0.0, 2.0, 3.0]) == [9, 0, 0]
    assert gradient(lambda x: K.pow(x, 0), [0.0]) == [0]
    assert gradient(lambda x: K.pow(x, 1), [0.0, -2.0]) == [1, 1]
    assert gradient(lambda x: K.pow(x, 2), [0.0, -2.0]) == [0, -4]


def test_extreme_values() -> None:
    assert gradient(K.sigmoid, [1000.0, -1000.0]) == [0, 0]
    assert gradient(K.softplus, [1000.0, -1000.0]) == [1, 0]
    assert gradient(K.tanh, [1000.0, -1000.0]) == [0, 0]
    assert gradient(K.softsign, [1e300, -1e300]) == [0, 0]
    assert gradient(K.elu, [1000.0, -1000.0]) == [1, 0]
    assert gradient(K.logsumexp, [1000.0, -1000.0]) == [1, 0]
    assert gradient(K.logsumexp, [-np.inf, 3.0]) == [0, 1]
    assert gradient(lambda x: K.softmax(x)[0], [1000.0, -1000.0]) == [0, 0]
    assert gradient(lambda x: 1 / x, [1e200]) == [-0.0]
    counted = 2 * library("exp") + 4
    assert_same(gradient(K.tanh, [30.0]), [4 * np.exp(-60)], roundings=counted)
    assert_same(gradient(K.sigmoid, [40.0]), [np.exp(-40)], roundings=counted)


def test_no_elements() -> None:
    for function in (K.sum, K.prod, lambda x: K.cumprod(x, axis=1), lambda x: K.cumsum(x, axis=1)):
        assert gradient(function, np.ones((2, 0))) == [[], []]


def test_float16_counts_beyond_its_largest_number() -> None:
    x = K.placeholder((None, 2), dtype="float16")
    g = K.function([x], K.gradients(K.mean(x) * 1000, [x]))([np.ones((50000, 2))])[0]
    assert g.dtype == "float16"
    assert np.all(g == np.float16(0.01))


def test_repeated_rows_add_up() -> None:
    x = K.variable([[1.0, 2.0], [3.0, 4.0]], dtype="float16")
    rows = K.constant([0] * 3000 + [-1], dtype="int32")
    assert K.eval(K.gradients(K.sum(K.gather(x, rows)), [x])[0]).tolist() == [[3000] * 2, [1, 1]]
