"""Convolutions and pooling against SciPy and against loops over every output element."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import signal

from conformance.oracle.expectation import Array
from tests.bounds import assert_right, assert_same
from tests.oracle.support import DTYPES, allowed, ask

RNG = np.random.default_rng(11)
SETTINGS = [
    (strides, padding, dilation)
    for strides in (1, 2, 3)
    for padding in ("valid", "same", "causal")
    for dilation in (1, 2)
]
IMAGES = {1: (7,), 2: (5, 6), 3: (3, 4, 3)}
KERNELS = {1: (3,), 2: (2, 3), 3: (2, 1, 2)}


def margins(n: int, k: int, stride: int, padding: str, rate: int) -> tuple[int, int]:
    """Positions and elements in front, by TensorFlow's published formulas."""
    span = (k - 1) * rate + 1
    if padding == "valid":
        return -(-(n - span + 1) // stride), 0
    count = -(-n // stride)
    if padding == "causal":
        return count, span - 1
    return count, max((count - 1) * stride + span - n, 0) // 2


def by_definition(x: Array, kernel: Array, strides: int, padding: str, dilation: int) -> Array:
    """Every output element as a sum over the kernel, channels last."""
    spatial, sizes = x.shape[1:-1], kernel.shape[:-2]
    margins_of_axes = [
        margins(n, k, strides, padding, dilation) for n, k in zip(spatial, sizes, strict=True)
    ]
    result = np.zeros((len(x), *(count for count, _ in margins_of_axes), kernel.shape[-1]))
    place: Any
    tap: Any
    for place in product(*(range(count) for count, _ in margins_of_axes)):
        for tap in product(*map(range, sizes)):
            at: Any = tuple(
                p * strides - before + t * dilation
                for p, t, (_, before) in zip(place, tap, margins_of_axes, strict=True)
            )
            if all(0 <= a < n for a, n in zip(at, spatial, strict=True)):
                seen = np.moveaxis(x, 0, -2)[*at]
                result[:, *place] += seen @ kernel[tap]
    return result


def first(x: Array) -> Array:
    """Channels-last images as channels-first."""
    return np.moveaxis(x, -1, 1)


def images(axes: int, channels: int = 2, dtype: str = "float64") -> Array:
    return RNG.normal(size=(2, *IMAGES[axes], channels)).astype(dtype)


def weights(axes: int, *channels: int, dtype: str = "float64") -> Array:
    return RNG.normal(size=(*KERNELS[axes], *channels)).astype(dtype)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_valid_convolution_is_scipys_correlation(axes: int) -> None:
    x, kernel = images(axes, 1), weights(axes, 1, 1)
    right = [signal.correlate(image, kernel[..., 0], mode="valid", method="direct") for image in x]
    assert_right(right, ask(f"conv{axes}d", x=x, kernel=kernel))


@pytest.mark.parametrize(("strides", "padding", "dilation"), SETTINGS)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions_by_definition(axes: int, strides: int, padding: str, dilation: int) -> None:
    x, kernel = images(axes), weights(axes, 2, 3)
    if padding == "valid" and dilation == 2:
        kernel = kernel[tuple(slice(0, 2) for _ in range(axes))]
    how: dict[str, Any] = {"strides": (strides,) * axes, "padding": padding}
    how["dilation_rate"] = (dilation,) * axes
    expectation = ask(f"conv{axes}d", x=x, kernel=kernel, **how)
    assert_right(by_definition(x, kernel, strides, padding, dilation), expectation)
    got = expectation.value
    swapped = ask(f"conv{axes}d", x=first(x), kernel=kernel, data_format="channels_first", **how)
    np.testing.assert_array_equal(swapped.value, first(got))
    layout = np.moveaxis(kernel, (-1, -2), (0, 1))
    th = ask(f"conv{axes}d", x=first(x), kernel=layout, data_format="th", **how)
    np.testing.assert_array_equal(th.value, first(got))


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("strides", [1, 2, 3])
@pytest.mark.parametrize("axes", [2, 3])
def test_the_transposed_convolution_is_the_adjoint(axes: int, strides: int, padding: str) -> None:
    """<conv(a), b> = <a, transposed(b)> for all a and b."""
    a, kernel = images(axes), weights(axes, 2, 3)
    how: dict[str, Any] = {"strides": (strides,) * axes, "padding": padding}
    forward = ask(f"conv{axes}d", x=a, kernel=kernel, **how).value
    b = RNG.normal(size=forward.shape)
    name = f"conv{axes}d_transpose"
    back = ask(name, x=b, kernel=kernel, output_shape=a.shape, **how).value
    # each side sums one product of three factors for every pair of elements and weight
    most = ask(f"conv{axes}d", x=np.abs(a), kernel=np.abs(kernel), **how).value
    counted = kernel.size + max(a.size, b.size) + 2
    size = np.vdot(most, np.abs(b))
    assert_same(np.vdot(forward, b), np.vdot(a, back), roundings=counted, size=size)
    swapped = ask(
        name,
        x=first(b),
        kernel=kernel,
        output_shape=first(a).shape,
        data_format="channels_first",
        **how,
    )
    np.testing.assert_array_equal(swapped.value, first(back))


def test_an_output_shape_that_no_convolution_shrinks_to_the_input() -> None:
    with pytest.raises(ValueError, match="does not turn"):
        ask("conv2d_transpose", x=images(2), kernel=weights(2, 1, 2), output_shape=(2, 5, 5, 1))


@pytest.mark.parametrize(("strides", "dilation"), [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_depthwise_and_separable(padding: str, strides: int, dilation: int) -> None:
    x, deep = images(2, 3), weights(2, 3, 2)
    how: dict[str, Any] = {"strides": (strides,) * 2, "padding": padding}
    how["dilation_rate"] = (dilation,) * 2
    each = [
        by_definition(x[..., c : c + 1], deep[..., c : c + 1, :], strides, padding, dilation)
        for c in range(3)
    ]
    expected = np.concatenate(each, axis=-1)
    assert_right(expected, ask("depthwise_conv2d", x=x, depthwise_kernel=deep, **how))
    point = RNG.normal(size=(1, 1, 6, 4))
    both = ask("separable_conv2d", x=x, depthwise_kernel=deep, pointwise_kernel=point, **how)
    assert_right(expected @ point[0, 0], both)


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
def test_unshared_weights(strides: tuple[int, int], data_format: str) -> None:
    x = images(2, 3)
    fed = x if data_format == "channels_last" else first(x)
    rows, columns = (4 - 1) // strides[0] + 1, (4 - 1) // strides[1] + 1
    kernel = RNG.normal(size=(rows * columns, 2 * 3 * 3, 4))
    expected = np.zeros((2, rows, columns, 4))
    for i, j in product(range(rows), range(columns)):
        top, left = i * strides[0], j * strides[1]
        window = x[:, top : top + 2, left : left + 3]
        window = window if data_format == "channels_last" else first(window)
        expected[:, i, j] = window.reshape(2, -1) @ kernel[i * columns + j]
    got = ask(
        "local_conv2d",
        inputs=fed,
        kernel=kernel,
        kernel_size=(2, 3),
        strides=strides,
        output_shape=(rows, columns),
        data_format=data_format,
    )
    assert_right(expected if data_format == "channels_last" else first(expected), got)


def test_unshared_weights_on_sequences() -> None:
    x, kernel = images(1, 3), RNG.normal(size=(3, 9, 2))
    expected = np.stack([x[:, 2 * i : 2 * i + 3].reshape(2, -1) @ kernel[i] for i in range(3)], 1)
    for data_format in (None, "channels_first"):
        got = ask(
            "local_conv1d",
            inputs=x,
            kernel=kernel,
            kernel_size=(3,),
            strides=(2,),
            data_format=data_format,
        )
        assert_right(expected, got)


@pytest.mark.parametrize("mode", ["max", "avg"])
@pytest.mark.parametrize(("strides", "padding"), [(1, "valid"), (2, "same"), (3, "same")])
@pytest.mark.parametrize("axes", [2, 3])
def test_pooling_by_definition(axes: int, strides: int, padding: str, mode: str) -> None:
    # eighths, so that no sum is rounded, whatever its order
    x, sizes = np.round(images(axes) * 8) / 8, KERNELS[axes]
    margins_of_axes = [
        margins(n, k, strides, padding, 1) for n, k in zip(IMAGES[axes], sizes, strict=True)
    ]
    expected = np.zeros((2, *(count for count, _ in margins_of_axes), 2))
    place: Any
    for place in product(*(range(count) for count, _ in margins_of_axes)):
        starts = [
            p * strides - before for p, (_, before) in zip(place, margins_of_axes, strict=True)
        ]
        inside: Any = tuple(slice(max(a, 0), a + k) for a, k in zip(starts, sizes, strict=True))
        window = np.asarray(x[(slice(None), *inside)]).reshape(2, -1, 2)
        expected[(slice(None), *place)] = window.max(1) if mode == "max" else window.mean(1)
    how: dict[str, Any] = {"pool_size": sizes, "strides": (strides,) * axes, "padding": padding}
    got = ask(f"pool{axes}d", x=x, pool_mode=mode, **how)
    assert_right(expected, got)
    assert mode == "avg" or not got.bound.any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_in_the_dtype_are_inside_the_bounds_in_any_order(dtype: str) -> None:
    for _ in range(10):
        x, kernel = images(2, 2, dtype), weights(2, 2, 3, dtype=dtype)
        expected = np.zeros((2, 4, 4, 3), dtype)
        taps = list(product(range(2), range(3), range(2)))
        for i, j, c in RNG.permutation(taps):
            expected += x[:, i : i + 4, j : j + 4, c, np.newaxis] * kernel[i, j, c]
        assert allowed("conv2d", expected, x=x, kernel=kernel)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_wrong_element_or_a_flipped_kernel_is_outside(dtype: str) -> None:
    x, kernel = images(2, 2, dtype), weights(2, 2, 3, dtype=dtype)
    right = ask("conv2d", x=x, kernel=kernel).value
    wrong = right.copy()
    wrong[1, 2, 3, 0] += 256 * float(np.finfo(dtype).eps)
    assert not allowed("conv2d", wrong.astype(dtype), x=x, kernel=kernel)
    flipped = ask("conv2d", x=x, kernel=kernel[::-1, ::-1]).value
    assert not allowed("conv2d", flipped.astype(dtype), x=x, kernel=kernel)


def test_infinities_times_zeros_are_no_numbers() -> None:
    x = np.array([np.inf, 0.0], np.float64).reshape(1, 2, 1)
    got = ask("conv1d", x=x, kernel=np.zeros((1, 1, 1))).value
    np.testing.assert_array_equal(got.ravel(), [np.nan, 0.0])
