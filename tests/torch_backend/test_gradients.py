"""Autograd beside the symbolic gradients of the reference, and beside what is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed here; `nox -s torch` runs this")

import conformance.reference as R  # noqa: N812
import conformance.torch_backend as K  # noqa: N812
from tests.bounds import assert_same, library

pytestmark = pytest.mark.torch

RNG = np.random.default_rng(0)

Build = Callable[[Any, Any], Any]

LOSSES: dict[str, tuple[tuple[int, ...], Build]] = {
    "softsign": ((7,), lambda k, x: k.softsign(100 * x)),
    "tanh": ((7,), lambda k, x: k.tanh(9 * x)),
    "sigmoid": ((7,), lambda k, x: k.sigmoid(30 * x)),
    "softplus": ((7,), lambda k, x: k.softplus(20 * x)),
    "elu": ((7,), lambda k, x: k.elu(x, 0.3)),
    "softmax": ((3, 4), lambda k, x: k.square(k.softmax(x))),
    "logsumexp": ((3, 4), lambda k, x: k.logsumexp(x, axis=1)),
    "std of equal numbers": ((3, 4), lambda k, x: k.std(k.zeros_like(x) * x, axis=1)),
    "var": ((3, 4), lambda k, x: k.var(x, axis=(0, 1))),
    "prod with zeros": ((3, 4), lambda k, x: k.prod(k.relu(x), axis=0)),
    "cumprod": ((4,), lambda k, x: k.cumprod(x) * k.cumprod(k.relu(x))),
    "max": ((3, 4), lambda k, x: k.max(x, axis=1) * k.min(x, axis=1)),
    "gather": ((4, 2), lambda k, x: k.square(k.gather(x, k.constant([1, 1, 3], "int32")))),
    "getitem": ((4, 3), lambda k, x: x[::-2, 1] * x[1, None, 0]),
    "batch_dot": ((3, 4), lambda k, x: k.batch_dot(x, k.square(x), axes=1)),
    "conv2d": (
        (2, 5, 5, 3),
        lambda k, x: k.conv2d(
            x, k.reshape(x[0, :3, :4, :], (2, 2, 3, 3)), padding="same", strides=(2, 1)
        ),
    ),
    "conv2d_transpose": (
        (2, 3, 3, 2),
        lambda k, x: k.conv2d_transpose(
            x, k.reshape(x[0, :2, :2, :], (2, 2, 1, 2)), (2, 6, 6, 1), (2, 2), "same"
        ),
    ),
    "pool2d": ((2, 5, 5, 1), lambda k, x: k.pool2d(x, (2, 2), (2, 2), "same", pool_mode="avg") * 2),
    "batch_normalization": (
        (4, 3),
        lambda k, x: k.normalize_batch_in_training(x, x[0], x[1], (0,), 1e-3)[0],
    ),
    "rnn": (
        (2, 3, 4),
        lambda k, x: k.rnn(lambda s, h: (k.tanh(s + h[0]), [s * h[0]]), x, [x[:, 0]])[1],
    ),
    "foldl": ((4,), lambda k, x: k.foldl(lambda a, e: a * e + x[0], x)),
    "ctc_batch_cost": (
        (2, 5, 4),
        lambda k, x: k.ctc_batch_cost(
            k.constant([[1, 1], [0, 2]], "int32"),
            k.softmax(x),
            k.constant([[5], [3]], "int32"),
            k.constant([[2], [1]], "int32"),
        ),
    ),
    "derivatives": ((3,), lambda k, x: k.gradients(k.sum(x * x * x), [x])[0]),
}


@pytest.mark.parametrize("name", LOSSES)
def test_as_the_reference(name: str) -> None:
    shape, build = LOSSES[name]
    value = RNG.normal(size=shape)
    pairs = []
    for backend in (R, K):
        x = backend.variable(value, "float64")
        loss = backend.sum(build(backend, x))
        (gradient,) = backend.gradients(loss, [x])
        pairs.append(backend.function([], [loss, gradient])([]))
    for expected, got in zip(*pairs, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)


def values(tensors: list[Any]) -> list[Any]:
    return [K.eval(x).tolist() for x in tensors]


def test_of_tensors_on_the_way_which_depend_on_each_other() -> None:
    x = K.variable([1.0, 2.0])
    y = 3 * x
    z = K.stop_gradient(y)
    loss = K.sum(x * y * z)
    assert values(K.gradients(loss, [x, y, z])) == [[18, 72], [3, 12], [3, 12]]


def test_of_equal_tensors_each_for_itself() -> None:
    x = K.variable([2.0])
    first, other, same = 3 * x, 3 * x, K.cast(x, "float32")
    gradients = K.gradients(K.sum(first * other * same), [first, other, same, x])
    assert values(gradients) == [[12], [12], [36], [108]]


def test_zeros_without_a_connection() -> None:
    x, other = K.variable([1.0]), K.variable([[5.0]])
    gradients = [*K.gradients(K.sum(x), [other]), *K.gradients(K.sum(K.constant([1.0])), [x])]
    assert values(gradients) == [[[0]], [0]]


def test_inside_of_a_loop_through_what_is_computed_outside() -> None:
    w = K.variable([2.0])
    doubled = K.square(w)
    gradients = K.map_fn(lambda e: K.gradients(e * K.sum(doubled), [w])[0], K.constant([1.0, 10.0]))
    assert K.eval(gradients).tolist() == [[4], [40]]


def test_of_a_gradient_with_a_placeholder_and_several_losses() -> None:
    x = K.placeholder((2,))
    once = K.gradients(K.sum(K.exp(2 * x)), [x])[0]
    twice = K.gradients(K.sum(once), [x])[0]
    other = K.gradients(K.sum(x * once), [x])[0]
    zero = np.zeros(2, "float32")
    assert [y.tolist() for y in K.function([x], [once, twice, other])([zero])] == [
        [2, 2],
        [4, 4],
        [2, 2],
    ]


def test_updates_leave_no_history_behind() -> None:
    w = K.variable([1.0])
    step = K.function([], [], [(w, w - 0.5 * K.gradients(K.sum(w * w), [w])[0] + w)])
    for _ in range(3):
        step([])
    assert K.get_value(w).tolist() == [1]
    assert not w.value.requires_grad
    assert w.value.grad_fn is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_have_the_dtype_of_their_variable(dtype: str) -> None:
    x = K.variable([[1.0, 2.0]], dtype)
    loss = K.cast(K.sum(K.softmax(x)), "float64") * 2
    (gradient,) = K.gradients(loss, [x])
    assert K.eval(gradient).dtype == dtype


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("tanh", lambda x: 1 / np.cosh(x) ** 2),
        ("sigmoid", lambda x: np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))) ** 2),
        ("softsign", lambda x: 1 / (1 + np.abs(x)) ** 2),
    ],
)
def test_slopes_keep_their_digits_far_from_0(name: str, slope: Any) -> None:
    value = np.array([-30.0, -12.0, -1.0, 0.0, 1.0, 12.0, 30.0])
    x = K.variable(value, "float64")
    (gradient,) = K.gradients(K.sum(getattr(K, name)(x)), [x])
    # cosh has two exponentials; squares, sums and quotients on both sides
    assert_same(K.eval(gradient), slope(value), roundings=4 * library("exp") + 6)


def test_no_second_derivative_of_ctc() -> None:
    y = K.softmax(K.variable(RNG.normal(size=(1, 3, 3))))
    label = K.constant([[1]], "int32")
    loss = K.ctc_batch_cost(label, y, K.constant([[3]], "int32"), label)
    twice = K.gradients(K.sum(K.gradients(K.sum(loss), [y])[0]), [y])[0]
    with pytest.raises(ValueError, match="no second derivative"):
        K.eval(twice)
