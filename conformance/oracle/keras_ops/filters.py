"""Images that are blurred, their slopes, and how alike two images are.

`gaussian_blur` takes means by the weights of a Gaussian at whole distances, or, by a reading, by
its integrals over the elements. For a very large deviation both are alike within `UNEVEN`. No
docstring says what the filter meets beyond an image, so the oracle asks for nothing near the ends.

`sobel_edges` gives slopes along columns and rows, times a factor that no docstring settles. The
evidence is the answer divided by the factor at the steepest place.

`ssim` is the index of Z. Wang, A. C. Bovik, H. R. Sheikh and E. P. Simoncelli, Image quality
assessment: from error visibility to structural similarity (2004), of windows within the image, one
element apart, with the weights of a Gaussian.

A sum of n products of rounded weights is off by gamma(n + c) of the sum of the magnitudes (Higham
2002, section 3.1). A covariance is a difference of two such sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]
WEIGHT = 8
"""Roundings of a weight, and of the quotients that follow."""
FLAT = 100.0
"""From this deviation on all weights of a small filter are alike."""
UNEVEN = 8 / FLAT**2
"""How unlike weights up to two places from the middle are then, twice over."""


def _last(images: Array, data_format: str | None) -> Array:
    """The images with their channels in the last axis."""
    return np.moveaxis(images, -3, -1) if data_format == "channels_first" else images


def _placed(images: Array, data_format: str | None) -> Array:
    return np.moveaxis(images, -1, -3) if data_format == "channels_first" else images


def gaussian(size: int, sigma: float, *, integrated: bool = False) -> Array:
    """The weights of a filter, which sum to 1."""
    places = np.arange(size) - (size - 1) / 2
    if integrated:
        ends = [math.erf(p / (sigma * math.sqrt(2))) for p in (*(places - 0.5), places[-1] + 0.5)]
        weights = np.diff(np.array(ends, np.longdouble))
    else:
        weights = np.exp(-((places.astype(np.longdouble) / sigma) ** 2) / 2)
    return np.asarray(weights / weights.sum())


def _filtered(x: Array, axis: int, weights: Array, *, inside: bool) -> Array:
    """The weighted sums along an axis: of whole windows, or with zeros beyond the ends."""
    beside = 0 if inside else len(weights) // 2
    wide = np.pad(x, [(beside, beside) if n == axis % x.ndim else (0, 0) for n in range(x.ndim)])
    rows = np.lib.stride_tricks.sliding_window_view(wide, len(weights), axis)
    return np.asarray(rows @ weights)


def _blurred(x: Array, size: Any, sigma: Any, **how: Any) -> Array:
    for axis, length, deviation in zip((-3, -2), size, sigma, strict=True):
        x = _filtered(x, axis, gaussian(length, deviation, **how), inside=False)
    return x


def gaussian_blur(
    images: Array,
    kernel_size: Any = (3, 3),
    sigma: Any = (1.0, 1.0),
    data_format: str | None = None,
    **how: Any,
) -> Array:
    """Means of images by the weights of a Gaussian.

    Shapes: images (batch, rows, columns, channels) or (rows, columns, channels), or with channels
    first; the result has the shape of the images.
    """
    return _placed(_blurred(_last(images, data_format), kernel_size, sigma, **how), data_format)


def bounded_blur(
    model: Arithmetic,
    images: Array,
    kernel_size: Any = (3, 3),
    sigma: Any = (1.0, 1.0),
    data_format: str | None = None,
    **how: Any,
) -> Bounded:
    """Value and bound of `gaussian_blur`.

    Shapes: value and bound have the shape of the images.
    """
    x = _last(images, data_format)
    size = _blurred(np.abs(x), kernel_size, sigma, **how)
    bound = allowance(sum(kernel_size) + 2 * WEIGHT, model) * size
    if max(sigma) >= FLAT:
        bound = bound + UNEVEN * size
    rows, columns = (
        slice(n // 2, length - n // 2)
        for n, length in zip(kernel_size, x.shape[-3:-1], strict=True)
    )
    inside = np.zeros(x.shape, np.bool_)
    inside[..., rows, columns, :] = True
    bound = np.where(inside & np.isfinite(bound), bound, np.inf)
    return gaussian_blur(images, kernel_size, sigma, data_format, **how), _placed(
        bound, data_format
    )


# Slopes


def sobel_edges(images: Array, data_format: str | None = None) -> Array:
    """The slopes within the images, in a row.

    Shapes: images (batch, rows, columns, channels), or with channels first; the result is a row of
    batch * (rows - 2) * (columns - 2) * channels * 2 elements.
    """
    x = _last(images, data_format)
    down, right = x[:, 2:] - x[:, :-2], x[:, :, 2:] - x[:, :, :-2]
    dy = down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]
    dx = right[:, :-2] + 2 * right[:, 1:-1] + right[:, 2:]
    return np.stack([dy, dx], -1).reshape(-1)


def evidence_of_slopes(answer: Any, images: Any, data_format: Any = None) -> Any:
    """The slopes within the images, divided by the factor at the steepest place."""
    x, slopes = np.asarray(images, np.float64), np.asarray(answer, np.float64)
    if data_format == "channels_first":
        x, slopes = np.moveaxis(x, 1, 3), np.moveaxis(slopes, 1, 3)
    down, right = x[:, 2:] - x[:, :-2], x[:, :, 2:] - x[:, :, :-2]
    dy = down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]
    dx = right[:, :-2] + 2 * right[:, 1:-1] + right[:, 2:]
    expected = np.stack([dy, dx], -1).reshape(-1)
    slopes = slopes[:, 1:-1, 1:-1].reshape(-1)
    if not expected.size:
        return slopes
    steepest = np.argmax(np.abs(expected))
    factor = slopes[steepest] / expected[steepest] if expected[steepest] else 1.0
    return slopes / (factor if np.isfinite(factor) and factor else 1.0)


def bounded_slopes(model: Arithmetic, images: Array, data_format: str | None = None) -> Bounded:
    """Value and bound of `sobel_edges`: eight magnitudes, and as much again for the factor.

    Shapes: value and bound have the shape of `sobel_edges`.
    """
    value = sobel_edges(images, data_format)
    size = 8 * np.abs(images).max(initial=0)
    bound = 2 * allowance(2 * WEIGHT, model) * size
    return value, np.full(value.shape, bound if np.isfinite(bound) else np.inf)


# Similarity


def _windowed(x: Array, weights: Array) -> Array:
    for axis in (-3, -2):
        x = _filtered(x, axis, weights, inside=True)
    return x


def _similar(
    image1: Array,
    image2: Array,
    *,
    max_val: float = 1.0,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: str | None = None,
) -> tuple[Array, Array]:
    """The index of each window, and the roundings of 1 by which it may be off."""
    x, y = _last(image1, data_format), _last(image2, data_format)
    weights = gaussian(filter_size, filter_sigma)
    low, high = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    a, b, products = (_windowed(part, weights) for part in (x, y, x * y))
    squares = _windowed(x**2 + y**2, weights)
    near = (2 * a * b + low) / (a**2 + b**2 + low)
    spread = squares - a**2 - b**2 + high
    alike = (2 * (products - a * b) + high) / spread
    size = 2 * (np.abs(products) + np.abs(a * b)) + np.abs(alike) * (squares + a**2 + b**2)
    return near * alike, WEIGHT * np.abs(near * alike) + 2 * np.abs(near) * size / spread


def ssim(image1: Array, image2: Array, **how: Any) -> Array:
    """The mean index of each pair of images.

    Shapes: both images (batch..., rows, columns, channels); the result is (batch...).
    """
    return np.asarray(_similar(image1, image2, **how)[0].mean((-3, -2, -1)))


def bounded_ssim(model: Arithmetic, image1: Array, image2: Array, **how: Any) -> Bounded:
    """Value and bound of `ssim`.

    Shapes: value and bound have the shape of `ssim`.
    """
    index, roundings = _similar(image1, image2, **how)
    terms = how.get("filter_size", 11) ** 2 + WEIGHT
    bound = allowance(terms, model) * roundings.mean((-3, -2, -1))
    bound = bound + allowance(index[..., :1, :].size + 1, model)
    return np.asarray(index.mean((-3, -2, -1))), np.where(np.isfinite(bound), bound, np.inf)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "gaussian_blur": gaussian_blur,
    "sobel_edges": sobel_edges,
    "ssim": ssim,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "gaussian_blur": bounded_blur,
    "sobel_edges": bounded_slopes,
    "ssim": bounded_ssim,
}
EVIDENCE: Mapping[str, Evidence] = {
    "sobel_edges": Evidence(
        evidence_of_slopes,
        "all slopes within the images, divided by the factor at the steepest one",
    ),
}
