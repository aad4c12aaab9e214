"""Convolutions that share no weights between channels: depthwise ones, and separable ones.

Kernels, results and errors are as in `convolution`.
"""

from __future__ import annotations

import math
from typing import Any

from conformance.reference.convolution import Numbers, kernel_of, same_channels, sizes_of
from conformance.reference.edition import documented
from conformance.reference.images import (
    POSITIONS,
    TAPS,
    data_format_of,
    from_last,
    images_of,
    padding_of,
    per_axis,
    reshaped,
    windows_of,
)
from conformance.reference.symbolic.graph import Tensor, apply


def _depthwise(
    where: str,
    axes: int,
    x: Any,
    kernel: Any,
    *,
    strides: Any,
    padding: Any,
    layout: str,
    dilation_rate: Any,
) -> Tensor:
    """Each channel by its own kernels, channels last."""
    images = images_of(x, axes, layout, where)
    weights = kernel_of(kernel, axes, layout, where, "depthwise_kernel")
    same_channels(images, weights, -2, where)
    steps = per_axis(strides, axes, where, "strides")
    rates = per_axis(dilation_rate, axes, where, "dilation_rate")
    mode = padding_of(padding, where, "valid", "same")
    seen = windows_of(images, sizes_of(weights), steps, mode, dilation=rates)
    places, taps = POSITIONS[:axes], TAPS[:axes]
    labels = (f"b{places}{taps}c", f"{taps}cm", f"b{places}cm")
    deep = apply("contraction", seen, weights, labels=labels)
    known = [d for d in deep.shape[-2:] if d is not None]
    if len(known) < 2:
        raise ValueError(f"{where}: the channels of depthwise_kernel {weights!r} must be known")
    return reshaped(deep, axes + 1, math.prod(known))


def _separable(
    where: str,
    axes: int,
    x: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    *,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilation_rate: Any,
) -> Tensor:
    layout = data_format_of(data_format, where)
    deep = _depthwise(
        where,
        axes,
        x,
        depthwise_kernel,
        strides=strides,
        padding=padding,
        layout=layout,
        dilation_rate=dilation_rate,
    )
    point = kernel_of(pointwise_kernel, axes, layout, where, "pointwise_kernel")
    same_channels(deep, point, -2, where)
    if sizes_of(point) != (1,) * axes:
        raise ValueError(f"{where}: pointwise_kernel is {point!r}; its spatial size must be 1")
    for _ in range(axes):
        point = apply("squeeze", point, axis=0)
    places = POSITIONS[:axes]
    labels = (f"b{places}c", "co", f"b{places}o")
    return from_last(apply("contraction", deep, point, labels=labels), layout)


@documented(
    "ko-2.2:3163 separable_conv1d(x, depthwise_kernel, pointwise_kernel, strides=1, "
    "padding='valid', data_format=None, dilation_rate=1)",
)
def separable_conv1d(  # noqa: PLR0917 - as documented
    x: Tensor,
    depthwise_kernel: Tensor,
    pointwise_kernel: Tensor,
    strides: Numbers = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Numbers = 1,
) -> Tensor:
    """A depthwise convolution of sequences, then one with a kernel of width 1.

    Shapes: x (batch, steps, in), kernels (width, in, multiplier) and (1, in * multiplier, out). The
    result is (batch, steps, out), in the data format of x.
    """
    return _separable(
        "separable_conv1d",
        1,
        x,
        depthwise_kernel,
        pointwise_kernel,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )


@documented(
    "ja-2.0:3044 separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), "
    "padding='valid', data_format=None, dilation_rate=(1, 1))",
    "ko-2.2:3194 separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), "
    "padding='valid', data_format=None, dilation_rate=(1, 1))",
)
def separable_conv2d(  # noqa: PLR0917 - as documented
    x: Tensor,
    depthwise_kernel: Tensor,
    pointwise_kernel: Tensor,
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: tuple[int, int] = (1, 1),
) -> Tensor:
    """A depthwise convolution of images, then one with a kernel of 1 x 1.

    Shapes: x (batch, rows, columns, in), kernels (rows, columns, in, multiplier) and (1, 1, in *
    multiplier, out). The result is (batch, rows, columns, out), in the data format of x.
    """
    return _separable(
        "separable_conv2d",
        2,
        x,
        depthwise_kernel,
        pointwise_kernel,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )


@documented(
    "ko-2.2:3226 depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding='valid', "
    "data_format=None, dilation_rate=(1, 1))",
)
def depthwise_conv2d(  # noqa: PLR0917 - as documented
    x: Tensor,
    depthwise_kernel: Tensor,
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: tuple[int, int] = (1, 1),
) -> Tensor:
    """Each channel by its own kernels; channel c * multiplier + m is that of c and kernel m.

    Shapes: x (batch, rows, columns, in), kernel (rows, columns, in, multiplier). The result is
    (batch, rows, columns, in * multiplier), in the data format of x.
    """
    where = "depthwise_conv2d"
    layout = data_format_of(data_format, where)
    deep = _depthwise(
        where,
        2,
        x,
        depthwise_kernel,
        strides=strides,
        padding=padding,
        layout=layout,
        dilation_rate=dilation_rate,
    )
    return from_last(deep, layout)
