"""Convolutions and pooling of the reference, against the oracle and finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from tests.bounds import assert_right
from tests.oracle.support import ask
from tests.reference.test_editions import output

RNG = np.random.default_rng(3)
LENGTHS = {1: (7,), 2: (6, 5), 3: (3, 4, 3)}
SIZES = {1: (3,), 2: (3, 2), 3: (2, 1, 3)}


def images(axes: int, data_format: str, channels: int = 2) -> Any:
    shape = (channels, *LENGTHS[axes]) if data_format == "channels_first" else None
    return RNG.normal(size=(2, *(shape or (*LENGTHS[axes], channels))))


def check(name: str, arrays: dict[str, Any], **how: Any) -> None:
    """Value and static shape, of variables and of placeholders with unknown dimensions."""
    expectation = ask(name, **arrays, **how)
    for unknown in (False, True):
        (first, fed), *others = arrays.items()
        axis = 1 if how.get("data_format") == "channels_first" else fed.ndim - 1
        shape = tuple(n if i == axis else None for i, n in enumerate(fed.shape))
        x = K.placeholder(shape if unknown else fed.shape, dtype="float64")
        rest = {n: K.variable(a, dtype="float64") for n, a in others}
        result = getattr(K, name)(**{first: x}, **rest, **how)
        value = K.function([x], [result])([fed])[0]
        assert_right(value, expectation)
        known = K.int_shape(result)
        assert len(known) == value.ndim
        assert all(k in (None, n) for k, n in zip(known, value.shape, strict=True))
        assert unknown or known == value.shape


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("padding", ["valid", "same", "causal"])
@pytest.mark.parametrize(("strides", "dilation"), [(1, 1), (2, 1), (1, 2), (3, 2)])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions(
    axes: int, strides: int, dilation: int, padding: str, data_format: str
) -> None:
    if (padding == "causal" and axes > 1) or (padding == "valid" and axes == 3 and dilation > 1):
        return
    kernel = RNG.normal(size=(*SIZES[axes], 2, 3))
    many = {"strides": (strides,) * axes, "dilation_rate": (dilation,) * axes}
    single = {"strides": strides, "dilation_rate": dilation}
    arrays = {"x": images(axes, data_format), "kernel": kernel}
    how = single if axes == 1 else many
    check(f"conv{axes}d", arrays, padding=padding, data_format=data_format, **how)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize(("padding", "spatial"), [("valid", (14, 10)), ("same", (12, 9))])
def test_transposed(padding: str, spatial: tuple[int, int], data_format: str) -> None:
    kernel = RNG.normal(size=(4, 2, 3, 2))
    shape = (2, *spatial, 3) if data_format == "channels_last" else (2, 3, *spatial)
    arrays = {"x": images(2, data_format), "kernel": kernel}
    how: dict[str, Any] = {"strides": (2, 2), "padding": padding, "data_format": data_format}
    check("conv2d_transpose", arrays, output_shape=shape, **how)
    x, weights = (K.variable(a, dtype="float64") for a in arrays.values())
    computed = K.concatenate([K.shape(x)[:1], K.constant(shape[1:], dtype="int32")])
    result = K.conv2d_transpose(x, weights, computed, **how)
    assert K.int_shape(result) == K.eval(result).shape == shape


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_depthwise_and_separable(padding: str, data_format: str) -> None:
    arrays = {"x": images(2, data_format), "depthwise_kernel": RNG.normal(size=(3, 2, 2, 3))}
    how: dict[str, Any] = {"strides": (2, 1), "padding": padding, "data_format": data_format}
    check("depthwise_conv2d", arrays, **how)
    arrays["pointwise_kernel"] = RNG.normal(size=(1, 1, 6, 4))
    check("separable_conv2d", arrays, **how)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_unshared_weights(data_format: str) -> None:
    arrays = {"inputs": images(2, data_format), "kernel": RNG.normal(size=(8, 12, 3))}
    how: dict[str, Any] = {"kernel_size": (3, 2), "strides": (3, 1), "data_format": data_format}
    check("local_conv2d", arrays, output_shape=(2, 4), **how)


@pytest.mark.parametrize("mode", ["max", "avg"])
@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("axes", [2, 3])
def test_pooling(axes: int, padding: str, mode: str) -> None:
    arrays = {"x": images(axes, "channels_last")}
    how: dict[str, Any] = {"strides": (2,) * axes, "padding": padding, "pool_mode": mode}
    check(f"pool{axes}d", arrays, pool_size=SIZES[axes], **how)


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("name", ["conv2d", "separable", "max", "avg"])
def test_gradients_are_finite_differences(name: str, padding: str) -> None:
    x = K.variable(images(2, "channels_last"), dtype="float64")
    kernel = K.variable(RNG.normal(size=(3, 2, 2, 2)), dtype="float64")
    point = K.variable(RNG.normal(size=(1, 1, 4, 2)), dtype="float64")
    if name == "conv2d":
        result = K.conv2d(x, kernel, (2, 1), padding)
    elif name == "separable":
        result = K.separable_conv2d(x, kernel, point, (2, 1), padding)
    else:
        result = K.pool2d(x, (3, 2), (2, 1), padding, pool_mode=name)
    loss = K.sum(K.square(result))
    for tensor in {"conv2d": [x, kernel], "separable": [x, kernel, point]}.get(name, [x]):
        gradient = K.eval(K.gradients(loss, [tensor])[0])
        at = K.get_value(tensor)
        step = RNG.normal(size=at.shape)
        ends = []
        for sign in (1, -1):
            K.set_value(tensor, at + sign * 1e-6 * step)
            ends.append(float(K.eval(loss)))
        K.set_value(tensor, at)
        np.testing.assert_allclose(np.sum(gradient * step), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_the_gradient_of_a_convolution_is_the_transposed_one() -> None:
    x = K.variable(images(2, "channels_last"), dtype="float64")
    kernel = K.variable(RNG.normal(size=(3, 2, 2, 4)), dtype="float64")
    result = K.conv2d(x, kernel, (2, 2), "same")
    weights = K.variable(RNG.normal(size=K.int_shape(result)), dtype="float64")
    gradient = K.gradients(K.sum(result * weights), [x])[0]
    expected = K.conv2d_transpose(weights, kernel, K.int_shape(x), (2, 2), "same")
    tensors = {"x": K.get_value(weights), "kernel": K.get_value(kernel)}
    how = {"output_shape": K.int_shape(x), "strides": (2, 2), "padding": "same"}
    expectation = ask("conv2d_transpose", **tensors, **how)
    assert_right(K.eval(gradient), expectation)
    assert_right(K.eval(expected), expectation)


X = K.placeholder((2, 5, 5, 3))
KERNEL = K.placeholder((2, 2, 3, 4))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: K.conv2d(X, KERNEL, data_format="th"), "write 'channels_last'"),
        (lambda: K.conv2d(X, KERNEL, padding="causal"), "write 'valid' or 'same'"),
        (lambda: K.conv2d(X, KERNEL, strides=2), "write a tuple of 2 integers"),
        (lambda: K.conv2d(X, KERNEL, strides=(0, 1)), "from 1 up"),
        (lambda: K.conv2d(X, K.placeholder((2, 2, 2, 4))), "channels"),
        (lambda: K.conv2d(X, K.placeholder((6, 2, 3, 4))), "do not fit"),
        (lambda: K.conv2d(X, K.placeholder((2, 2, 3, 4), dtype="float64")), "differ in dtype"),
        (lambda: K.conv2d(K.placeholder((2, 5, 3)), KERNEL), "rank 4"),
        (lambda: K.conv1d(K.placeholder((2, 5, 3)), KERNEL), "rank 3"),
        (lambda: K.pool2d(X, (2, 2), pool_mode="min"), "write 'max' or 'avg'"),
        (lambda: K.pool2d(X, (2, 2), data_format="x"), "write 'channels_last'"),
        (lambda: K.pool3d(X, (2, 2, 2)), "rank 5"),
        (lambda: K.conv2d_transpose(X, K.placeholder((2, 2, 1, 3)), (2, 9, 9, 1)), "convolution"),
        (lambda: K.local_conv2d(X, K.placeholder((9, 9, 1)), (3, 3), (1, 1), (3, 3)), "fit"),
    ],
)
def test_errors_say_what_to_write(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


KERAS_1 = """
import numpy as np
import conformance.reference as K
x = np.arange(24.0).reshape(1, 4, 3, 2)
k = np.arange(24.0).reshape(2, 2, 2, 3)
last = K.eval(K.conv2d(K.variable(x), K.variable(k), dim_ordering="tf"))
th = K.conv2d(
    K.variable(x.transpose(0, 3, 1, 2)), K.variable(k.transpose(3, 2, 0, 1)), border_mode="valid"
)
print(np.array_equal(K.eval(th).transpose(0, 2, 3, 1), last))
print(K.int_shape(K.deconv2d(K.variable(x), K.variable(k), (1, 5, 4, 3), dim_ordering="tf")))
for wrong in (dict(dim_ordering="channels_last"), dict(dim_ordering=None), dict(data_format="tf")):
    try:
        K.conv2d(K.variable(x), K.variable(k), **wrong)
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
"""


def test_keras_1() -> None:
    lines = output("keras-1", KERAS_1).splitlines()
    assert lines == ["True", "(1, 5, 4, 3)", "ValueError", "ValueError", "TypeError"]
