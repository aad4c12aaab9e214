"""Patches of images and volumes: all windows of a size, each laid out in a row.

A patch is laid out row by row, with the channels of a place side by side. Padding `same` splits
what it adds as a convolution does; what the padding holds, no docstring says, so the oracle asks
for nothing there. Readings: `order` has a patch channel by channel instead, and `place` has the
patches of images with `channels_first` in the last axis.

Source: the docstrings of `keras.ops.image.extract_patches` and `extract_patches_3d`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic
from conformance.oracle.windows import CHANNELS_FIRST, Numbers, each, padded, pads, windows

Bounded = tuple[Array, Array]


def extract_patches(
    images: Array,
    size: Numbers,
    *,
    strides: Numbers | None = None,
    dilation_rate: Numbers = 1,
    padding: str = "valid",
    data_format: str | None = None,
    axes: int = 2,
    order: str = "places",
    place: str = "channels",
) -> Array:
    """The patches of one image or of a batch; a single `size` is that of all `axes`.

    Shapes: images (batch, rows, columns, channels) or (rows, columns, channels); the result is
    (batch, positions..., elements of a patch), without the batch for one image. With channels
    first, axis 1 has the channels, or the elements of a patch.
    """
    sizes, first = each(size, axes), data_format in CHANNELS_FIRST
    rank = len(sizes)
    batch = images[np.newaxis] if images.ndim == rank + 1 else images
    whole = np.moveaxis(batch, 1, -1) if first else batch
    steps = sizes if strides is None else each(strides, rank)
    dilation = each(dilation_rate, rank)
    around = pads(whole.shape[1:-1], sizes, steps, padding, dilation)
    rows = windows(padded(whole, around), sizes, steps, dilation)
    if order == "channels":
        rows = np.moveaxis(rows, -1, rank + 1)
    patches = rows.reshape(*rows.shape[: rank + 1], whole.shape[-1] * int(np.prod(sizes)))
    if first and place == "channels":
        patches = np.moveaxis(patches, -1, 1)
    return patches[0] if images.ndim == rank + 1 else patches


def extract_patches_3d(volumes: Array, size: Numbers, **how: Any) -> Array:
    """The patches of one volume or of a batch.

    Shapes: as `extract_patches`, with three spatial axes.
    """
    return extract_patches(volumes, size, axes=3, **how)


def bounded_patches(_model: Arithmetic, images: Array, size: Numbers, **how: Any) -> Bounded:
    """Value and bound of `extract_patches`: elements are copied, except for the padding.

    Shapes: value and bound have the shape of `extract_patches`.
    """
    inside = extract_patches(np.ones(images.shape), size, **how) == 1
    return extract_patches(images, size, **how), np.where(inside, 0, np.inf)


def bounded_patches_3d(model: Arithmetic, volumes: Array, size: Numbers, **how: Any) -> Bounded:
    """Value and bound of `extract_patches_3d`.

    Shapes: value and bound have the shape of `extract_patches_3d`.
    """
    return bounded_patches(model, volumes, size, axes=3, **how)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "extract_patches": extract_patches,
    "extract_patches_3d": extract_patches_3d,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "extract_patches": bounded_patches,
    "extract_patches_3d": bounded_patches_3d,
}
