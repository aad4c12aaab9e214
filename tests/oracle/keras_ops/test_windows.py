"""Convolutions, pools and patches of Keras 3: PyTorch's in float64, and definitions by loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from conformance.oracle import ORACLES, Expectation, expect
from conformance.oracle.expectation import Array
from conformance.oracle.variants import NoReadingError, read_otherwise
from conformance.specs import load
from conformance.specs.convention_names import ConventionName as Name
from tests.bounds import assert_right, assert_same

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
functional = torch.nn.functional

RNG = np.random.default_rng(0)
LENGTHS = {1: (7,), 2: (5, 6), 3: (4, 3, 5)}
KERNELS = {1: (3,), 2: (2, 3), 3: (2, 1, 3)}
CONVOLVED = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
TRANSPOSED = {
    1: functional.conv_transpose1d,
    2: functional.conv_transpose2d,
    3: functional.conv_transpose3d,
}


def _ask(name: str, **arguments: Any) -> Expectation:
    accuracy = load()[f"keras.ops.{name}"].accuracy
    assert accuracy is not None
    return expect(name, arguments, "float64", accuracy, flush_subnormals=False)


def _first(x: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


def _last(x: Any) -> Array:
    return np.moveaxis(np.asarray(x), 1, -1)


def _tensor(x: Array) -> Any:
    return torch.from_numpy(np.ascontiguousarray(x))


def _images(axes: int, channels: int) -> Array:
    return RNG.normal(size=(2, *LENGTHS[axes], channels))


def _as_torch_has_it(kernel: Array) -> Any:
    """(channels out, channels in, spatial dimensions)."""
    return _tensor(np.moveaxis(kernel, (-1, -2), (0, 1)))


@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("strides", [1, 2])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions(axes: int, strides: int, dilation: int) -> None:
    x, kernel = _images(axes, 2), RNG.normal(size=(*(2,) * axes, 2, 3))
    options = {"stride": strides, "dilation": dilation}
    expected = _last(CONVOLVED[axes](_tensor(_first(x)), _as_torch_has_it(kernel), **options))
    how = {"kernel": kernel, "strides": strides, "dilation_rate": [dilation] * axes}
    assert_right(expected, _ask("conv", x=x, **how))
    got = _ask("conv", x=_first(x), data_format="channels_first", **how)
    assert_right(_first(expected), got)


@pytest.mark.parametrize("axes", [1, 2])
def test_depthwise_and_separable_convolutions(axes: int) -> None:
    x, deep = _images(axes, 2), RNG.normal(size=(*KERNELS[axes], 2, 3))
    # in PyTorch a group is a channel, and its kernels come one after the other
    grouped = _tensor(np.moveaxis(deep.reshape(*KERNELS[axes], 1, 6), (-1, -2), (0, 1)))
    expected = CONVOLVED[axes](_tensor(_first(x)), grouped, groups=2, stride=2)
    assert_right(_last(expected), _ask("depthwise_conv", x=x, depthwise_kernel=deep, strides=2))
    point = RNG.normal(size=(*(1,) * axes, 6, 4))
    whole = _last(CONVOLVED[axes](expected, _as_torch_has_it(point)))
    arguments = {"depthwise_kernel": deep, "pointwise_kernel": point, "strides": 2}
    assert_right(whole, _ask("separable_conv", x=x, **arguments))


@pytest.mark.parametrize("more", [None, 0, 1])
@pytest.mark.parametrize(("strides", "dilation"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_transposed_convolutions(axes: int, strides: int, dilation: int, more: int | None) -> None:
    if more is not None and more >= strides:
        return
    x, kernel = _images(axes, 2), RNG.normal(size=(*(3,) * axes, 4, 2))
    options = {"stride": strides, "dilation": dilation, "output_padding": more or 0}
    expected = TRANSPOSED[axes](_tensor(_first(x)), _as_torch_has_it(kernel), **options)
    how = {"kernel": kernel, "strides": strides, "dilation_rate": dilation}
    assert_right(_last(expected), _ask("conv_transpose", x=x, output_padding=more, **how))


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_output_padding_adds_to_the_end_where_half_a_window_is_cut(size: int, more: int) -> None:
    """As PyTorch pads, which is one of the readings of `same-padding`."""
    x, kernel = _images(1, 2), RNG.normal(size=(size, 4, 2))
    options = {"stride": 2, "padding": size // 2, "output_padding": more}
    expected = functional.conv_transpose1d(_tensor(_first(x)), _as_torch_has_it(kernel), **options)
    how = {"kernel": kernel, "strides": 2, "padding": "same", "output_padding": more}
    read = read_otherwise("conv_transpose", {"x": x, **how}, ((Name.SAME_PADDING, "half"),))
    assert_right(_last(expected), _ask("conv_transpose", **read))
    assert _ask("conv_transpose", x=x, **how).value.shape == _last(expected).shape


@pytest.mark.parametrize("strides", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_a_transposed_convolution_of_same_is_the_adjoint(size: int, strides: int) -> None:
    """<conv(a), b> = <a, transposed(b)>, with the images that `same` shrinks to b."""
    b, kernel = RNG.normal(size=(1, 4, 2)), RNG.normal(size=(size, 3, 2))
    back = _ask("conv_transpose", x=b, kernel=kernel, strides=strides, padding="same").value
    a = RNG.normal(size=back.shape)
    forward = _ask("conv", x=a, kernel=kernel, strides=strides, padding="same").value
    magnitudes = np.abs(a).sum() * np.abs(b).sum() * np.abs(kernel).max()
    assert_same(np.vdot(forward, b), np.vdot(a, back), roundings=200, size=magnitudes)


def test_the_length_of_a_transposed_convolution_is_that_of_the_reading() -> None:
    x, kernel = np.ones((1, 3, 1)), np.ones((2, 1, 1))
    arguments: dict[str, Any] = {"x": x, "kernel": kernel, "strides": 4}
    shapes = {
        reading: ORACLES["conv_transpose"](
            **read_otherwise("conv_transpose", arguments, reading)
        ).shape
        for reading in ((), ((Name.INFERRED_LENGTH, "only reached"),))
    }
    assert [shape[1] for shape in shapes.values()] == [12, 10]
    even = {**arguments, "strides": 1, "padding": "same", "output_padding": 0}
    changed = read_otherwise("conv_transpose", even, ((Name.OUTPUT_PADDING, "as the input"),))
    assert ORACLES["conv_transpose"](**even).shape[1] == 2
    assert ORACLES["conv_transpose"](**changed).shape[1] == 3
    with pytest.raises(NoReadingError):
        read_otherwise("conv_transpose", arguments, ((Name.OUTPUT_PADDING, "as the input"),))


@pytest.mark.parametrize("moves", [None, 1, 2])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_pools(axes: int, moves: int | None) -> None:
    x = _images(axes, 2)
    for name, kind in (("max_pool", "max"), ("average_pool", "avg")):
        pooled = getattr(functional, f"{kind}_pool{axes}d")
        expected = _last(pooled(_tensor(_first(x)), 2, moves))
        assert_right(expected, _ask(name, x=x, pool_size=2, strides=moves))
        assert_right(expected, _ask(name, x=x, pool_size=[2] * axes, strides=moves))


def test_pools_without_strides_may_move_by_one() -> None:
    x = _images(1, 1)
    changed = read_otherwise(
        "max_pool", {"x": x, "pool_size": 2, "strides": None}, ((Name.POOL_STRIDES, "one"),)
    )
    assert_right(np.maximum(x[:, 1:], x[:, :-1]), _ask("max_pool", **changed))


@pytest.mark.parametrize("count", [1, 2, 3, (4, 5), (5, 6), [2, 4]])
def test_adaptive_pools(count: Any) -> None:
    x = _images(2, 3)
    operands = _tensor(_first(x)), tuple(count) if isinstance(count, list) else count
    assert_right(
        _last(functional.adaptive_avg_pool2d(*operands)),
        _ask("adaptive_average_pool", x=x, output_size=count),
    )
    assert_right(
        _last(functional.adaptive_max_pool2d(*operands)),
        _ask("adaptive_max_pool", x=x, output_size=count),
    )


def test_adaptive_windows_of_one_stride() -> None:
    """Of seven elements in three: the stride is two, and windows of three reach the end."""
    x = RNG.normal(size=(1, 7, 1, 1))
    arguments = {"x": x, "output_size": (3, 1)}
    changed = read_otherwise(
        "adaptive_max_pool", arguments, ((Name.ADAPTIVE_WINDOWS, "one stride"),)
    )
    expected = [x[0, a : a + 3].max() for a in (0, 2, 4)]
    np.testing.assert_array_equal(ORACLES["adaptive_max_pool"](**changed).ravel(), expected)


@pytest.mark.parametrize("padding", [0, 1, (2, 1)])
@pytest.mark.parametrize("stride", [1, 2, (1, 3)])
@pytest.mark.parametrize(("size", "dilation"), [(1, 1), ((2, 3), 1), (2, 2), ((1, 3), (2, 1))])
def test_patches_and_back(size: Any, dilation: Any, stride: Any, padding: Any) -> None:
    x = RNG.normal(size=(2, 3, 6, 5))
    how = {"dilation": dilation, "padding": padding, "stride": stride}
    expected = functional.unfold(_tensor(x), size, **how)
    assert_right(expected.numpy(), _ask("unfold", x=x, kernel_size=size, **how))
    back = functional.fold(expected, (6, 5), size, **how).numpy()
    arguments = {"x": expected.numpy(), "output_size": (6, 5), "kernel_size": size}
    assert_right(back, _ask("fold", **arguments, **how))


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("size", [2, 3])
def test_blocks_and_depth(size: int, data_format: str) -> None:
    deep = RNG.normal(size=(2, 2 * size**2, 3, 2))
    by_channel = functional.pixel_shuffle(_tensor(deep), size).numpy()
    x = deep if data_format == "channels_first" else np.moveaxis(deep, 1, -1)
    expected = by_channel if data_format == "channels_first" else np.moveaxis(by_channel, 1, -1)
    how: dict[str, Any] = {"block_size": size, "data_format": data_format}
    order = ((Name.DEPTH_ORDER, "channel by channel"),)
    there = ORACLES["depth_to_space"](**read_otherwise("depth_to_space", {"x": x, **how}, order))
    np.testing.assert_array_equal(there, expected)
    back = read_otherwise("space_to_depth", {"x": expected, **how}, order)
    np.testing.assert_array_equal(ORACLES["space_to_depth"](**back), x)
    own = ORACLES["depth_to_space"](x=x, **how)
    np.testing.assert_array_equal(ORACLES["space_to_depth"](x=own, **how), x)


def test_a_pixel_of_a_block_is_where_its_number_says() -> None:
    """Channel (i * size + j) * channels + c is channel c of the pixel in row i and column j."""
    x = RNG.normal(size=(1, 4, 6, 3))
    deep = ORACLES["space_to_depth"](x=x, block_size=2)
    for i, j, c in np.ndindex(2, 2, 3):
        np.testing.assert_array_equal(deep[..., (i * 2 + j) * 3 + c], x[:, i::2, j::2, c])


def test_the_ratio_of_a_peak_to_noise() -> None:
    x, y = np.array([0.5, 1.0, 0.25]), np.array([0.25, 1.0, 0.75])
    error = math.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / 3
    expected = 10 * math.log10(255.0**2 / error)
    assert_right(np.asarray(expected), _ask("psnr", x=x, y=y, max_val=255.0))
    assert np.isposinf(_ask("psnr", x=x, y=x, max_val=1.0).value)
