"""Padding, resizing and biases of images: temporal_padding, asymmetric_temporal_padding,
spatial_2d_padding, spatial_3d_padding, resize_images, resize_volumes and bias_add.

Padding adds zeros before and after the spatial axes, those that are neither the first nor the
channels (C085, ja-2.0 line 1796). Resizing repeats rows and columns (the documents do not say how
the new elements follow from the old: a convention). A bias is a vector with a number for each
channel or, in keras-2.2, a tensor for all but the first axis (C121), channels last.

Everything except `bias_add` moves elements. Therefore results are exact; a sum of two numbers is
rounded once (IEEE 754).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.specs.image_rules import CHANNELS_FIRST
from conformance.specs.padding_rules import pairs


def _first_spatial(data_format: str | None) -> int:
    return 2 if data_format in CHANNELS_FIRST else 1


def _padded(x: Array, padding: Any, data_format: str | None) -> Array:
    spatial = x.ndim - 2
    widths = [(0, 0)] * x.ndim
    first = _first_spatial(data_format)
    widths[first : first + spatial] = pairs(padding, spatial)
    return np.pad(x, widths)


def temporal_padding(x: Array, padding: Any) -> Array:
    """Zeros before and after the middle axis of three.

    Shapes: x (samples, steps, features); the result is (samples, steps + padding, features).
    """
    return _padded(x, padding, None)


def asymmetric_temporal_padding(x: Array, left_pad: int = 1, right_pad: int = 1) -> Array:
    """Zeros before and after the middle axis of three (C083).

    Shapes: x (samples, steps, features); the result is (samples, steps + left_pad + right_pad,
    features).
    """
    return _padded(x, (left_pad, right_pad), None)


def spatial_padding(x: Array, padding: Any, data_format: str | None = None) -> Array:
    """Zeros before and after each spatial axis.

    Shapes: x (samples, spatial..., channels), or with channels first; the spatial axes of the
    result are longer.
    """
    return _padded(x, padding, data_format)


def _enlarged(x: Array, factors: Sequence[int], data_format: str | None) -> Array:
    for axis, factor in enumerate(factors, _first_spatial(data_format)):
        x = np.repeat(x, factor, axis=axis)
    return x


def resize_images(x: Array, height_factor: int, width_factor: int, data_format: str) -> Array:
    """Every row and every column several times in a row.

    Shapes: x (samples, rows, columns, channels), or with channels first; the result has
    height_factor times the rows and width_factor times the columns.
    """
    return _enlarged(x, (height_factor, width_factor), data_format)


def resize_volumes(
    x: Array, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Array:
    """Every slice on each of three axes several times in a row.

    Shapes: x (samples, three spatial axes, channels), or with channels first; each spatial axis of
    the result is its factor times as long.
    """
    return _enlarged(x, (depth_factor, height_factor, width_factor), data_format)


def bias_add(x: Array, bias: Array, data_format: str | None = None) -> Array:
    """x plus the bias of each channel, or of each place, for all samples.

    Shapes: x (samples, ..., channels), or with channels first; bias (channels,) or (..., channels).
    The result has the shape of x.
    """
    first = data_format in CHANNELS_FIRST and x.ndim > 2
    if bias.ndim == 1:
        shape = (-1,) + (1,) * (x.ndim - 2) if first else (-1,)
        placed = bias.reshape(shape)
    else:
        placed = np.moveaxis(bias, -1, 0) if first else bias
    result: Array = x + placed
    return result


ORACLES: Mapping[str, Callable[..., Array]] = {
    "temporal_padding": temporal_padding,
    "asymmetric_temporal_padding": asymmetric_temporal_padding,
    "spatial_2d_padding": spatial_padding,
    "spatial_3d_padding": spatial_padding,
    "resize_images": resize_images,
    "resize_volumes": resize_volumes,
    "bias_add": bias_add,
}
