"""Functions of keras.ops.image on NumPy and SciPy, right ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import ndimage

from conformance.oracle.keras_ops import resizing

GRIDS = {"constant": "grid-constant", "wrap": "grid-wrap"}
"""What SciPy calls modes whose borders go on as the docstrings draw them."""


def last(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of images, channels last, with a data format."""

    def called(images: Any, *args: Any, data_format: Any = None, **kwargs: Any) -> Any:
        if data_format != "channels_first":
            return function(images, *args, **kwargs)
        return np.moveaxis(function(np.moveaxis(images, -3, -1), *args, **kwargs), -1, -3)

    return called


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
    fill_mode: str = "constant",
    fill_value: Any = 0.0,
    **reading: Any,
) -> Any:
    """`reading` is a grid or a filter of the oracle, whose weights PyTorch checks in tests."""
    assert fill_mode == "constant"
    rows, columns = images.shape[-3:-1]
    if pad_to_aspect_ratio:
        down, right = (size[0] - rows) // 2, (size[1] - columns) // 2
        ends = [(0, 0)] * (images.ndim - 3) + [(down, down), (right, right), (0, 0)]
        return np.pad(images, ends, constant_values=fill_value)
    if crop_to_aspect_ratio:
        down, right = (rows - size[0]) // 2, (columns - size[1]) // 2
        return images[..., down : down + size[0], right : right + size[1], :]
    wide = images.astype("float64")
    return resizing.resize(wide, size, interpolation, antialias, **reading).astype(images.dtype)


RIGHT: Mapping[str, Callable[..., Any]] = {
    "map_coordinates": map_coordinates,
    "affine_transform": affine_transform,
    "perspective_transform": perspective_transform,
    "resize": resize,
}
