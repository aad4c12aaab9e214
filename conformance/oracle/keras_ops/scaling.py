"""`scale_and_translate`: images stretched and moved along some axes.

Output place o has its centre at o + 1/2. With scale s and translation t it comes from the input
place p = (o + 1/2 - t) / s - 1/2, as the docstring says. A place before -1/2 or after n - 1/2
gives 0. The weight of input place i is k(p - i) with one of three filters k:

* the triangle max(0, 1 - |x|);
* the cubic filter with a = -1/2 (R. G. Keys, Cubic convolution interpolation for digital image
  processing, IEEE Trans. ASSP 29, 1981);
* the filter of Lanczos with radius a, sinc(x) sinc(x / a).

With `antialias` and s < 1 the filter is 1/s times as wide. The docstring leaves these places open,
so their bound is infinite:

* places whose filter reaches beyond the ends of the input, unless p is whole and s at least 1;
* the filter of Lanczos between the elements, whose weights do not add up to 1 by themselves;
* wide filters whose weights add up to another sum than 1 / s;
* places within `EDGE` of an end, where rounding decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
ROUNDINGS = 64
"""Roundings of a place, its weights and the sum of products along one axis."""
EDGE = 1e-3
RADII: Mapping[str, int] = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), 1),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), 2),
    "lanczos3": 3,
    "lanczos5": 5,
}
"""The radius of the filter of each method."""
CUBIC = 2
WIDTH = 6
"""The largest sum of magnitudes of the weights along one axis."""


def _triangle(x: Array) -> Array:
    return np.asarray(np.maximum(0, 1 - np.abs(x)))


def _keys(x: Array) -> Array:
    """The cubic filter with a = -1/2."""
    x = np.abs(x)
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x <= 1, near, np.where(x < CUBIC, far, 0))


def _kernel(method: str) -> Callable[[Array], Array]:
    radius = RADII[method]
    if radius == 1:
        return _triangle
    if radius == CUBIC:
        return _keys
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0)


def along(  # noqa: PLR0917 - one row of the docstring's formula
    length: int, size: int, scale: float, translation: float, method: str, antialias: bool
) -> tuple[Array, Array, Array]:
    """For each of `size` places: the weights (size, length), the inputs that may have weight
    (size, length), and whether the docstring leaves the place open (size)."""
    places = (np.arange(size) + 0.5 - translation) / scale - 0.5
    shrunk = antialias and scale < 1
    step = scale if shrunk else 1.0
    far = places[:, None] - np.arange(length)
    weights = _kernel(method)(far * step) * step
    beyond = (places < -0.5) | (places > length - 0.5)
    weights = np.where(beyond[:, None], 0, weights)
    reach = RADII[method] / step
    inside = (places - reach > -1) & (places + reach < length)
    whole = (places == np.round(places)) & (not shrunk)
    summed = np.abs(weights.sum(1) - 1) < 1e-12
    near_end = np.minimum(np.abs(places + 0.5), np.abs(places - length + 0.5)) < EDGE
    settled = beyond | whole | (inside & summed)
    return weights, np.abs(far) < reach + 1, near_end | ~settled


def _axes(images: Array, spatial_dims: Sequence[int]) -> list[int]:
    return [int(axis) % images.ndim for axis in spatial_dims]


def _applied(x: Array, matrix: Array, axis: int) -> Array:
    return np.moveaxis(np.tensordot(x, matrix, (axis, 1)), -1, axis)


def scale_and_translate(  # noqa: PLR0917 - as documented
    images: Array,
    output_shape: Sequence[int],
    scale: Array,
    translation: Array,
    spatial_dims: Sequence[int],
    method: str,
    antialias: bool = True,
) -> Array:
    """The images (any shape) resampled to `output_shape`: float64 or wider."""
    x = images.astype(np.longdouble)
    for place, axis in enumerate(_axes(images, spatial_dims)):
        how = float(scale[place]), float(translation[place]), method, antialias
        x = _applied(x, along(x.shape[axis], output_shape[axis], *how)[0], axis)
    return np.asarray(x, images.dtype)


def bounded_scale(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    images: Array,
    output_shape: Sequence[int],
    scale: Array,
    translation: Array,
    spatial_dims: Sequence[int],
    method: str,
    antialias: bool = True,
) -> Bounded:
    """Value and bound of `scale_and_translate` for images of any shape; infinite where open."""
    value = scale_and_translate(
        images, output_shape, scale, translation, spatial_dims, method, antialias
    )
    most = np.abs(images).max(initial=0)
    axes = _axes(images, spatial_dims)
    if not np.isfinite(images).all() or most * WIDTH ** len(axes) >= model.overflow:
        return value, np.full(value.shape, np.inf)
    size, opened = np.abs(images).astype(np.longdouble), np.zeros(value.shape, bool)
    for place, axis in enumerate(axes):
        how = float(scale[place]), float(translation[place]), method, antialias
        _, near, open_here = along(size.shape[axis], output_shape[axis], *how)
        size = _applied(size, near.astype(np.longdouble), axis)
        opened |= np.expand_dims(open_here, [a for a in range(value.ndim) if a != axis])
    bound = allowance(len(axes) * ROUNDINGS, model) * size
    return value, np.where(opened, np.inf, bound)


ORACLES: Mapping[str, Callable[..., Array]] = {"scale_and_translate": scale_and_translate}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"scale_and_translate": bounded_scale}
