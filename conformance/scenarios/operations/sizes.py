"""Calls of keras.ops.image that give images another size, or another perspective.

What lies between two elements when an image gets another size, the docstring does not say. So the
size stays, or each element is repeated, or all elements are alike, or an image is cut or gets
borders. A perspective is one of four points; it is computed with numbers of 64 bits, so that points
are off by less than `MOVED`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, agrees_with, only, shown
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations.calls import Call, Function, Result, families, one
from conformance.scenarios.operations.filters import a_batch, formatted
from conformance.scenarios.operations.sampling import HALF, sampled

X = Ref("images")
METHODS = ("nearest", "bilinear", "bicubic")
ROUNDINGS = 128
"""Of weights, which add up to one, for some rows and columns, and of sums of products."""
MOVED = 1e-6
"""Gaussian elimination of eight equations loses 64 gamma_24 2^7 of the condition (N. J. Higham,
Accuracy and Stability of Numerical Algorithms, 2002, theorem 9.5), which is below 2e5 here."""


def _close(value: Array, x: Array) -> Test:
    slack = gamma(ROUNDINGS, x.dtype.name) * float(np.abs(value).max(initial=0))
    return agrees_with(Expectation(value, np.full(value.shape, slack), x.dtype.name))


def _one_of(wanted: Sequence[Array], x: Array) -> Test:
    """A test of what is one of several images; what is none is held against the nearest."""

    def test(values: Values) -> Problem | None:
        got = only(values)
        fits = isinstance(got, Problem) or got.shape != wanted[0].shape
        near = wanted[0] if fits else min(wanted, key=lambda w: float(np.abs(w - got).max()))
        return _close(near, x)(values)

    return test


Resized = tuple[tuple[int, int], list[Array], dict[str, Argument]]
"""The size that is asked for, what may come, and keywords."""


def _same(draw: DrawFn, x: Array) -> Resized:
    method = draw(st.sampled_from(METHODS))
    return (x.shape[1], x.shape[2]), [x], {"interpolation": method}


def _repeated(draw: DrawFn, x: Array) -> Resized:
    down, right = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    wanted = x.repeat(down, 1).repeat(right, 2)
    return (wanted.shape[1], wanted.shape[2]), [wanted], {"interpolation": "nearest"}


def _alike(draw: DrawFn, x: Array) -> Resized:
    x[...] = x[:, :1, :1]
    size = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    wanted = np.broadcast_to(x[:, :1, :1], (x.shape[0], *size, x.shape[3]))
    method, smooth = draw(st.sampled_from(METHODS)), draw(st.booleans())
    return size, [wanted.copy()], {"interpolation": method, "antialias": smooth}


def _with_borders(draw: DrawFn, x: Array) -> Resized:
    axis, beside = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    fill = draw(st.sampled_from((0.0, 50.0)))
    ends = [(beside, beside) if n == axis else (0, 0) for n in range(4)]
    wanted = np.pad(x, ends, constant_values=fill)
    given: dict[str, Argument] = {"pad_to_aspect_ratio": True, "fill_value": fill}
    return (wanted.shape[1], wanted.shape[2]), [wanted], given


def _without_some(draw: DrawFn, x: Array) -> Resized:
    """Which of the windows of that size comes is not said."""
    axis = draw(st.integers(1, 2))
    kept = draw(st.integers(1, x.shape[axis]))
    windows = [x.take(range(n, n + kept), axis) for n in range(x.shape[axis] - kept + 1)]
    size = windows[0].shape[1], windows[0].shape[2]
    return size, windows, {"crop_to_aspect_ratio": True}


WAYS: tuple[tuple[str, Callable[[DrawFn, Array], Resized]], ...] = (
    ("the same size", _same),
    ("elements repeated", _repeated),
    ("elements alike", _alike),
    ("with borders", _with_borders),
    ("cut", _without_some),
)


def _resize(draw: DrawFn) -> Call:
    x, batched = a_batch(draw)
    about, way = draw(st.sampled_from(WAYS))
    size, wanted, more = way(draw, x)
    placed, given = formatted(draw, batched)
    found = [placed(one_of.astype("float64")) for one_of in wanted]
    gives = Result(found[0].shape, _one_of(found, x), demands=shown(found[0]))
    made = one({"images": placed(x)}, X, size, gives=gives, **more, **given)
    return replace(made, about=about)


TRANSFORMS: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("moved", (1, 0, 2, 0, 1, -1, 0, 0)),
    ("mirrored", (-1, 0, 3, 0, 1, 0, 0, 0)),
    ("turned", (0, 1, 0, 1, 0, 0, 0, 0)),
    ("smaller", (1.75, 0, -1, 0, 1.25, 0.25, 0, 0)),
    ("seen from aside", (1, 0.125, 0.25, 0.125, 0.75, 0, 0.0625, 0)),
    ("seen from below", (0.75, 0, 0.5, 0.25, 1, 0.25, 0, 0.125)),
)
"""Where a point of the result comes from: the numbers of a transform of `affine_transform`."""


def origins(row: Sequence[float], x: Array, y: Array) -> tuple[Array, Array]:
    """The column and the row that a point of the result comes from."""
    a0, a1, a2, b0, b1, b2, c0, c1 = row
    k = c0 * x + c1 * y + 1
    return (a0 * x + a1 * y + a2) / k, (b0 * x + b1 * y + b2) / k


def seen(x: Array, row: Sequence[float], order: int, fill: float) -> tuple[Array, Array]:
    """An image, its channels last, in a perspective, and which of its points are open."""
    y, column = np.indices(x.shape[:2]).astype("float64")
    columns, rows = origins(row, column, y)
    parts = [sampled(c, (rows, columns), order, "constant", fill)[0] for c in np.moveaxis(x, -1, 0)]
    opened = _open(rows, x.shape[0], order) | _open(columns, x.shape[1], order)
    return np.stack(parts, -1), np.repeat(opened[..., None], x.shape[-1], -1)


def _open(point: Array, length: int, order: int) -> Array:
    """Points of either side of a tie, and what lies less than a step beyond an end, or on it."""
    tie = (order == 0) & (np.abs(point % 1 - HALF) < MOVED)
    before = (point > -1) & (point < MOVED)
    behind = (point > length - 1 - MOVED) & (point < length)
    return np.asarray(tie | before | behind)


def points(row: Sequence[float], shape: Sequence[int]) -> tuple[Array, Array]:
    """Four points of an image, and of the result where they are to lie."""
    bottom, right = shape[0] - 1, shape[1] - 1
    ends = np.array([[0, 0], [0, bottom], [right, 0], [right, bottom]], "float64")
    return np.stack(origins(row, *ends.T), -1), ends


def _perspective_transform(draw: DrawFn) -> Call:
    x, batched = a_batch(draw, 3)
    x = x.astype("float64")
    kinds = [draw(st.sampled_from(TRANSFORMS)) for _ in x]
    order, fill = draw(st.integers(0, 1)), draw(st.sampled_from((0.0, 7.0)))
    made = [seen(image, row, order, fill) for image, (_, row) in zip(x, kinds, strict=True)]
    ends = [points(row, x.shape[1:3]) for _, row in kinds]
    placed, given = formatted(draw, batched)
    value, opened = (placed(np.stack(part)) for part in zip(*made, strict=True))
    starts, targets = (
        np.stack(part)[0 if not batched else ...] for part in zip(*ends, strict=True)
    )
    given |= {"interpolation": "bilinear" if order else "nearest", "fill_value": fill}
    slack = 4 * MOVED * max(float(np.abs(x).max()), fill)
    expected = Expectation(value, np.where(opened, np.inf, slack), "float64")
    gives = Result(value.shape, agrees_with(expected), demands=shown(value))
    tensors = {"images": placed(x), "start": starts, "end": targets}
    call = one(tensors, X, Ref("start"), Ref("end"), gives=gives, **given)
    return replace(call, about=kinds[0][0])


FUNCTIONS: tuple[Function, ...] = (
    Function("keras.ops.image.resize", _resize, section="Args", inner=3),
    Function("keras.ops.image.perspective_transform", _perspective_transform, section="Args"),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
