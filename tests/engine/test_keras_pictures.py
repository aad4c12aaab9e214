"""Images with other borders and colours: right functions pass, wrong ones are found."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.engine.keras_calls import prepared, problems
from tests.scenarios.keras_images import last

GREY = (0.2989, 0.587, 0.114)


def each_colour(convert: Callable[..., Any]) -> Callable[..., Any]:
    def called(images: Any) -> Any:
        colours = images.astype("float64").reshape(-1, 3)
        colours_after = np.array([convert(*colour) for colour in colours])
        return colours_after.reshape(images.shape).astype(images.dtype)

    return last(called)


@last
def rgb_to_grayscale(images: Any) -> Any:
    return images @ np.array(GREY, images.dtype)[:, None]


def degrees(*colour: float) -> Any:
    hue, *others = colorsys.rgb_to_hsv(*colour)
    return (hue * 360, *others)


def six(hue: float, saturation: float, value: float) -> Any:
    return colorsys.hsv_to_rgb(hue * 6, saturation, value)


def sides(kind: str, size: tuple[int, int], grows: int, options: Mapping[str, Any]) -> Any:
    """How much is added or taken away at both ends of rows and columns."""
    pairs = []
    for length, (first, second, named) in zip(
        size, (("top", "bottom", "height"), ("left", "right", "width")), strict=True
    ):
        near: Any = options.get(f"{first}_{kind}")
        other: Any = options.get(f"{second}_{kind}")
        target = options.get(f"target_{named}")
        missing = 0 if target is None else grows * (target - length)
        pairs.append(
            (missing - other if near is None else near, missing - near if other is None else other)
        )
    return pairs


def pad_images(images: Any, data_format: Any = None, **options: Any) -> Any:
    axis = images.ndim - (2 if data_format == "channels_first" else 3)
    widths = [(0, 0)] * images.ndim
    widths[axis : axis + 2] = sides("padding", images.shape[axis : axis + 2], 1, options)
    return np.pad(images, widths)


def crop_images(images: Any, data_format: Any = None, **options: Any) -> Any:
    axis = images.ndim - (2 if data_format == "channels_first" else 3)
    ends = sides("cropping", images.shape[axis : axis + 2], -1, options)
    slices = [slice(None)] * images.ndim
    for place, (start, end) in enumerate(ends, axis):
        slices[place] = slice(start, images.shape[place] - end)
    return images[tuple(slices)]


RIGHT: Mapping[str, Callable[..., Any]] = {
    "pad_images": pad_images,
    "crop_images": crop_images,
    "rgb_to_hsv": each_colour(colorsys.rgb_to_hsv),
    "hsv_to_rgb": each_colour(colorsys.hsv_to_rgb),
    "rgb_to_grayscale": rgb_to_grayscale,
}


def after(name: str, changed: Callable[[Any], Any]) -> Callable[..., Any]:
    """What is made of what a function gives."""
    return lambda *args, **kwargs: changed(RIGHT[name](*args, **kwargs))


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    *(
        (
            name,
            "data_format ignored",
            lambda x, n=name, **k: RIGHT[n](x, **{**k, "data_format": None}),
        )
        for name in RIGHT
    ),
    ("pad_images", "ones", after("pad_images", lambda x: np.where(x == 0, 1, x))),
    ("pad_images", "turned round", after("pad_images", lambda x: x[::-1])),
    ("crop_images", "turned round", after("crop_images", lambda x: x[::-1])),
    ("rgb_to_hsv", "turned round", after("rgb_to_hsv", lambda x: x[..., ::-1])),
    ("rgb_to_hsv", "degrees", each_colour(degrees)),
    ("rgb_to_hsv", "lightness", each_colour(colorsys.rgb_to_hls)),
    (
        "rgb_to_hsv",
        "NaN of black",
        each_colour(lambda *c: colorsys.rgb_to_hsv(*c) if max(c) else (np.nan,) * 3),
    ),
    (
        "rgb_to_hsv",
        "hues below 0",
        after("rgb_to_hsv", lambda x: np.where(x > 11 / 12, x - 1, x)),
    ),
    ("hsv_to_rgb", "turned round", after("hsv_to_rgb", lambda x: x[..., ::-1])),
    ("hsv_to_rgb", "hues up to 6", each_colour(six)),
    ("hsv_to_rgb", "lightness", each_colour(lambda h, s, v: colorsys.hls_to_rgb(h, v, s))),
    (
        "hsv_to_rgb",
        "nothing of the last hue",
        each_colour(lambda h, s, v: (0, 0, 0) if h == 1 else colorsys.hsv_to_rgb(h, s, v)),
    ),
    ("rgb_to_grayscale", "a sum", last(lambda x: x.sum(-1, keepdims=True))),
    ("rgb_to_grayscale", "three channels", lambda x, data_format=None: x),
    ("rgb_to_grayscale", "without an axis", lambda x, data_format=None: x[..., 0]),
    ("rgb_to_grayscale", "up to 255", after("rgb_to_grayscale", lambda x: 255 * x)),
    ("rgb_to_grayscale", "turned", after("rgb_to_grayscale", lambda x: 1 - x)),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(f"image.{name}")
    findings = [(f.gives, f.demands) for f in problems(f"image.{name}", RIGHT[name])]
    assert not findings


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(f"image.{name}", wrong, ValueError, IndexError), None) is not None
