"""Convolutions that share no weights between places.

Kernels, results and errors are as in `convolution`.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.images import (
    data_format_of,
    from_last,
    images_of,
    per_axis,
    reshaped,
    windows_of,
)
from conformance.reference.symbolic.arguments import tensor
from conformance.reference.symbolic.graph import Tensor, apply


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

    The kernel is (rows * columns, elements of a window, filters). ValueError: output_shape is not
    the number of windows.
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
