"""Invalid arguments are refused with an error that names them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812

X = K.placeholder((2, 3))
N = K.placeholder((2, 3), dtype="int32")
B = K.placeholder((2, 3), dtype="bool")
D = K.placeholder((2, 3), dtype="float64")

REFUSED: list[tuple[Any, str]] = [
    (lambda: K.sum(X, axis=2), "axis 2 is out of range"),
    (lambda: K.max(X, axis=(0, -3)), "-3 is out of range"),
    (lambda: K.sum(X, axis=(0, -2)), "twice"),
    (lambda: K.sum(X, axis=0.5), "must be an integer"),
    (lambda: K.sum(X, axis=True), "must be an integer"),
    (lambda: K.argmax(X, axis=None), "must be an integer"),
    (lambda: K.cumsum(B), "bool has no arithmetic"),
    (lambda: K.sum(np.ones(3)), "not a tensor"),
    (lambda: K.square([1, 2]), "not a tensor"),
    (lambda: X + D, "float32.*float64.*K.cast"),
    (lambda: K.maximum(X, N), "differ in dtype"),
    (lambda: K.equal(X, N), "differ in dtype"),
    (lambda: X / N, "differ in dtype"),
    (lambda: N + 0.5, "0.5 cannot be held in int32"),
    (lambda: K.cast(N, "uint8") + 256, "256 cannot be held|256.*bounds"),
    (lambda: X + "a", "not an array of numbers"),
    (lambda: K.maximum(1, 2), "must be a tensor"),
    (lambda: X + K.ones((4,)), "do not broadcast"),
    (lambda: K.pow(N, -1), "negative powers"),
    (lambda: K.clip(X, "a", 1), "min_value must be a Python number"),
    (lambda: K.clip(X, 0, None), "max_value must be a Python number"),
    (lambda: K.relu(N, alpha=0.5), "alpha"),
    (lambda: K.softmax(X, axis=2), "axis 2"),
    (lambda: K.softmax(K.variable(1.0)), "a scalar has no axes"),
    (lambda: K.dot(X, K.ones((2, 3))), "dimensions 3 and 2 must be equal"),
    (lambda: K.dot(X, K.variable(1.0)), "at least one axis"),
    (lambda: K.batch_dot(X, K.ones((2, 4))), "dimensions 3 and 4"),
    (lambda: K.batch_dot(X, K.ones((5, 3))), "batch axes"),
    (lambda: K.batch_dot(X, K.ones((3,))), "rank 2 or more"),
    (lambda: K.batch_dot(X, X, axes=0), "batch axis"),
    (lambda: K.batch_dot(X, X, axes=(1, 1, 1)), "a pair"),
    (lambda: K.batch_dot(X, X, axes=2), "out of range"),
    (lambda: K.concatenate([]), "at least one"),
    (lambda: K.concatenate(X), "list"),
    (lambda: K.concatenate([X, K.ones((3, 3))]), "dimensions 2 and 3"),
    (lambda: K.concatenate([X, D]), "differ in dtype"),
    (lambda: K.concatenate([X, K.ones((3,))]), "differ in rank"),
    (lambda: K.stack([X, K.ones((2, 4))]), "must be equal"),
    (lambda: K.reshape(X, (4, 2)), "do not fit"),
    (lambda: K.reshape(X, (4, -1)), "do not fit"),
    (lambda: K.reshape(X, (-1, -1)), "one -1"),
    (lambda: K.reshape(X, (-2, 3)), "negative"),
    (lambda: K.reshape(X, 6), "tuple"),
    (lambda: K.permute_dimensions(X, (0, 0)), "twice"),
    (lambda: K.permute_dimensions(X, (0,)), "each axis"),
    (lambda: K.repeat_elements(X, -1, axis=0), "rep is -1"),
    (lambda: K.repeat_elements(X, 2, axis=5), "axis 5"),
    (lambda: K.repeat(K.ones((2, 3, 4)), 2), "rank 2"),
    (lambda: K.tile(X, [1, 2, 3]), "one integer for each axis"),
    (lambda: K.tile(X, 2), "one integer for each axis"),
    (lambda: K.batch_flatten(K.variable(1.0)), "batch axis"),
    (lambda: K.expand_dims(X, axis=3), "axis 3"),
    (lambda: K.squeeze(X, axis=1), "has length 3"),
    (lambda: K.squeeze(X, axis=2), "axis 2"),
    (lambda: K.one_hot(X, 3), "K.cast"),
    (lambda: K.one_hot(N, -1), "num_classes"),
    (lambda: K.reverse(X, None), "axes is None"),
    (lambda: K.reverse(X, 2), "axes 2"),
    (lambda: K.slice(X, [0], [1]), "one entry for each axis"),
    (lambda: K.slice(X, [0, 2], [2, 2]), "leave axis 1"),
    (lambda: K.slice(X, [0, -1], [2, 1]), "leave axis 1"),
    (lambda: K.gather(X, X), "indices is float32"),
    (lambda: K.gather(K.variable(1.0), K.arange(1)), "at least one axis"),
    (lambda: K.variable(X), "K.eval"),
    (lambda: K.variable(["a"]), "not an array of numbers"),
    (lambda: K.variable(1, dtype="float31"), "dtype is 'float31'"),
    (lambda: K.constant([1, 2, 3], shape=(2, 2)), "give 1 or 4"),
    (K.placeholder, "give shape"),
    (lambda: K.placeholder((2, -1)), r"shape\[1\] is -1"),
    (lambda: K.placeholder(ndim=-1), "ndim is -1"),
    (lambda: K.placeholder(3), "tuple of integers"),
    (lambda: K.zeros((2, None)), r"shape\[1\]"),
    (lambda: K.zeros(3), "tuple of integers"),
    (lambda: K.eye(2.5), "size"),
    (lambda: K.arange(3, step=0), "step is 0"),
    (lambda: K.arange(0.5), "dtype"),
    (lambda: K.arange(float("inf")), "finite"),
    (lambda: K.cast(X, "complex64"), "dtype is 'complex64'"),
    (lambda: K.int_shape(np.ones(2)), "not a tensor"),
    (lambda: K.is_sparse(1), "not a tensor"),
    (lambda: K.set_floatx("int32"), "float16, float32, float64"),
    (lambda: K.set_epsilon("small"), "1e-07"),
    (lambda: K.set_image_data_format("tf"), "channels_last"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_refused_with_a_message(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_undocumented_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        K.sum(X, dim=0)
    with pytest.raises(TypeError):
        K.softplus(X, 1)


def test_errors_that_only_evaluation_can_see() -> None:
    x = K.placeholder((None, None))
    indices = K.placeholder((None,), dtype="int32")
    with pytest.raises(ValueError, match="size"):
        K.function([x], [K.squeeze(x, axis=0)])([np.ones((2, 3))])
    with pytest.raises(IndexError):
        K.function([x, indices], [K.gather(x, indices)])([np.ones((2, 3)), [2]])
    with pytest.raises(ValueError, match="leave axis 1"):
        K.function([x], [K.slice(x, [0, 2], [1, 2])])([np.ones((2, 3))])
    with pytest.raises(ValueError, match="batch_dot"):
        K.function([x], [K.batch_dot(x, K.ones((5, 3)))])([np.ones((2, 3))])
    with pytest.raises(ValueError, match="reshape"):
        K.function([x], [K.reshape(x, (4, 2))])([np.ones((2, 3))])


def test_indices_out_of_range() -> None:
    with pytest.raises(IndexError, match="out of range"):
        X[2]
    with pytest.raises(IndexError, match="axes"):
        X[0, 0, 0]
    with pytest.raises(TypeError, match="index"):
        X["a"]


def test_settings() -> None:
    try:
        K.set_floatx("float16")
        K.set_epsilon(1e-3)
        K.set_image_data_format("channels_first")
        assert K.dtype(K.variable(1)) == K.dtype(K.mean(N)) == "float16"
        assert (K.epsilon(), K.image_data_format()) == (1e-3, "channels_first")
    finally:
        K.set_floatx("float32")
        K.set_epsilon(1e-07)
        K.set_image_data_format("channels_last")
    K.reset_uids()
    assert [K.get_uid("a"), K.get_uid("a"), K.get_uid()] == [1, 2, 1]
    K.clear_session()
    assert K.get_uid("a") == 1
    assert K.backend() == "conformance.reference"
    assert K.is_tensor(X)
    assert K.is_placeholder(X)
    assert not K.is_placeholder(K.variable(1.0))
