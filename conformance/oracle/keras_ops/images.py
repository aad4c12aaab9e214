"""Images of Keras 3: windows that adapt to the size of a result, patches, blocks and depth, PSNR.

* An adaptive pooling divides n elements into m windows: the i-th begins at floor(i n / m) and ends
  before ceil((i + 1) n / m) (PyTorch, torch.nn.AdaptiveAvgPool2d). A mean of k elements has the
  bound gamma_(k + 2) sum |x| / k, as in `pooling`, with the largest k.
* A patch is a window on all channels of an image, laid out channel by channel. To fold patches adds
  up what stands at one place, at most one number for each place of a window: gamma_n of the sum of
  magnitudes.
* The peak signal-to-noise ratio is 10 log10(max^2 / mse) with the mean of squared differences. It
  is conditioned: what it loses is what moved inputs change.

Source: beside those named, the docstrings of `keras.ops`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product as combinations
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude
from conformance.oracle.windows import Numbers, each, from_format, to_format

Bounded = tuple[Array, Array]


def _ends(length: int, count: int, one_stride: bool) -> list[tuple[int, int]]:
    """The beginning and the end of each window."""
    if one_stride:
        stride = length // count
        size = length - (count - 1) * stride
        return [(i * stride, i * stride + size) for i in range(count)]
    return [(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]


def _adaptive(combine: Callable[..., Any]) -> Callable[..., Array]:
    def oracle(
        x: Array,
        output_size: Numbers,
        *,
        data_format: str | None = None,
        one_stride: bool = False,
    ) -> Array:
        images = from_format(x, data_format)
        for axis, count in enumerate(each(output_size, images.ndim - 2), 1):
            ends = _ends(images.shape[axis], count, one_stride)
            moved = np.moveaxis(images, axis, 0)
            images = np.moveaxis(np.stack([combine(moved[a:b], 0) for a, b in ends]), 0, axis)
        return to_format(images, data_format)

    return oracle


adaptive_average_pool = _adaptive(np.mean)
adaptive_max_pool = _adaptive(np.max)


def _longest(x: Array, output_size: Numbers, how: Mapping[str, Any]) -> int:
    """The most elements of a window."""
    lengths = from_format(x, how.get("data_format")).shape[1:-1]
    pairs = zip(lengths, each(output_size, len(lengths)), strict=True)
    every = (_ends(n, m, bool(how.get("one_stride"))) for n, m in pairs)
    return math.prod(max(b - a for a, b in ends) for ends in every)


def bounded_adaptive_average(
    model: Arithmetic, x: Array, output_size: Numbers, **how: Any
) -> Bounded:
    """Value and bound of `adaptive_average_pool`.

    Shapes: x (batch, spatial..., channels), or with channels first; value and bound have the
    spatial axes of `output_size`.
    """
    n = _longest(x, output_size, how)
    magnitude = adaptive_average_pool(finite_magnitude(x), output_size, **how)
    factor = allowance(n + 2, model)
    bound = factor * magnitude + (2 if model.flushes else 1) * model.underflow
    risky = n * magnitude * (1 + factor) >= model.overflow
    return adaptive_average_pool(x, output_size, **how), np.where(risky, np.inf, bound)


def _places(
    lengths: Sequence[int], sizes: Sequence[int], dilation: Sequence[int], stride: Sequence[int]
) -> list[tuple[slice, ...]]:
    """For each place of a window the elements that stand there, by rows."""
    axes = list(zip(lengths, sizes, dilation, stride, strict=True))
    counts = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in axes]
    if min(counts) < 1:
        raise ValueError(f"windows {tuple(sizes)} do not fit {tuple(lengths)}")
    steps = list(zip(dilation, stride, counts, strict=True))
    every = combinations(*(range(k) for k in sizes))
    return [
        tuple(
            slice(i * d, i * d + (n - 1) * s + 1, s) for i, (d, s, n) in zip(at, steps, strict=True)
        )
        for at in every
    ]


def unfold(
    x: Array,
    kernel_size: Numbers,
    *,
    dilation: Numbers = 1,
    padding: Numbers = 0,
    stride: Numbers = 1,
    **_: Any,
) -> Array:
    """(N, C * places of a window, windows) of (N, C, H, W)."""
    around = [(0, 0), (0, 0), *((p, p) for p in each(padding, 2))]
    whole = np.pad(x, around)
    sizes = each(kernel_size, 2)
    places = _places(whole.shape[2:], sizes, each(dilation, 2), each(stride, 2))
    parts = [whole[(slice(None), slice(None), *place)] for place in places]
    flat = [part.reshape(*part.shape[:2], math.prod(part.shape[2:])) for part in parts]
    joined = np.stack(flat, axis=2)
    return joined.reshape(len(x), x.shape[1] * len(places), joined.shape[-1])


def fold(
    x: Array,
    output_size: Numbers,
    kernel_size: Numbers,
    *,
    dilation: Numbers = 1,
    padding: Numbers = 0,
    stride: Numbers = 1,
) -> Array:
    """(N, C, H, W) of (N, C * places of a window, windows): what stands at one place is added."""
    sizes, around = each(kernel_size, 2), each(padding, 2)
    lengths = [n + 2 * p for n, p in zip(each(output_size, 2), around, strict=True)]
    places = _places(lengths, sizes, each(dilation, 2), each(stride, 2))
    whole = np.zeros((len(x), x.shape[1] // len(places), *lengths), x.dtype)
    parts = x.reshape(len(x), whole.shape[1], len(places), -1)
    for number, place in enumerate(places):
        where = (slice(None), slice(None), *place)
        whole[where] += parts[:, :, number].reshape(whole[where].shape)
    inside = (slice(p, n - p) for n, p in zip(lengths, around, strict=True))
    return whole[(slice(None), slice(None), *inside)]


def _stacked(kernel_size: Numbers, **_: Any) -> int:
    return math.prod(each(kernel_size, 2))


def bounded_fold(model: Arithmetic, x: Array, **how: Any) -> Bounded:
    """Value and bound of `fold`.

    Shapes: value and bound have the shape of `fold`.
    """
    n = _stacked(how["kernel_size"])
    magnitude = fold(finite_magnitude(x), **how)
    factor = allowance(max(n - 1, 1), model)
    bound = factor * magnitude + (n if model.flushes else 0) * model.underflow
    risky = magnitude * (1 + factor) >= model.overflow
    return fold(x, **how), np.where(risky & (n > 1), np.inf, bound)


def space_to_depth(
    x: Array, block_size: int, *, data_format: str = "channels_last", channels_outside: bool = False
) -> Array:
    """Blocks of pixels as channels: block by block; with `channels_outside` channel by channel.

    Shapes: x (batch, rows, columns, channels). The result is (batch, rows / b, columns / b,
    channels * b^2) for blocks of b x b, in the data format of x.
    """
    images = from_format(x, data_format)
    batch, rows, columns, channels = images.shape
    high, wide = rows // block_size, columns // block_size
    parts = images.reshape(batch, high, block_size, wide, block_size, channels)
    order = (0, 1, 3, 5, 2, 4) if channels_outside else (0, 1, 3, 2, 4, 5)
    deep = parts.transpose(order).reshape(batch, high, wide, channels * block_size**2)
    return to_format(deep, data_format)


def depth_to_space(
    x: Array, block_size: int, *, data_format: str = "channels_last", channels_outside: bool = False
) -> Array:
    """The inverse of `space_to_depth`.

    Shapes: x (batch, rows, columns, channels). The result is (batch, rows * b, columns * b,
    channels / b^2) for blocks of b x b, in the data format of x.
    """
    images = from_format(x, data_format)
    batch, high, wide, deep = images.shape
    channels = deep // block_size**2
    split = (
        (channels, block_size, block_size)
        if channels_outside
        else (block_size, block_size, channels)
    )
    parts = images.reshape(batch, high, wide, *split)
    order = (0, 1, 4, 2, 5, 3) if channels_outside else (0, 1, 3, 2, 4, 5)
    whole = parts.transpose(order).reshape(batch, high * block_size, wide * block_size, channels)
    return to_format(whole, data_format)


def psnr(x: Array, y: Array, max_val: float) -> Array:
    """10 log10(max_val^2 / mean((x - y)^2)); infinite of equal signals.

    Shapes: x and y have one shape; the result has the shape ().
    """
    error = np.sum(np.square(x - y)) / np.asarray(x.size, x.dtype)
    return np.asarray(10 * (2 * np.log10(x.dtype.type(max_val)) - np.log10(error)))


ORACLES: Mapping[str, Callable[..., Array]] = {
    "adaptive_average_pool": adaptive_average_pool,
    "adaptive_max_pool": adaptive_max_pool,
    "unfold": unfold,
    "fold": fold,
    "space_to_depth": space_to_depth,
    "depth_to_space": depth_to_space,
    "psnr": psnr,
}

TERMS: Mapping[str, Callable[..., int]] = {
    "adaptive_average_pool": lambda x, output_size, **how: _longest(x, output_size, how),
    "fold": _stacked,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "adaptive_average_pool": bounded_adaptive_average,
    "fold": bounded_fold,
}
