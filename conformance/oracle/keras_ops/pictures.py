"""Images with other borders, and with other colours.

Elements that move stay exact. Colours are sixteenths, so differences of two are exact: a hue is off
by some products and a quotient, each of numbers up to 6 (`ROUNDINGS`). No formula settles the hue
of grey and the saturation of black: any number from 0 to 1 is right. No docstring says how bright
the grey of a colour is. It lies between the darkest and the brightest channel, except for the
rounding of weights with a few decimals (`SLACK`).

Source: the docstrings of `keras.ops.image`. For hue, saturation and value: A. R. Smith, Color Gamut
Transform Pairs, SIGGRAPH 1978.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rational import gamma
from conformance.oracle.rounding import Arithmetic

Bounded = tuple[Array, Array]
SECTORS = 6
ROUNDINGS = 64
SLACK = 1 / 64
MIDDLE = 0.5


def _rows(images: Array, data_format: str | None) -> int:
    """The axis of the rows."""
    return images.ndim - (2 if data_format == "channels_first" else 3)


def _ends(first: int | None, last: int | None, missing: int) -> tuple[int, int]:
    """How much there is at both ends of an axis, of which one may be what is missing."""
    start = missing - (last or 0) if first is None else first
    return start, missing - start if last is None else last


def pad_images(images: Array, data_format: str | None = None, **sizes: Any) -> Array:
    """Images with rows and columns of zeros around them.

    Shapes: images (batch, rows, columns, channels) or (rows, columns, channels), or with channels
    first; the result has more rows and columns.
    """
    rows, widths = _rows(images, data_format), [(0, 0)] * images.ndim
    for axis, names in (
        (rows, ("top", "bottom", "height")),
        (rows + 1, ("left", "right", "width")),
    ):
        first, last, size = names
        target = sizes.get(f"target_{size}")
        missing = 0 if target is None else target - images.shape[axis]
        ends = sizes.get(f"{first}_padding"), sizes.get(f"{last}_padding")
        widths[axis] = _ends(*ends, missing)
    return np.pad(images, widths)


def crop_images(images: Array, data_format: str | None = None, **sizes: Any) -> Array:
    """Images without some rows and columns at their sides.

    Shapes: images as in `pad_images`; the result has fewer rows and columns.
    """
    rows, part = _rows(images, data_format), [slice(None)] * images.ndim
    for axis, names in (
        (rows, ("top", "bottom", "height")),
        (rows + 1, ("left", "right", "width")),
    ):
        first, last, size = names
        length, target = images.shape[axis], sizes.get(f"target_{size}")
        missing = 0 if target is None else length - target
        ends = sizes.get(f"{first}_cropping"), sizes.get(f"{last}_cropping")
        start, end = _ends(*ends, missing)
        part[axis] = slice(start, length - end)
    return images[tuple(part)]


def _channels_last(images: Array, data_format: str | None) -> Array:
    return np.moveaxis(images, -3, -1) if data_format == "channels_first" else images


def _placed(images: Array, data_format: str | None) -> Array:
    return np.moveaxis(images, -1, -3) if data_format == "channels_first" else images


def _hsv(x: Array) -> tuple[Array, Array]:
    """Hue, saturation and value of colours, by the hexagon of hues, and which of them are open."""
    r, g, b = np.moveaxis(x, -1, 0)
    value = x.max(-1)
    chroma = value - x.min(-1)
    wide = np.where(chroma > 0, chroma, 1)
    sectors = [(g - b) / wide, (b - r) / wide + 2, (r - g) / wide + 4]
    hue = np.select([value == r, value == g], sectors[:2], sectors[2]) / SECTORS % 1
    saturation = chroma / np.where(value > 0, value, 1)
    opened = np.stack([chroma == 0, value == 0, np.zeros(value.shape, np.bool_)], -1)
    colours = np.stack([hue, saturation, value], -1)
    return np.where(opened, MIDDLE, colours), opened


def rgb_to_hsv(images: Array, data_format: str | None = None) -> Array:
    """Hue, saturation and value of colours.

    Shapes: images with three channels, in the last axis or first; the result has the shape of the
    images.
    """
    return _placed(_hsv(_channels_last(images, data_format))[0], data_format)


def bounded_hsv(model: Arithmetic, images: Array, data_format: str | None = None) -> Bounded:
    """The same; what is open may be any number from 0 to 1.

    Shapes: value and bound have the shape of the images.
    """
    value, opened = _hsv(_channels_last(images, data_format))
    bound = np.where(opened, MIDDLE, 0) + gamma(ROUNDINGS, model.dtype)
    return _placed(value, data_format), _placed(bound, data_format)


def hsv_to_rgb(images: Array, data_format: str | None = None) -> Array:
    """The colours of hues, saturations and values: a channel is lower the further its hue is.

    Shapes: images with three channels, in the last axis or first; the result has the shape of the
    images.
    """
    hue, saturation, value = np.moveaxis(_channels_last(images, data_format), -1, 0)
    distances = np.stack([(n + hue * SECTORS) % SECTORS for n in (5, 3, 1)], -1)
    lack = np.clip(np.minimum(distances, 4 - distances), 0, 1)
    return _placed(value[..., None] * (1 - saturation[..., None] * lack), data_format)


def bounded_rgb(model: Arithmetic, images: Array, data_format: str | None = None) -> Bounded:
    """The same, off by roundings of numbers up to 6.

    Shapes: value and bound have the shape of the images.
    """
    value = hsv_to_rgb(images, data_format)
    return value, np.full(value.shape, gamma(ROUNDINGS, model.dtype))


def _between(images: Array, data_format: str | None) -> tuple[Array, Array]:
    axis = -3 if data_format == "channels_first" else -1
    return images.min(axis, keepdims=True), images.max(axis, keepdims=True)


def rgb_to_grayscale(images: Array, data_format: str | None = None) -> Array:
    """The middle between the darkest and the brightest channel.

    Shapes: images with three channels, in the last axis or first; the result has one channel.
    """
    low, high = _between(images, data_format)
    return np.asarray((low + high) / 2)


def bounded_grey(_model: Arithmetic, images: Array, data_format: str | None = None) -> Bounded:
    """The same, as far off as both are.

    Shapes: value and bound have the shape of `rgb_to_grayscale`.
    """
    low, high = _between(images, data_format)
    return rgb_to_grayscale(images, data_format), np.asarray((high - low) / 2 + SLACK)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "pad_images": pad_images,
    "crop_images": crop_images,
    "rgb_to_hsv": rgb_to_hsv,
    "hsv_to_rgb": hsv_to_rgb,
    "rgb_to_grayscale": rgb_to_grayscale,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "rgb_to_hsv": bounded_hsv,
    "hsv_to_rgb": bounded_rgb,
    "rgb_to_grayscale": bounded_grey,
}
