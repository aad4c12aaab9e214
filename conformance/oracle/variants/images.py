"""Readings of conventions about images: how kernels and biases lie, where windows begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.variants.model import NoReadingError, Reading, Variant, keyword
from conformance.specs.convention_names import ConventionName

Arguments = dict[str, Any]

_KERNELS = ("kernel", "depthwise_kernel")
"""The parameters whose elements lie at places of a window. A pointwise kernel has one place."""
_ORDERINGS = ("tf", "th")
"""The data formats of keras-1."""


def _with_kernels(arguments: Arguments, change: Callable[[Array], Array]) -> Arguments:
    return {n: change(v) if n in _KERNELS else v for n, v in arguments.items()}


def _flipped(_function: str, arguments: Arguments) -> Arguments:
    """Kernels the other way round along all spatial axes."""
    first = 2 if arguments.get("data_format") == "th" else 0

    def flip(kernel: Array) -> Array:
        return np.flip(kernel, tuple(range(first, first + kernel.ndim - 2)))

    return _with_kernels(arguments, flip)


def _laid_out_as_th(_function: str, arguments: Arguments) -> Arguments:
    """With channels_first, kernels that name both channels before the spatial axes.

    (out, in, spatial...) for a convolution. A transposed one has the kernel of the convolution
    that it transposes, whose channels out are its own channels in.
    """
    if arguments.get("data_format") != "channels_first" or "kernel" not in arguments:
        raise NoReadingError("only a kernel of channels_first may lie as in Theano")
    return _with_kernels(arguments, lambda kernel: np.moveaxis(kernel, (1, 0), (-2, -1)))


def _of_the_convolution(function: str, arguments: Arguments) -> Arguments:
    """In keras-1, the kernel of the convolution that a transposed one transposes."""
    ordering = arguments.get("data_format")
    if not function.endswith("_transpose") or ordering not in _ORDERINGS:
        raise NoReadingError("only a transposed convolution of keras-1 leaves it open")
    axes = (0, 1) if ordering == "th" else (-2, -1)
    return _with_kernels(arguments, lambda kernel: np.swapaxes(kernel, *axes))


def _padded(how: str) -> Variant:
    """The variant in which padding `same` lies otherwise around the image."""

    def variant(_function: str, arguments: Arguments) -> Arguments:
        if arguments.get("padding") != "same":
            raise NoReadingError("only padding same is split between two sides")
        return {**arguments, "padding": how}

    return variant


def _padded_forwards(how: str) -> Variant:
    """The same where elements are left over, as a transposed convolution leaves none."""

    def variant(function: str, arguments: Arguments) -> Arguments:
        if function.endswith("_transpose"):
            raise NoReadingError("a transposed convolution leaves no element over")
        return _padded(how)(function, arguments)

    return variant


def _pooled_early(function: str, arguments: Arguments) -> Arguments:
    if not function.startswith("pool"):
        raise NoReadingError("only windows of a pooling begin as early as this")
    return _padded("early")(function, arguments)


def _other_format(_function: str, arguments: Arguments) -> Arguments:
    if arguments.get("data_format") is not None:
        raise NoReadingError("the data format is given")
    return {**arguments, "data_format": "channels_first"}


def _columns_first(_function: str, arguments: Arguments) -> Arguments:
    """The window and the strides named as width and height."""
    pairs = ("kernel_size", "strides")
    return {n: tuple(v)[::-1] if n in pairs else v for n, v in arguments.items()}


def _reshaped_bias(_function: str, arguments: Arguments) -> Arguments:
    """A bias whose elements are taken in their order, and not axis by axis."""
    bias = arguments["bias"]
    as_image = bias.reshape(bias.shape[-1], *bias.shape[:-1])
    return {**arguments, "bias": np.moveaxis(as_image, 0, -1)}


def _bias_like_image(_function: str, arguments: Arguments) -> Arguments:
    """A bias that has its channels first, as a sample of x has."""
    return {**arguments, "bias": np.moveaxis(arguments["bias"], 0, -1)}


def _side_by_side(_function: str, arguments: Arguments) -> Arguments:
    """Windows that begin at every element, where no strides are given."""
    if arguments.get("strides") is not None:
        raise NoReadingError("the strides are given")
    return {**arguments, "strides": 1}


def _not_padded(_function: str, arguments: Arguments) -> Arguments:
    """The length without output padding, where the strides leave none to be chosen."""
    strides = arguments.get("strides", 1)
    each = (strides,) if isinstance(strides, int) else strides
    if arguments.get("padding") != "same" or any(s > 1 for s in each):
        raise NoReadingError("only padding same without strides says how long the result is")
    return {**arguments, "output_padding": None}


def _only_reached(_function: str, arguments: Arguments) -> Arguments:
    if arguments.get("padding", "valid") != "valid" or arguments.get("output_padding") is not None:
        raise NoReadingError("the length is not inferred of what the windows reach")
    return {**arguments, "only_reached": True}


VARIANTS: Mapping[Reading, Variant] = {
    (ConventionName.ADAPTIVE_WINDOWS, "one stride"): keyword("one_stride", True),
    (ConventionName.GAUSSIAN_WEIGHTS, "integrals"): keyword("integrated", True),
    (ConventionName.RESIZE_GRID, "corners"): keyword("grid", "corners"),
    (ConventionName.RESIZE_GRID, "edges"): keyword("grid", "edges"),
    (ConventionName.CUBIC_FILTER, "repeated"): keyword("cubic", "repeated"),
    (ConventionName.CUBIC_FILTER, "steep"): keyword("cubic", "steep"),
    (ConventionName.CUBIC_FILTER, "table"): keyword("cubic", "table"),
    (ConventionName.PATCH_ORDER, "channel by channel"): keyword("order", "channels"),
    (ConventionName.PATCH_PLACE, "the last axis"): keyword("place", "last"),
    (ConventionName.AVERAGE_BORDER, "counted"): keyword("counts_border", True),
    (ConventionName.BIAS_LAYOUT, "reshaped"): _reshaped_bias,
    (ConventionName.BIAS_LAYOUT, "like x"): _bias_like_image,
    (ConventionName.DEFAULT_DATA_FORMAT, "channels_first"): _other_format,
    (ConventionName.DEPTH_ORDER, "channel by channel"): keyword("channels_outside", True),
    (ConventionName.INFERRED_LENGTH, "only reached"): _only_reached,
    (ConventionName.KERNEL_LAYOUT, "th"): _laid_out_as_th,
    (ConventionName.KERNEL_LAYOUT, "of the convolution"): _of_the_convolution,
    (ConventionName.KERNEL_ORIENTATION, "flipped"): _flipped,
    (ConventionName.OUTPUT_PADDING, "as the input"): _not_padded,
    (ConventionName.POOL_STRIDES, "one"): _side_by_side,
    (ConventionName.ROWS_FIRST, "columns first"): _columns_first,
    (ConventionName.SAME_PADDING, "half"): _padded("half"),
    (ConventionName.SAME_PADDING, "front"): _padded("front"),
    (ConventionName.SAME_PADDING, "middle"): _padded_forwards("middle"),
    (ConventionName.SAME_PADDING, "early"): _pooled_early,
    (ConventionName.SAME_PADDING, "centred"): _padded_forwards("centred"),
    (ConventionName.SEQUENCE_FORMAT, "channels_first"): keyword("as_images", True),
}
