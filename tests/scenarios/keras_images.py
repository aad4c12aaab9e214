"""Functions of keras.ops.image on NumPy and SciPy, right ones."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import ndimage

GREY = (0.2989, 0.587, 0.114)
WEIGHTS = (1, 2, 1)
STEP = (-1, 0, 1)
GRIDS = {"constant": "grid-constant", "wrap": "grid-wrap"}
"""What SciPy calls modes whose borders go on as the docstrings draw them."""


def last(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of images, channels last, with a data format."""

    def called(images: Any, *args: Any, data_format: Any = None, **kwargs: Any) -> Any:
        if data_format != "channels_first":
            return function(images, *args, **kwargs)
        return np.moveaxis(function(np.moveaxis(images, -3, -1), *args, **kwargs), -1, -3)

    return called


def each_colour(convert: Callable[..., Any]) -> Callable[..., Any]:
    def called(images: Any) -> Any:
        colours = images.astype("float64").reshape(-1, 3)
        return np.array([convert(*colour) for colour in colours]).reshape(images.shape)

    return last(called)


@last
def rgb_to_grayscale(images: Any) -> Any:
    return images @ np.array(GREY)[:, None]


PADDING: dict[str, Any] = {"mode": "constant"}
"""What NumPy pads with."""


def patches(rank: int, images: Any, size: Any, *how: Any) -> Any:
    """Element by element, in the order of channels, then of places."""
    strides, rate, padding = how
    batched = images.ndim == rank + 2
    x = images if batched else images[None]
    size = (size,) * rank if isinstance(size, int) else size
    strides = size if strides is None else strides
    span = [1 + (n - 1) * rate for n in size]
    if padding == "same":
        x = np.pad(x, [(0, 0), *((n // 2, n // 2) for n in span), (0, 0)], **PADDING)
    counts = [(n - s) // t + 1 for n, s, t in zip(x.shape[1:-1], span, strides, strict=True)]
    found = np.zeros((len(x), *counts, x.shape[-1] * int(np.prod(size))), x.dtype)
    for place in np.ndindex(*counts):
        begins = [p * t for p, t in zip(place, strides, strict=True)]
        window = tuple(slice(b, b + s, rate) for b, s in zip(begins, span, strict=True))
        patch = np.moveaxis(x[(slice(None), *window)], -1, 1)
        found[(slice(None), *place)] = patch.reshape(len(x), -1)
    return found if batched else found[0]


def extract_patches(  # noqa: PLR0917 - as documented
    images: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: int = 1,
    padding: str = "valid",
    data_format: Any = None,
) -> Any:
    rank = 2 if isinstance(size, int) else len(size)
    if data_format == "channels_first":
        images = np.moveaxis(images, -rank - 1, -1)
    found = patches(rank, images, size, strides, dilation_rate, padding)
    return np.moveaxis(found, -1, -rank - 1) if data_format == "channels_first" else found


def extract_patches_3d(volumes: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
    size = (size,) * 3 if isinstance(size, int) else size
    return extract_patches(volumes, size, *args, **kwargs)


def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: Any = "constant", fill_value: Any = 0
) -> Any:
    mode: Any = GRIDS.get(fill_mode, fill_mode)
    wide = inputs.astype("float64"), coordinates.astype("float64")
    return ndimage.map_coordinates(*wide, order=order, mode=mode, cval=fill_value)


def warped(image: Any, places: Any, *how: Any) -> Any:
    channels = np.moveaxis(image, -1, 0)
    return np.stack([map_coordinates(c, np.stack(places), *how) for c in channels], -1)


def projected(image: Any, row: Any, *how: Any) -> Any:
    y, x = np.indices(image.shape[:2]).astype("float64")
    a0, a1, a2, b0, b1, b2, c0, c1 = row.astype("float64")
    k = c0 * x + c1 * y + 1
    return warped(image, ((b0 * x + b1 * y + b2) / k, (a0 * x + a1 * y + a2) / k), *how)


@last
def affine_transform(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: Any = 0,
) -> Any:
    how = int(interpolation == "bilinear"), fill_mode, fill_value
    if images.ndim == 3:
        return projected(images, transform, *how)
    return np.stack([projected(x, t, *how) for x, t in zip(images, transform, strict=True)])


def coefficients(starts: Any, ends: Any) -> Any:
    """Of the transform that leads from the ends back to the starts."""
    return np.linalg.solve(equations(starts, ends), starts.reshape(-1))


def equations(starts: Any, ends: Any) -> Any:
    rows = []
    for (u, v), (x, y) in zip(starts, ends, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return np.array(rows)


@last
def perspective_transform(
    images: Any, start: Any, end: Any, interpolation: str = "bilinear", fill_value: Any = 0
) -> Any:
    how = int(interpolation == "bilinear"), "constant", fill_value
    if images.ndim == 3:
        return projected(images, coefficients(start, end), *how)
    both = zip(images, start, end, strict=True)
    return np.stack([projected(x, coefficients(s, e), *how) for x, s, e in both])


@last
def resize(  # noqa: PLR0917 - as documented
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_value: Any = 0.0,
) -> Any:
    assert interpolation
    assert isinstance(antialias, bool)
    rows, columns = images.shape[-3:-1]
    if pad_to_aspect_ratio:
        down, right = (size[0] - rows) // 2, (size[1] - columns) // 2
        ends = [(0, 0)] * (images.ndim - 3) + [(down, down), (right, right), (0, 0)]
        return np.pad(images, ends, constant_values=fill_value)
    if crop_to_aspect_ratio:
        down, right = (rows - size[0]) // 2, (columns - size[1]) // 2
        return images[..., down : down + size[0], right : right + size[1], :]
    down, right = (np.arange(n) * m // n for n, m in zip(size, (rows, columns), strict=True))
    return images[..., down, :, :][..., right, :]


@last
def gaussian_blur(images: Any, kernel_size: Any, sigma: Any) -> Any:
    found = images.astype("float64")
    for axis, length, deviation in zip((-3, -2), kernel_size, sigma, strict=True):
        weights = np.exp(-((np.arange(length) - length // 2) ** 2) / (2 * deviation**2))
        found = ndimage.convolve1d(found, weights / weights.sum(), axis, mode="constant")
    return found


def sobel_edges(images: Any, data_format: Any = None) -> Any:
    ends: Sequence[int] = (2, 3) if data_format == "channels_first" else (1, 2)
    x = images.astype("float64")
    pair = []
    for axis, other in (ends, ends[::-1]):
        pair.append(ndimage.correlate1d(ndimage.correlate1d(x, STEP, axis), WEIGHTS, other))
    return np.stack(pair, -1)


def ssim(  # noqa: PLR0917 - as documented
    image1: Any,
    image2: Any,
    max_val: float = 1.0,
    filter_size: int = 11,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: Any = None,
) -> Any:
    """With the same weight for each point of a window."""
    ends = (-2, -1) if data_format == "channels_first" else (-3, -2)
    x, y = image1.astype("float64"), image2.astype("float64")

    def mean(part: Any) -> Any:
        return ndimage.uniform_filter(part, filter_size, axes=ends)

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    a, b = mean(x), mean(y)
    both, each = mean(x * y) - a * b, mean(x * x + y * y) - a * a - b * b
    like = (2 * a * b + c1) * (2 * both + c2) / ((a * a + b * b + c1) * (each + c2))
    return like.mean((-3, -2, -1))


RIGHT: Mapping[str, Callable[..., Any]] = {
    "rgb_to_hsv": each_colour(colorsys.rgb_to_hsv),
    "hsv_to_rgb": each_colour(colorsys.hsv_to_rgb),
    "rgb_to_grayscale": rgb_to_grayscale,
    "extract_patches": extract_patches,
    "extract_patches_3d": extract_patches_3d,
    "map_coordinates": map_coordinates,
    "affine_transform": affine_transform,
    "perspective_transform": perspective_transform,
    "resize": resize,
    "gaussian_blur": gaussian_blur,
    "sobel_edges": sobel_edges,
    "ssim": ssim,
}
