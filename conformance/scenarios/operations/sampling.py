"""Calls of keras.ops.image that take numbers between the elements of a tensor, or outside of it.

A tensor goes on at its ends as the docstrings draw it, once over. Left open are points as near to
two elements, where the nearest is asked for; and with `constant` and `wrap` what lies less than a
step beyond an end, where that end may count or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.checks import agrees_with, shown
from conformance.scenarios.model import Array, Family
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    distinct,
    families,
    one,
)

EIGHTHS, HALF = 8, 0.5
ROUNDINGS = 64
"""Of the products of weights for each axis with an element, their sum, and the place of a point."""
FILLS = (7, -2.5, 0)


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


def sampled(
    x: Array, points: Sequence[Array], order: int, mode: str, fill: float
) -> tuple[Array, Array]:
    """The numbers at points, with a row of places for each axis; and which points are open."""
    opened = [_open(p, n, order, mode) for p, n in zip(points, x.shape, strict=True)]
    found = _between(x, points, mode, fill) if order else _nearest(x, points, mode, fill)
    return found, np.asarray(np.any(opened, axis=0))


def _nearest(x: Array, points: Sequence[Array], mode: str, fill: float) -> Array:
    return _elements(x, [np.floor(p + HALF).astype(int) for p in points], mode, fill)


def _between(x: Array, points: Sequence[Array], mode: str, fill: float) -> Array:
    """The elements at the corners around each point, weighted by how near they are."""
    lows = [np.floor(p).astype(int) for p in points]
    total = np.zeros(points[0].shape)
    for corner in product((0, 1), repeat=x.ndim):
        ends = [low + step for low, step in zip(lows, corner, strict=True)]
        weights = (1 - np.abs(p - end) for p, end in zip(points, ends, strict=True))
        total += np.prod([*weights], axis=0) * _elements(x, ends, mode, fill)
    return total


def _elements(x: Array, places: Sequence[Array], mode: str, fill: float) -> Array:
    """The elements at whole places."""
    inside = [MODES[mode](p, n) for p, n in zip(places, x.shape, strict=True)]
    found = x[tuple(inside)].astype("float64")
    if mode != "constant":
        return np.asarray(found)
    outside = np.any([(p < 0) | (p >= n) for p, n in zip(places, x.shape, strict=True)], axis=0)
    return np.where(outside, fill, found)


def _open(point: Array, length: int, order: int, mode: str) -> Array:
    """Which places along an axis the docstrings leave open."""
    tie = (point % 1 == HALF) & (order == 0)
    beyond = (point < -length) | (point > 2 * length - 1)
    step = ((point > -1) & (point < 0)) | ((point > length - 1) & (point < length))
    return np.asarray(tie | beyond | (step & (mode in {"constant", "wrap"})))


def close(value: Array, opened: Array, x: Array, fill: float = 0.0) -> Result:
    """Sums of elements with weights that add up to one; nothing is asked where it is open."""
    largest = max(float(np.abs(x).max(initial=0)), abs(fill))
    bound = np.where(opened, np.inf, gamma(ROUNDINGS, x.dtype.name) * largest)
    expected = Expectation(value, bound, x.dtype.name)
    return Result(value.shape, agrees_with(expected), demands=shown(value))


def _filling(draw: DrawFn, modes: Sequence[str]) -> tuple[str, float, dict[str, Argument]]:
    """A mode, the number beyond the ends, and the keywords that say so."""
    mode = draw(st.sampled_from(modes))
    fill = draw(st.sampled_from(FILLS)) if mode == "constant" else 0
    if mode == "constant" and fill == 0 and draw(st.booleans()):
        return mode, 0.0, {}
    more: dict[str, Argument] = {"fill_value": fill} if mode == "constant" else {}
    return mode, float(fill), {"fill_mode": mode, **more}


def _map_coordinates(draw: DrawFn) -> Call:
    rank, order = draw(st.integers(1, 3)), draw(st.integers(0, 1))
    x = distinct(draw, [draw(st.integers(2, 5)) for _ in range(rank)], a_dtype(draw))
    mode, fill, given = _filling(draw, tuple(MODES))
    shape = draw(st.sampled_from(((12,), (2, 6), (1,), (2, 3, 2))))
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    points = np.stack(
        [generator.integers(-EIGHTHS * n, EIGHTHS * (2 * n - 1) + 1, shape) for n in x.shape]
    )
    inside = generator.integers(0, 2, shape) > 0
    ends = np.reshape([n - 1 for n in x.shape], (-1, *[1] * len(shape)))
    places = np.where(inside, points % (EIGHTHS * ends + 1), points) / EIGHTHS
    value, opened = sampled(x, [*places], order, mode, fill)
    tensors = {"x": x, "points": places.astype(x.dtype)}
    gives = close(value, opened, x, fill)
    made = one(tensors, Ref("x"), Ref("points"), order, gives=gives, **given)
    return replace(made, about=f"{'linear' if order else 'nearest'}, {mode}")


ROWS: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("moved", (1, 0, 2, 0, 1, -1)),
    ("moved by a part", (1, 0, 0.25, 0, 1, -0.75)),
    ("larger", (0.25, 0, 0, 0, 0.75, 1)),
    ("smaller", (1.75, 0, -1, 0, 1.25, 0)),
    ("turned", (0, 1, 0, 1, 0, 0)),
    ("mirrored", (-1, 0, 3, 0, 1, 0)),
    ("sheared", (1, 0.75, -1, 0.25, 1, 0)),
)
"""The first six numbers of a transform: of a point of the result the column, then the row."""


def transformed(x: Array, row: Sequence[float], how: tuple[int, str, float]) -> tuple[Array, Array]:
    """An image, its channels in the last axis, and which of its points are open."""
    y, column = np.indices(x.shape[:2]).astype("float64")
    a0, a1, a2, b0, b1, b2 = row
    points = [b0 * column + b1 * y + b2, a0 * column + a1 * y + a2]
    found = [sampled(channel, points, *how) for channel in np.moveaxis(x, -1, 0)]
    values, opened = zip(*found, strict=True)
    return np.stack(values, -1), np.stack(opened, -1)


def _images(draw: DrawFn) -> Array:
    """A batch of one or two, channels last."""
    rows, columns = (draw(st.integers(2, 6)) for _ in range(2))
    shape = (draw(st.integers(1, 2)), rows, columns, draw(st.integers(1, 3)))
    return distinct(draw, shape, a_dtype(draw))


def _affine_transform(draw: DrawFn) -> Call:
    """One transform for all, or one for each image of a batch."""
    x, batched = _images(draw), draw(st.booleans())
    x = x if batched else x[:1]
    kinds = [draw(st.sampled_from(ROWS)) for _ in x]
    order = draw(st.integers(0, 1))
    mode, fill, given = _filling(draw, ("constant", "nearest", "wrap", "reflect"))
    found = [
        transformed(image, row, (order, mode, fill))
        for image, (_, row) in zip(x, kinds, strict=True)
    ]
    value, opened = (np.stack(part) for part in zip(*found, strict=True))
    rows = np.array([(*row, 0, 0) for _, row in kinds], x.dtype)
    if not batched:
        x, value, opened, rows = x[0], value[0], opened[0], rows[0]
    if order == 0 or draw(st.booleans()):
        given["interpolation"] = "bilinear" if order else "nearest"
    if draw(st.booleans()):
        given["data_format"] = "channels_first"
        x, value, opened = (np.moveaxis(part, -1, -3).copy() for part in (x, value, opened))
    tensors, gives = {"images": x, "transform": rows}, close(value, opened, x, fill)
    made = one(tensors, Ref("images"), Ref("transform"), gives=gives, **given)
    return replace(made, about=f"{'linear' if order else 'nearest'}, {mode}, {kinds[0][0]}")


FUNCTIONS: tuple[Function, ...] = (
    Function("keras.ops.image.map_coordinates", _map_coordinates, section="Args"),
    Function("keras.ops.image.affine_transform", _affine_transform, section="Args", inner=3),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
