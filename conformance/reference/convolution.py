"""Convolutions, as products of windows with kernels.

Convolution is correlation: the kernel is not flipped. Kernels are (spatial dimensions..., channels
in, channels out) in keras-2.x, whatever the data format, and with `tf` in keras-1; with `th` they
are (out, in, spatial dimensions...). Results have the dtype of x. ValueError in all functions: a
data format or padding that is not documented, no tensors, other ranks, channels that differ, dtypes
that differ, windows larger than a `valid` image.

`local_conv1d` and `local_conv2d` share no weights between places. Their kernels, results and errors
are as those of the other convolutions.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import EDITION, documented
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
from conformance.reference.symbolic.arguments import integer_vector, static_shape, tensor
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.rules import same_dimension

Numbers = int | tuple[int, ...]


def kernel_of(kernel: Any, axes: int, data_format: str, where: str, what: str = "kernel") -> Tensor:
    """(spatial dimensions..., in, out), of which the spatial dimensions are known.

    Raises:
        ValueError: another rank, or a spatial dimension that is not known.
    """
    weights = tensor(kernel, where, what)
    if weights.ndim != axes + 2:
        raise ValueError(f"{where}: {what} is {weights!r}; it must have rank {axes + 2}")
    if EDITION == "keras-1" and data_format == "channels_first":
        weights = apply("permute_dimensions", weights, pattern=(*range(2, axes + 2), 1, 0))
    if None in weights.shape[:axes]:
        raise ValueError(f"{where}: the spatial dimensions of {what} {weights!r} must be known")
    return weights


def sizes_of(kernel: Tensor) -> tuple[int, ...]:
    """The spatial dimensions of a kernel."""
    return tuple(d for d in kernel.shape[:-2] if d is not None)


def same_channels(x: Tensor, kernel: Tensor, axis: int, where: str) -> None:
    """ValueError unless x has as many channels as the axis of the kernel is long."""
    what = f"{where}: the channels of {x!r} and of the kernel {kernel!r}"
    same_dimension(x.shape[-1], kernel.shape[axis], what)


def _convolution(
    where: str,
    axes: int,
    x: Any,
    kernel: Any,
    *,
    strides: Any,
    padding: str,
    data_format: Any,
    dilation_rate: Any,
) -> Tensor:
    layout = data_format_of(data_format, where)
    images = images_of(x, axes, layout, where)
    weights = kernel_of(kernel, axes, layout, where)
    same_channels(images, weights, -2, where)
    steps = per_axis(strides, axes, where, "strides")
    rates = per_axis(dilation_rate, axes, where, "dilation_rate")
    seen = windows_of(images, sizes_of(weights), steps, padding, dilation=rates)
    places, taps = POSITIONS[:axes], TAPS[:axes]
    labels = (f"b{places}{taps}c", f"{taps}co", f"b{places}o")
    return from_last(apply("contraction", seen, weights, labels=labels), layout)


@documented(
    "ja-2.0:2967 conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1)",
    "ko-2.2:3069 conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1)",
)
def conv1d(  # noqa: PLR0917 - as documented
    x: Tensor,
    kernel: Tensor,
    strides: Numbers = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Numbers = 1,
) -> Tensor:
    """Convolution of sequences; `causal` padding puts its zeros in front.

    Shapes: x (batch, steps, in), kernel (width, in, out); the result is (batch, steps, out). With
    channels first, axis 1 of x and of the result has the channels.
    """
    mode = padding_of(padding, "conv1d", "valid", "same", "causal")
    return _convolution(
        "conv1d",
        1,
        x,
        kernel,
        strides=strides,
        padding=mode,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )


@documented(
    "ja-1:1399 conv2d(x, kernel, strides=(1, 1), border_mode='valid', dim_ordering='th', "
    "image_shape=None, filter_shape=None)",
    "ja-2.0:2990 conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1))",
    "ko-2.2:3099 conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1))",
)
def conv2d(  # noqa: PLR0917 - as documented
    x: Tensor,
    kernel: Tensor,
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: tuple[int, int] = (1, 1),
    image_shape: Any = None,
    filter_shape: Any = None,
) -> Tensor:
    """Convolution of images; the hints `image_shape` and `filter_shape` change nothing.

    Shapes: x (batch, rows, columns, in), kernel (rows, columns, in, out); the result is (batch,
    rows, columns, out). With channels first, axis 1 of x and of the result has the channels.
    """
    _hints("conv2d", 2, image_shape, filter_shape)
    mode = padding_of(padding, "conv2d", "valid", "same")
    return _convolution(
        "conv2d",
        2,
        x,
        kernel,
        strides=strides,
        padding=mode,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )


@documented(
    "ja-1:1438 conv3d(x, kernel, strides=(1, 1, 1), border_mode='valid', dim_ordering='tf', "
    "volume_shape=None, filter_shape=None)",
    "ja-2.0:3073 conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1, 1))",
    "ko-2.2:3257 conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, "
    "dilation_rate=(1, 1, 1))",
)
def conv3d(  # noqa: PLR0917 - as documented
    x: Tensor,
    kernel: Tensor,
    strides: tuple[int, int, int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: tuple[int, int, int] = (1, 1, 1),
    volume_shape: Any = None,
    filter_shape: Any = None,
) -> Tensor:
    """Convolution of volumes; the hints `volume_shape` and `filter_shape` change nothing.

    Shapes: x (batch, depth, rows, columns, in), kernel (depth, rows, columns, in, out); the result
    is (batch, depth, rows, columns, out). With channels first, axis 1 of x and of the result has
    the channels.
    """
    _hints("conv3d", 3, volume_shape, filter_shape)
    mode = padding_of(padding, "conv3d", "valid", "same")
    return _convolution(
        "conv3d",
        3,
        x,
        kernel,
        strides=strides,
        padding=mode,
        data_format=data_format,
        dilation_rate=dilation_rate,
    )


def _hints(where: str, axes: int, *shapes: Any) -> None:
    """Shapes of x and kernel that an optimiser may use; ValueError unless None or a shape."""
    for shape in shapes:
        if shape is None:
            continue
        if not isinstance(shape, (list, tuple)) or len(shape) != axes + 2:
            raise ValueError(f"{where}: {shape!r} must have {axes + 2} dimensions; omit it")
        static_shape([0 if d is None else d for d in shape], where)


def transposed(
    where: str,
    axes: int,
    x: Any,
    kernel: Any,
    output_shape: Any,
    *,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilation_rate: Any = None,
) -> Tensor:
    """The adjoint of a convolution, whose dilation rate is 1 in every documented call."""
    layout = data_format_of(data_format, where)
    images = images_of(x, axes, layout, where)
    weights = kernel_of(kernel, axes, layout, where)
    inside = -2 if EDITION == "keras-1" else -1
    same_channels(images, weights, inside, where)
    steps = per_axis(strides, axes, where, "strides")
    rates = per_axis(dilation_rate or (1,) * axes, axes, where, "dilation_rate")
    mode = padding_of(padding, where, "valid", "same")
    places, taps = POSITIONS[:axes], TAPS[:axes]
    order = "co" if inside == -2 else "oc"
    labels = (f"b{places}c", f"{taps}{order}", f"b{places}{taps}o")
    spread = apply("contraction", images, weights, labels=labels)
    folded = apply(
        "fold",
        spread,
        _shape_last(output_shape, axes, layout, where),
        sizes=sizes_of(weights),
        strides=steps,
        padding=mode,
        dilation=rates,
    )
    return from_last(folded, layout)


def _shape_last(shape: Any, axes: int, data_format: str, where: str) -> Tensor:
    """The shape of images as an integer vector, channels last."""
    lengths = integer_vector(shape, where, "output_shape")
    if lengths.shape != (axes + 2,):
        raise ValueError(f"{where}: output_shape is {shape!r}; it must have {axes + 2} dimensions")
    if data_format == "channels_last":
        return lengths
    parts = (slice(0, 1), slice(2, axes + 2), slice(1, 2))
    return apply("concatenate", *(apply("getitem", lengths, index=(p,)) for p in parts), axis=0)


@documented(
    "ja-1:1418 deconv2d(x, kernel, output_shape, strides=(1, 1), border_mode='valid', "
    "dim_ordering='tf', image_shape=None, filter_shape=None)",
    "ja-2.0:3017 conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', "
    "data_format=None)",
    "ko-2.2:3131 conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', "
    "data_format=None)",
)
def conv2d_transpose(  # noqa: PLR0917 - as documented
    x: Tensor,
    kernel: Tensor,
    output_shape: Any,
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    image_shape: Any = None,
    filter_shape: Any = None,
) -> Tensor:
    """The adjoint of the convolution from images of `output_shape` to images as x.

    The kernel has its output channels before its input channels (in keras-1 behind them, as that
    of a convolution). `output_shape` is a tuple or an integer tensor of rank 1; ValueError where a
    convolution does not turn it into the shape of x.
    """
    _hints("conv2d_transpose", 2, image_shape, filter_shape)
    return transposed(
        "conv2d_transpose",
        2,
        x,
        kernel,
        output_shape,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )


@documented(
    "ko-2.2:3289 conv3d_transpose(x, kernel, output_shape, strides=(1, 1, 1), padding='valid', "
    "data_format=None)",
)
def conv3d_transpose(  # noqa: PLR0917 - as documented
    x: Tensor,
    kernel: Tensor,
    output_shape: Any,
    strides: tuple[int, int, int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """As `conv2d_transpose`, for volumes.

    Shapes: x (batch, depth, rows, columns, in), kernel (depth, rows, columns, out, in); the result
    has the shape `output_shape`.
    """
    return transposed(
        "conv3d_transpose",
        3,
        x,
        kernel,
        output_shape,
        strides=strides,
        padding=padding,
        data_format=data_format,
    )


def _local(
    where: str, images: Tensor, kernel: Any, *, kernel_size: Any, strides: Any, layout: str
) -> Tensor:
    """Each window by its own weights, channels last."""
    axes = images.ndim - 2
    sizes = per_axis(kernel_size, axes, where, "kernel_size")
    steps = per_axis(strides, axes, where, "strides")
    weights = tensor(kernel, where, "kernel")
    if weights.ndim != 3 or None in weights.shape[:2]:
        raise ValueError(f"{where}: kernel is {weights!r}; it must have rank 3 and known windows")
    seen = windows_of(images, sizes, steps)
    if layout == "channels_first":  # the elements of a window lie in the order of x
        taps = range(axes + 1, 2 * axes + 1)
        order = (*range(axes + 1), 2 * axes + 1, *taps)
        seen = apply("permute_dimensions", seen, pattern=order)
    rows, features, _ = (d or 0 for d in weights.shape)
    flat = reshaped(seen, 1, rows, features)
    return apply("contraction", flat, weights, labels=("bpf", "pfo", "bpo"))


@documented("ko-2.2:3670 local_conv1d(inputs, kernel, kernel_size, strides, data_format=None)")
def local_conv1d(
    inputs: Tensor,
    kernel: Tensor,
    kernel_size: tuple[int],
    strides: tuple[int],
    data_format: str | None = None,
) -> Tensor:
    """(batch, steps, input_dim) to (batch, output_length, filters), in every data format.

    The kernel is (output_length, kernel_size * input_dim, filters).
    """
    data_format_of(data_format, "local_conv1d")
    images = images_of(inputs, 1, "channels_last", "local_conv1d", "inputs")
    how: dict[str, Any] = {
        "kernel_size": kernel_size,
        "strides": strides,
        "layout": "channels_last",
    }
    return _local("local_conv1d", images, kernel, **how)


@documented(
    "ko-2.2:3701 local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format=None)"
)
def local_conv2d(  # noqa: PLR0917 - as documented
    inputs: Tensor,
    kernel: Tensor,
    kernel_size: tuple[int, int],
    strides: tuple[int, int],
    output_shape: tuple[int, int],
    data_format: str | None = None,
) -> Tensor:
    """Images with weights of their own for each of output_shape = (rows, columns) windows.

    The kernel is (rows * columns, elements of a window, filters).

    Raises:
        ValueError: output_shape is not the number of windows, or the number of filters is not
            known.
    """
    layout = data_format_of(data_format, "local_conv2d")
    images = images_of(inputs, 2, layout, "local_conv2d", "inputs")
    places = per_axis(output_shape, 2, "local_conv2d", "output_shape")
    how: dict[str, Any] = {"kernel_size": kernel_size, "strides": strides, "layout": layout}
    flat = _local("local_conv2d", images, kernel, **how)
    filters = flat.shape[-1]
    if filters is None:
        raise ValueError(f"local_conv2d: the number of filters of {kernel!r} must be known")
    return from_last(reshaped(flat, 1, *places, filters), layout)
