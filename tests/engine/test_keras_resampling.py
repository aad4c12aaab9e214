"""Resampled images of keras.ops: right functions pass, wrong ones violate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from conformance.oracle.keras_ops import resizing
from tests.engine.keras_calls import prepared, problems
from tests.scenarios.changed import Wrong, ignored
from tests.scenarios.keras_images import RIGHT


def after(name: str, changed: Callable[..., Any]) -> Wrong:
    """What is made of what the right function gives."""
    return lambda *args, **kwargs: changed(RIGHT[name](*args, **kwargs))


def before(name: str, place: int, changed: Callable[..., Any]) -> Wrong:
    """The right function of another argument."""

    def called(*args: Any, **kwargs: Any) -> Any:
        arguments = [changed(x) if n == place else x for n, x in enumerate(args)]
        return RIGHT[name](*arguments, **kwargs)

    return called


def other_mode(name: str, asked: str, instead: str) -> Wrong:
    """Another mode in the place of one."""

    def called(*args: Any, fill_mode: str = "constant", **kwargs: Any) -> Any:
        mode = instead if fill_mode == asked else fill_mode
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
    *((name, "data_format") for name in RIGHT if name != "map_coordinates"),
    *((n, k) for n in ("map_coordinates", "affine_transform") for k in ("fill_mode", "fill_value")),
    *((n, "interpolation") for n in ("affine_transform", "perspective_transform")),
    ("perspective_transform", "fill_value"),
    *(("resize", k) for k in ("crop_to_aspect_ratio", "pad_to_aspect_ratio", "fill_value")),
    *(("resize", k) for k in ("interpolation", "antialias")),
)
WRONG: tuple[tuple[str, str, Wrong], ...] = (
    ("map_coordinates", "always nearest", before("map_coordinates", 2, lambda _: 0)),
    ("map_coordinates", "always linear", before("map_coordinates", 2, lambda _: 1)),
    ("map_coordinates", "axes exchanged", before("map_coordinates", 1, lambda p: p[::-1])),
    ("map_coordinates", "middles of points", before("map_coordinates", 1, lambda p: p + 0.5)),
    *(
        (name, f"{instead} for {asked}", other_mode(name, asked, instead))
        for name, asked, instead in (
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
    (
        "resize",
        "a cubic filter with a = -1",
        lambda x, s, **k: RIGHT["resize"](x, s, **k, cubic="sharp"),
    ),
    ("resize", "darker", after("resize", lambda x: 0.999 * x)),
)


RAISED = (ValueError, IndexError)


@pytest.fixture(autouse=True)
def sharp(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cubic filter outside the readings of the convention."""
    monkeypatch.setitem(cast(dict[str, Any], resizing.CUBIC), "sharp", (-1.0, True))


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(f"image.{name}")
    assert not [(f.gives, f.demands) for f in problems(f"image.{name}", RIGHT[name])]


@pytest.mark.parametrize(("name", "keyword"), IGNORED)
def test_a_parameter_that_is_ignored_violates(name: str, keyword: str) -> None:
    wrong = ignored(RIGHT[name], keyword)
    assert next(problems(f"image.{name}", wrong, *RAISED), None) is not None


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Wrong) -> None:
    assert next(problems(f"image.{name}", wrong, *RAISED), None) is not None


def test_each_function_has_three_wrong_ones() -> None:
    names = [name for name, _, _ in WRONG]
    assert {*names} == {*RIGHT}
    assert min(names.count(name) for name in RIGHT) >= 3


@pytest.mark.parametrize("place", [0, 1])
def test_any_window_of_an_image_may_be_cut_out(place: int) -> None:
    def cut(images: Any, size: Any, **how: Any) -> Any:
        if not how.get("crop_to_aspect_ratio"):
            return RIGHT["resize"](images, size, **how)
        x = np.moveaxis(images, -3, -1) if how.get("data_format") == "channels_first" else images
        down, right = (place * (m - n) for m, n in zip(x.shape[-3:-1], size, strict=True))
        x = x[..., down : down + size[0], right : right + size[1], :]
        return np.moveaxis(x, -1, -3) if how.get("data_format") == "channels_first" else x

    assert not [(f.gives, f.demands) for f in problems("image.resize", cut)]


@pytest.mark.parametrize(
    "reading", [{"grid": "corners"}, {"grid": "edges"}, {"cubic": "steep"}, {"cubic": "table"}]
)
def test_a_reading_of_the_grid_or_of_the_filter_violates_nothing(reading: dict[str, str]) -> None:
    def read(images: Any, size: Any, **how: Any) -> Any:
        repeated = how.get("interpolation") == "nearest"  # which the docstring settles
        return RIGHT["resize"](images, size, **how, **({} if repeated else reading))

    assert not [(f.gives, f.demands) for f in problems("image.resize", read)]
