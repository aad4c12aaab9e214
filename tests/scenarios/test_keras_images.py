"""Scenarios of keras.ops.image: right functions, and ones that are wrong in one way."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from conformance.scenarios import Problem
from conformance.scenarios.operations.sizes import TRANSFORMS, points
from tests.scenarios import keras_images as images
from tests.scenarios import keras_ops as ops
from tests.scenarios.changed import Wrong, always, ignored
from tests.scenarios.keras_images import PADDING, RIGHT


def after(name: str, changed: Callable[..., Any]) -> Wrong:
    """What is made of what the right function gives."""
    return lambda *args, **kwargs: changed(RIGHT[name](*args, **kwargs))


def before(name: str, place: int, changed: Callable[..., Any]) -> Wrong:
    """The right function of another argument."""

    def called(*args: Any, **kwargs: Any) -> Any:
        given = [changed(x) if n == place else x for n, x in enumerate(args)]
        return RIGHT[name](*given, **kwargs)

    return called


def six(hue: float, saturation: float, value: float) -> Any:
    """Hues that run from 0 to 6."""
    return colorsys.hsv_to_rgb(hue * 6, saturation, value)


def degrees(*colour: float) -> Any:
    hue, *others = colorsys.rgb_to_hsv(*colour)
    return (360 * hue, *others)


def blur(sigma: Callable[..., Any]) -> Wrong:
    return lambda *args, **kwargs: RIGHT["gaussian_blur"](
        *args, **{**kwargs, "sigma": sigma(kwargs["sigma"])}
    )


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


def other_mode(name: str, asked: str, given: str) -> Wrong:
    """Another mode in the place of one."""

    def called(*args: Any, fill_mode: str = "constant", **kwargs: Any) -> Any:
        mode = given if fill_mode == asked else fill_mode
        return RIGHT[name](*args, fill_mode=mode, **kwargs)

    return called


def first_of_all(rows: Any) -> Any:
    return np.broadcast_to(rows[:1], rows.shape) if rows.ndim > 1 else rows


def inverted(rows: Any) -> Any:
    """Transforms that lead from the points of an image to those of the result."""
    whole = np.concatenate([rows, np.ones_like(rows[..., :1])], -1)
    matrices = np.linalg.inv(whole.reshape(*rows.shape[:-1], 3, 3))
    return matrices.reshape(whole.shape)[..., :-1]


def rows_first(rows: Any) -> Any:
    return rows[..., [4, 3, 5, 1, 0, 2, 6, 7]]


IGNORED: tuple[tuple[str, str], ...] = (
    *((name, "data_format") for name in RIGHT if name not in {"map_coordinates", "ssim"}),
    *((n, k) for n in ("extract_patches", "extract_patches_3d") for k in ("strides", "padding")),
    *((n, "dilation_rate") for n in ("extract_patches", "extract_patches_3d")),
    *((n, k) for n in ("map_coordinates", "affine_transform") for k in ("fill_mode", "fill_value")),
    *((n, "interpolation") for n in ("affine_transform", "perspective_transform")),
    ("perspective_transform", "fill_value"),
    *(("resize", k) for k in ("crop_to_aspect_ratio", "pad_to_aspect_ratio", "fill_value")),
    *(("ssim", k) for k in ("max_val", "k1")),
)
WRONG: tuple[tuple[str, str, Wrong], ...] = (
    ("rgb_to_hsv", "turned round", before("rgb_to_hsv", 0, lambda x: x[..., ::-1])),
    ("rgb_to_hsv", "degrees", images.each_colour(degrees)),
    ("rgb_to_hsv", "lightness", images.each_colour(colorsys.rgb_to_hls)),
    (
        "rgb_to_hsv",
        "NaN of black",
        images.each_colour(lambda *c: colorsys.rgb_to_hsv(*c) if max(c) else (np.nan,) * 3),
    ),
    (
        "rgb_to_hsv",
        "hues below 0",
        after("rgb_to_hsv", lambda x: np.where(x > 11 / 12, x - 1, x)),
    ),
    ("hsv_to_rgb", "turned round", after("hsv_to_rgb", lambda x: x[..., ::-1])),
    ("hsv_to_rgb", "hues up to 6", images.each_colour(six)),
    ("hsv_to_rgb", "lightness", images.each_colour(lambda h, s, v: colorsys.hls_to_rgb(h, v, s))),
    (
        "hsv_to_rgb",
        "nothing of the last hue",
        images.each_colour(lambda h, s, v: (0, 0, 0) if h == 1 else colorsys.hsv_to_rgb(h, s, v)),
    ),
    ("rgb_to_grayscale", "a sum", images.last(lambda x: x.sum(-1, keepdims=True))),
    ("rgb_to_grayscale", "three channels", lambda x, data_format=None: x),
    ("rgb_to_grayscale", "without an axis", lambda x, data_format=None: x[..., 0]),
    ("rgb_to_grayscale", "up to 255", after("rgb_to_grayscale", lambda x: 255 * x)),
    ("rgb_to_grayscale", "turned", after("rgb_to_grayscale", lambda x: 1 - x)),
    *(
        (name, how, after(name, changed))
        for name in ("extract_patches", "extract_patches_3d")
        for how, changed in (
            ("an axis more", lambda x: x[None]),
            ("sorted", lambda x: np.sort(x, -1)),
            ("the first patch", lambda x: np.broadcast_to(x[..., :1, :], x.shape)),
            ("flat", lambda x: x.reshape(-1, x.shape[-1])),
        )
    ),
    ("map_coordinates", "always nearest", before("map_coordinates", 2, lambda _: 0)),
    ("map_coordinates", "always linear", before("map_coordinates", 2, lambda _: 1)),
    ("map_coordinates", "axes exchanged", before("map_coordinates", 1, lambda p: p[::-1])),
    ("map_coordinates", "middles of points", before("map_coordinates", 1, lambda p: p + 0.5)),
    *(
        (name, f"{given} for {asked}", other_mode(name, asked, given))
        for name, asked, given in (
            ("map_coordinates", "mirror", "reflect"),
            ("map_coordinates", "reflect", "mirror"),
            ("map_coordinates", "wrap", "nearest"),
            ("map_coordinates", "nearest", "wrap"),
            ("affine_transform", "reflect", "mirror"),
            ("affine_transform", "wrap", "nearest"),
        )
    ),
    ("affine_transform", "the first for all", before("affine_transform", 1, first_of_all)),
    ("affine_transform", "inverted", before("affine_transform", 1, inverted)),
    ("affine_transform", "rows first", before("affine_transform", 1, rows_first)),
    (
        "perspective_transform",
        "backwards",
        lambda x, s, e, **k: RIGHT["perspective_transform"](x, e, s, **k),
    ),
    (
        "perspective_transform",
        "rows first",
        lambda x, s, e, **k: RIGHT["perspective_transform"](x, s[..., ::-1], e[..., ::-1], **k),
    ),
    ("perspective_transform", "nothing", lambda x, s, e, **k: x),
    ("resize", "columns first", before("resize", 1, lambda size: size[::-1])),
    ("resize", "in turn", before("resize", 0, lambda x: x[..., ::-1, :])),
    ("resize", "darker", after("resize", lambda x: 0.999 * x)),
    ("gaussian_blur", "of one deviation", blur(lambda sigma: (sigma[0],) * 2)),
    ("gaussian_blur", "exchanged", blur(lambda sigma: sigma[::-1])),
    ("gaussian_blur", "the default", blur(lambda _: (1.0, 1.0))),
    (
        "gaussian_blur",
        "the size exchanged",
        lambda x, kernel_size, **k: RIGHT["gaussian_blur"](x, kernel_size=kernel_size[::-1], **k),
    ),
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
    ("ssim", "not squared", always(RIGHT["ssim"], k1=0.5)),
)


def found(name: str, wrong: Wrong | None = None) -> list[Problem]:
    functions = {f"image.{n}": f for n, f in RIGHT.items()}
    functions |= {} if wrong is None else {f"image.{name}": wrong}
    made = ops.scenarios(f"image.{name}")
    return [problem for one in made for problem in ops.found(one, functions)]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    assert ops.scenarios(f"image.{name}")
    assert not found(name)


@pytest.mark.parametrize(("name", "keyword"), IGNORED)
def test_a_parameter_that_is_ignored_is_found(name: str, keyword: str) -> None:
    assert found(name, ignored(RIGHT[name], keyword))


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Wrong) -> None:
    assert found(name, wrong)


def test_each_function_has_three_wrong_ones() -> None:
    names = [name for name, _, _ in WRONG]
    assert {*names} == {*RIGHT}
    assert min(names.count(name) for name in RIGHT) >= 3


@pytest.mark.parametrize("name", ["extract_patches", "extract_patches_3d"])
def test_patches_may_be_written_in_any_order(name: str) -> None:
    turned = after(name, lambda x: x[..., ::-1])
    first = [s for s in ops.scenarios(f"image.{name}") if "channels_first" in str(s.program)]
    made = [s for s in ops.scenarios(f"image.{name}") if s not in first]
    assert not any(ops.found(one, {f"image.{name}": turned}) for one in made)


@pytest.mark.parametrize("name", ["extract_patches", "extract_patches_3d"])
def test_padding_of_patches_may_be_of_any_numbers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PADDING, "mode", "edge")
    assert not found(name, RIGHT[name])


@pytest.mark.parametrize("name", ["extract_patches", "extract_patches_3d"])
def test_patches_may_lie_in_the_last_axis(name: str) -> None:
    def at_the_end(x: Any, size: Any, *args: Any, data_format: Any = None, **kwargs: Any) -> Any:
        rank = 2 if name == "extract_patches" and isinstance(size, int) else 3
        rank = rank if isinstance(size, int) else len(size)
        x = np.moveaxis(x, -rank - 1, -1) if data_format == "channels_first" else x
        return RIGHT[name](x, size, *args, **kwargs)

    assert not found(name, at_the_end)


@pytest.mark.parametrize("factor", [-1, 1 / 8, 255])
def test_slopes_may_be_of_any_factor(factor: float) -> None:
    assert not found("sobel_edges", after("sobel_edges", lambda x: factor * x))


@pytest.mark.parametrize(("how", "row"), TRANSFORMS)
@pytest.mark.parametrize("shape", [(3, 3), (3, 7), (7, 3), (7, 7)])
def test_a_perspective_follows_from_its_points(how: str, row: Any, shape: Any) -> None:
    """What elimination loses of the equations is less than what points may be off."""
    starts, ends = points(row, shape)
    assert images.coefficients(starts, ends) == pytest.approx(row, abs=1e-10)
    lost = 64 * 24 * np.finfo("float64").eps / 2 * 2**7
    assert np.linalg.cond(images.equations(starts, ends), np.inf) * lost * 8 < 1e-6
