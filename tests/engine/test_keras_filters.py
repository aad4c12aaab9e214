"""Patches of images, blurs, slopes and similarities: right functions pass, wrong ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from tests.engine.keras_calls import prepared, problems
from tests.scenarios.changed import Wrong, always, ignored
from tests.scenarios.keras_images import last

WEIGHTS, STEP = (1, 2, 1), (-1, 0, 1)
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
    rows = np.zeros((len(x), *counts, x.shape[-1] * int(np.prod(size))), x.dtype)
    for place in np.ndindex(*counts):
        begins = [p * t for p, t in zip(place, strides, strict=True)]
        window = tuple(slice(b, b + s, rate) for b, s in zip(begins, span, strict=True))
        patch = np.moveaxis(x[(slice(None), *window)], -1, 1)
        rows[(slice(None), *place)] = patch.reshape(len(x), -1)
    return rows if batched else rows[0]


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
    rows = patches(rank, images, size, strides, dilation_rate, padding)
    return np.moveaxis(rows, -1, -rank - 1) if data_format == "channels_first" else rows


def extract_patches_3d(volumes: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
    size = (size,) * 3 if isinstance(size, int) else size
    return extract_patches(volumes, size, *args, **kwargs)


@last
def gaussian_blur(images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0)) -> Any:
    x = images.astype("float64")
    for axis, length, deviation in zip((-3, -2), kernel_size, sigma, strict=True):
        weights = np.exp(-((np.arange(length) - length // 2) ** 2) / (2 * deviation**2))
        x = ndimage.convolve1d(x, weights / weights.sum(), axis, mode="constant")
    return x


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
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: Any = None,
) -> Any:
    x, y = (image.astype("float64") for image in (image1, image2))
    if data_format == "channels_first":
        x, y = (np.moveaxis(image, -3, -1) for image in (x, y))
    places = np.arange(filter_size) - filter_size // 2
    weights = np.exp(-(places**2) / (2 * filter_sigma**2))
    beside = filter_size // 2
    inside = (slice(beside, -beside or None),) * 2

    def mean(part: Any) -> Any:
        for axis in (-3, -2):
            part = ndimage.correlate1d(part, weights / weights.sum(), axis)
        return part[(..., *inside, slice(None))]

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    a, b = mean(x), mean(y)
    both, each = mean(x * y) - a * b, mean(x * x + y * y) - a * a - b * b
    like = (2 * a * b + c1) * (2 * both + c2) / ((a * a + b * b + c1) * (each + c2))
    return like.mean((-3, -2, -1))


RIGHT: Mapping[str, Callable[..., Any]] = {
    "extract_patches": extract_patches,
    "extract_patches_3d": extract_patches_3d,
    "gaussian_blur": gaussian_blur,
    "sobel_edges": sobel_edges,
    "ssim": ssim,
}
PATCHES = ("extract_patches", "extract_patches_3d")


def after(name: str, changed: Callable[..., Any]) -> Wrong:
    """What is made of what the right function gives."""
    return lambda *args, **kwargs: changed(RIGHT[name](*args, **kwargs))


def blur(sigma: Callable[..., Any]) -> Wrong:
    def called(*args: Any, **kwargs: Any) -> Any:
        asked = kwargs.get("sigma", (1.0, 1.0))
        return gaussian_blur(*args, **{**kwargs, "sigma": sigma(asked)})

    return called


def turned_size(x: Any, kernel_size: Any = (3, 3), **others: Any) -> Any:
    return gaussian_blur(x, kernel_size=kernel_size[::-1], **others)


def scharr(x: Any, data_format: Any = None) -> Any:
    """Slopes with other weights."""
    ends = (2, 3) if data_format == "channels_first" else (1, 2)
    wide = x.astype("float64")
    return np.stack(
        [
            ndimage.correlate1d(ndimage.correlate1d(wide, (-1, 0, 1), axis), (3, 10, 3), other)
            for axis, other in (ends, ends[::-1])
        ],
        -1,
    )


IGNORED: tuple[tuple[str, str], ...] = (
    *((name, "data_format") for name in RIGHT),
    *((name, k) for name in PATCHES for k in ("strides", "padding", "dilation_rate")),
    *(("gaussian_blur", k) for k in ("kernel_size", "sigma")),
    *(("ssim", k) for k in ("max_val", "filter_size", "filter_sigma", "k1", "k2")),
)
WRONG: tuple[tuple[str, str, Wrong], ...] = (
    *(
        (name, how, after(name, changed))
        for name in PATCHES
        for how, changed in (
            ("an axis more", lambda x: x[None]),
            ("sorted", lambda x: np.sort(x, -1)),
            ("in reverse", lambda x: x[..., ::-1]),
            ("the first patch", lambda x: np.broadcast_to(x[..., :1, :], x.shape)),
            ("flat", lambda x: x.reshape(-1, x.shape[-1])),
        )
    ),
    ("gaussian_blur", "of one deviation", blur(lambda sigma: (sigma[0],) * 2)),
    ("gaussian_blur", "exchanged", blur(lambda sigma: sigma[::-1])),
    ("gaussian_blur", "the size exchanged", turned_size),
    ("gaussian_blur", "not divided", after("gaussian_blur", lambda x: 9 * x)),
    ("sobel_edges", "exchanged", after("sobel_edges", lambda x: x[..., ::-1])),
    ("sobel_edges", "other weights", scharr),
    ("sobel_edges", "without signs", after("sobel_edges", np.abs)),
    ("sobel_edges", "zero", after("sobel_edges", np.zeros_like)),
    ("sobel_edges", "one of another sign", after("sobel_edges", lambda x: x * np.array([1, -1]))),
    ("sobel_edges", "channels last", after("sobel_edges", lambda x: x.swapaxes(-1, -2))),
    ("ssim", "unlike", after("ssim", lambda x: 1 - x)),
    ("ssim", "of all", after("ssim", np.mean)),
    ("ssim", "half", after("ssim", lambda x: (x + 1) / 2)),
    ("ssim", "not squared", always(ssim, k1=0.5)),
)


def violations(name: str, function: Callable[..., Any]) -> list[tuple[str, str]]:
    return [(f.gives, f.demands) for f in problems(f"image.{name}", function)]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(f"image.{name}")
    assert not violations(name, RIGHT[name])


@pytest.mark.parametrize(("name", "keyword"), IGNORED)
def test_a_parameter_that_is_ignored_violates(name: str, keyword: str) -> None:
    wrong = ignored(RIGHT[name], keyword)
    assert next(problems(f"image.{name}", wrong, ValueError, IndexError), None) is not None


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Wrong) -> None:
    assert next(problems(f"image.{name}", wrong, ValueError, IndexError), None) is not None


@pytest.mark.parametrize("name", PATCHES)
def test_padding_of_patches_may_be_of_any_numbers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PADDING, "mode", "edge")
    assert not violations(name, RIGHT[name])


@pytest.mark.parametrize("name", PATCHES)
def test_patches_may_lie_in_the_last_axis(name: str) -> None:
    def at_the_end(x: Any, size: Any, data_format: Any = None, **how: Any) -> Any:
        rank = 2 if name == "extract_patches" and isinstance(size, int) else 3
        rank = rank if isinstance(size, int) else len(size)
        x = np.moveaxis(x, -rank - 1, -1) if data_format == "channels_first" else x
        return RIGHT[name](x, size, **how)

    assert not violations(name, at_the_end)


@pytest.mark.parametrize("factor", [-1, 1 / 8, 255])
def test_slopes_may_be_of_any_factor(factor: float) -> None:
    assert not violations("sobel_edges", after("sobel_edges", lambda x: factor * x))
