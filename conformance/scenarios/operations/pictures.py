"""Calls of keras.ops.image that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.model import Family
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    a_dtype,
    distinct,
    exact,
    families,
    one,
)

X = Ref("images")
SIDES = ("top", "left", "bottom", "right")


def _images(draw: DrawFn) -> tuple[tuple[int, ...], dict[str, Argument], int]:
    """A shape of images, their data format as keywords, and the axis of the rows."""
    batch = draw(st.sampled_from(((), (2,))))
    rows, columns, channels = (draw(st.integers(1, 6)) for _ in range(3))
    data_format = draw(st.sampled_from((None, "channels_last", "channels_first")))
    given: dict[str, Argument] = {} if data_format is None else {"data_format": data_format}
    if data_format == "channels_first":
        return (*batch, channels, rows, columns), given, len(batch) + 1
    return (*batch, rows, columns, channels), given, len(batch)


def _said(
    draw: DrawFn, kind: str, sides: Sequence[int], size: tuple[int, int]
) -> dict[str, Argument]:
    """The numbers at all four sides, or at two of them and the size that is left to."""
    named = {f"{side}_{kind}": n for side, n in zip(SIDES, sides, strict=True)}
    if draw(st.booleans()):
        return {**named}
    first = draw(st.booleans())
    kept = SIDES[:2] if first else SIDES[2:]
    target = {"target_height": size[0], "target_width": size[1]}
    return {**{f"{side}_{kind}": named[f"{side}_{kind}"] for side in kept}, **target}


def _pad_images(draw: DrawFn) -> Call:
    shape, given, axis = _images(draw)
    x = 1 + np.abs(distinct(draw, shape, a_dtype(draw)))
    top, left, bottom, right = (draw(st.integers(0, 3)) for _ in SIDES)
    widths = [(0, 0)] * x.ndim
    widths[axis : axis + 2] = [(top, bottom), (left, right)]
    wanted = np.pad(x, widths)
    size = wanted.shape[axis], wanted.shape[axis + 1]
    said = _said(draw, "padding", (top, left, bottom, right), size)
    return one({"images": x}, X, gives=exact(wanted, x.dtype.name), **said, **given)


def _crop_images(draw: DrawFn) -> Call:
    shape, given, axis = _images(draw)
    x = distinct(draw, shape, a_dtype(draw))
    ends = []
    for length in shape[axis : axis + 2]:
        start = draw(st.integers(0, length - 1))
        ends.append((start, draw(st.integers(0, length - 1 - start))))
    (top, bottom), (left, right) = ends
    rows = slice(top, shape[axis] - bottom), slice(left, shape[axis + 1] - right)
    wanted = x[(*[slice(None)] * axis, *rows)]
    size = wanted.shape[axis], wanted.shape[axis + 1]
    said = _said(draw, "cropping", (top, left, bottom, right), size)
    return one({"images": x}, X, gives=exact(wanted, x.dtype.name), **said, **given)


def _image(name: str, draw: Callable[[DrawFn], Call]) -> Function:
    """Height, width and channels must be known: an error of `crop_images` says so."""
    full = f"keras.ops.image.{name}"
    return Function(full, draw, section="Args", keeps_dtype=True, inner=3)


FUNCTIONS: tuple[Function, ...] = (
    _image("pad_images", _pad_images),
    _image("crop_images", _crop_images),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
