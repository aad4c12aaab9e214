"""Images of another perspective, and numbers between the elements of a tensor.

`map_coordinates` and `affine_transform` take means of the elements around a point, or the nearest
one. A tensor goes on at its ends as the docstrings draw it. Three kinds of points are
open. Some are as near to two elements, where the call takes the nearest. Some lie further beyond an
end than the tensor is long. With `constant` and `wrap`, some lie less than a step beyond an end.

`perspective_transform` solves eight equations for the transform that leads from the points of the
result to those of the image. By Gaussian elimination with partial pivoting each coefficient is off
by at most the element of |A^-1| gamma_24 |L| |U| |h| (N. J. Higham, Accuracy and Stability of
Numerical Algorithms, 2002, theorem 9.4). For the points that the plan draws, an image's point then
moves by at most `SPREAD` gamma_24 (a test computes it).

Weights for the elements around a point add up to 1. Products with them, their sum, and the place of
a point are off by `ROUNDINGS` roundings of the largest of these elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rational import solution
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
Points = Sequence[Array]
"""A row of places for each axis."""
HALF = 0.5
ROUNDINGS = 64
"""Roundings of the weights and sums of a point."""
SPREAD, ELIMINATION = 256, 24


def _clipped(place: Array, length: int) -> Array:
    return np.asarray(np.clip(place, 0, length - 1))


def _turned(place: Array, length: int) -> Array:
    """The places of `(d c b a | a b c d | d c b a)`."""
    within = place % (2 * length)
    return np.where(within < length, within, 2 * length - 1 - within)


def _mirrored(place: Array, length: int) -> Array:
    """The places of `(c d c b | a b c d | c b a b)`."""
    turn = max(2 * length - 2, 1)
    within = place % turn
    return np.where(within < length, within, turn - within)


MODES: Mapping[str, Callable[[Array, int], Array]] = {
    "constant": _clipped,
    "nearest": _clipped,
    "wrap": lambda place, length: place % length,
    "reflect": _turned,
    "mirror": _mirrored,
}
"""Which element stands at a whole place, which may lie outside."""


def _elements(x: Array, places: Points, mode: str, fill: Any) -> Array:
    """The elements at whole places."""
    inside = [MODES[mode](p, n) for p, n in zip(places, x.shape, strict=True)]
    elements = x[tuple(inside)]
    if mode != "constant":
        return np.asarray(elements)
    outside = np.any([(p < 0) | (p >= n) for p, n in zip(places, x.shape, strict=True)], axis=0)
    return np.where(outside, x.dtype.type(fill), elements)


def _corners(points: Points, order: int) -> list[tuple[Any, Points]]:
    """The weight and the whole places of each element around a point, or of the nearest one."""
    if not order:
        return [(1, [np.floor(p + HALF).astype(int) for p in points])]
    corners: list[tuple[Any, Points]] = []
    for steps in product((0, 1), repeat=len(points)):
        ends = [np.floor(p).astype(int) + step for p, step in zip(points, steps, strict=True)]
        weights = [1 - np.abs(p - end) for p, end in zip(points, ends, strict=True)]
        corners.append((np.prod(weights, axis=0), ends))
    return corners


def sampled(x: Array, points: Points, order: int, mode: str, fill: Any) -> Array:
    """The numbers at points.

    Shapes: x with an axis for each array of points; the result has the shape of such an array.
    """
    total = np.zeros(points[0].shape, x.dtype)
    for weight, places in _corners(points, order):
        part = weight * _elements(x, places, mode, fill)
        total = total + np.where(weight == 0, 0, part)  # 0 times infinity is not a number
    return np.asarray(total, x.dtype)


def magnitude(x: Array, points: Points, order: int, mode: str, fill: Any) -> Array:
    """The largest magnitude of an element around each point; infinite beside NaN and infinity.

    The elements on both sides of a whole place count: an implementation may give one no weight.

    Shapes: as `sampled`.
    """
    sizes = np.where(np.isfinite(x), np.abs(x), np.inf).astype(np.longdouble)
    largest = np.zeros(points[0].shape, np.longdouble)
    for steps in product((-1, 0, 1) if order else (0,), repeat=len(points)):
        low = [np.floor(p + HALF * (not order)) for p in points]
        places = [(p + step).astype(int) for p, step in zip(low, steps, strict=True)]
        largest = np.maximum(largest, _elements(sizes, places, mode, abs(fill)))
    return largest


def is_open(point: Array, length: int, order: int, mode: str) -> Array:
    """Which places along an axis the docstrings leave open.

    Shapes: any points; the result is bool and has their shape.
    """
    tie = (point % 1 == HALF) & (order == 0)
    beyond = (point < -length) | (point > 2 * length - 1)
    step = ((point > -1) & (point < 0)) | ((point > length - 1) & (point < length))
    return np.asarray(tie | beyond | (step & (mode in {"constant", "wrap"})))


def _bound(model: Arithmetic, x: Array, points: Points, order: int, *how: Any) -> Array:
    """The bound of `sampled`: infinite where a point is open."""
    size = magnitude(x, points, order, *how)
    bound = allowance(ROUNDINGS, model) * size if order else np.where(np.isinf(size), np.inf, 0)
    opened = [is_open(p, n, order, how[0]) for p, n in zip(points, x.shape, strict=True)]
    return np.where(np.any(opened, axis=0), np.inf, bound)


def map_coordinates(
    inputs: Array, coordinates: Array, order: int, fill_mode: str = "constant", fill_value: Any = 0
) -> Array:
    """The numbers at points of a tensor.

    Shapes: coordinates (rank of the inputs, ...); the result is (...).
    """
    return sampled(inputs, [*coordinates], order, fill_mode, fill_value)


def bounded_map(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    inputs: Array,
    coordinates: Array,
    order: int,
    fill_mode: str = "constant",
    fill_value: Any = 0,
) -> Bounded:
    """Value and bound of `map_coordinates`.

    Shapes: value and bound have the shape of `map_coordinates`.
    """
    how = [*coordinates], order, fill_mode, fill_value
    return sampled(inputs, *how), _bound(model, inputs, *how)


# Images


def last(images: Array, data_format: str | None) -> Array:
    """A batch of images with their channels in the last axis.

    Shapes: images with or without a first axis of images; the result (images, rows, columns,
    channels).
    """
    x = np.moveaxis(images, -3, -1) if data_format == "channels_first" else images
    return x if x.ndim == 4 else x[None]


def placed(x: Array, images: Array, data_format: str | None) -> Array:
    """The batch as the images lie.

    Shapes: x as from `last`; the result as `images`, of the lengths of x.
    """
    x = x if images.ndim == 4 else x[0]
    return np.moveaxis(x, -1, -3) if data_format == "channels_first" else x


def origins(row: Any, x: Array, y: Array) -> tuple[Array, Array]:
    """The column and the row of an image that a point of the result comes from.

    Shapes: x and y broadcast, `row` has 8 numbers; both results have the common shape.
    """
    a0, a1, a2, b0, b1, b2, c0, c1 = row
    k = c0 * x + c1 * y + 1
    return (a0 * x + a1 * y + a2) / k, (b0 * x + b1 * y + b2) / k


def _points_of(x: Array, row: Any) -> list[Array]:
    """The rows and the columns that the points of an image come from."""
    down, right = np.indices(x.shape[:2])
    column, line = origins(row, np.asarray(right), np.asarray(down))
    return [line, column]


def _of_channels(function: Callable[..., Array], image: Array, *how: Any) -> Array:
    return np.stack([function(channel, *how) for channel in np.moveaxis(image, -1, 0)], -1)


def _order(interpolation: str) -> int:
    return int(interpolation == "bilinear")


def _warped(function: Callable[..., Array], images: Array, rows: Array, *how: Any) -> Array:
    """The results of a function for each image and the points that its row of a transform names."""
    pairs = zip(images, rows.reshape(-1, 8), strict=True)
    return np.stack([_of_channels(function, x, _points_of(x, row), *how) for x, row in pairs])


def affine_transform(  # noqa: PLR0917 - as documented
    images: Array,
    transform: Array,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: Any = 0,
    data_format: str | None = None,
) -> Array:
    """Images whose points come from where their row of the transform puts them.

    Shapes: images (batch, rows, columns, channels) or (rows, columns, channels), or with channels
    first; transform (batch, 8) or (8,). The result has the shape of the images.
    """
    how = _order(interpolation), fill_mode, fill_value
    return placed(_warped(sampled, last(images, data_format), transform, *how), images, data_format)


def bounded_affine(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    images: Array,
    transform: Array,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: Any = 0,
    data_format: str | None = None,
) -> Bounded:
    """Value and bound of `affine_transform`.

    Shapes: value and bound have the shape of the images.
    """
    arguments = transform, interpolation, fill_mode, fill_value, data_format

    def bound(x: Array, points: Points, *how: Any) -> Array:
        return _bound(model, x, points, *how)

    how = _order(interpolation), fill_mode, fill_value
    bounds = _warped(bound, last(images, data_format), transform, *how)
    return affine_transform(images, *arguments), placed(bounds, images, data_format)


def equations(starts: Array, ends: Array) -> tuple[Array, Array]:
    """The matrix and the right-hand side of the equations for the coefficients of a transform.

    Shapes: starts and ends (4, 2); the results are (8, 8) and (8, 1).
    """
    rows = []
    for (u, v), (x, y) in zip(starts, ends, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return np.array(rows, np.float64), starts.reshape(-1, 1).astype(np.float64)


def transform_of(start_points: Array, end_points: Array) -> Array:
    """The row of the transform of each image.

    Shapes: start_points and end_points (batch, 4, 2) or (4, 2); the result is (batch, 8).
    """
    pairs = zip(start_points.reshape(-1, 4, 2), end_points.reshape(-1, 4, 2), strict=True)
    return np.stack([solution(*equations(*pair)).reshape(-1) for pair in pairs])


def perspective_transform(  # noqa: PLR0917 - as documented
    images: Array,
    start_points: Array,
    end_points: Array,
    interpolation: str = "bilinear",
    fill_value: Any = 0,
    data_format: str | None = None,
) -> Array:
    """Images in which four points lie where four others lay.

    Shapes: images as in `affine_transform`, points (batch, 4, 2) or (4, 2); the result has the
    shape of the images.
    """
    rows = transform_of(start_points, end_points)
    return affine_transform(images, rows, interpolation, "constant", fill_value, data_format)


def _is_near_open(point: Array, length: int, order: int, moved: float) -> Array:
    """Points of either side of a tie, and what lies less than a step beyond an end, or on it."""
    tie = (order == 0) & (np.abs(point % 1 - HALF) < moved)
    before = (point > -1 - moved) & (point < moved)
    behind = (point > length - 1 - moved) & (point < length + moved)
    return np.asarray(tie | before | behind)


def bounded_perspective(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    images: Array,
    start_points: Array,
    end_points: Array,
    interpolation: str = "bilinear",
    fill_value: Any = 0,
    data_format: str | None = None,
) -> Bounded:
    """Value and bound of `perspective_transform`, whose points are off by a little.

    A mean moves by at most the difference of two elements for each step along each axis.

    Shapes: value and bound have the shape of the images.
    """
    arguments = start_points, end_points, interpolation, fill_value, data_format
    moved, order = SPREAD * float(allowance(ELIMINATION, model)), _order(interpolation)

    def bound(x: Array, points: Points, *_: Any) -> Array:
        most = max(float(np.abs(x).max(initial=0)), abs(float(fill_value)))
        near = (4 * moved + allowance(ROUNDINGS, model)) * most if order else 0 * most
        pairs = zip(points, x.shape, strict=True)
        opened = np.any([_is_near_open(p, n, order, moved) for p, n in pairs], axis=0)
        return np.where(opened | ~np.isfinite(near), np.inf, near)

    rows = transform_of(start_points, end_points)
    bounds = _warped(bound, last(images, data_format), rows)
    return perspective_transform(images, *arguments), placed(bounds, images, data_format)


# Sizes


ORACLES: Mapping[str, Callable[..., Array]] = {
    "map_coordinates": map_coordinates,
    "affine_transform": affine_transform,
    "perspective_transform": perspective_transform,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "map_coordinates": bounded_map,
    "affine_transform": bounded_affine,
    "perspective_transform": bounded_perspective,
}
