"""`resize`: images of another size.

The docstring names the filters and gives no formula. The answer is settled where the size stays,
where each element is repeated, where all are alike, and where an image is cut or gets borders.
Which part of an image is cut out, the docstring does not say: the evidence is what the answer is
off the nearest window of its size.

Elsewhere the number at place o of n is a mean of the input around the place p of m. The conventions
`resize-grid` and `cubic-filter` say which:

* p = (o + 1/2) m / n - 1/2, or o (m - 1) / (n - 1) from corner to corner, or o m / n from edges;
* `nearest` takes the element at the rounded place, from edges the one before;
* the weight of input place i is k(p - i). k is the triangle max(0, 1 - |x|), or the cubic filter of
  R. G. Keys (Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29,
  1981) with a = -1/2 or -3/4;
* beyond an end an element has no weight, and the others are divided by their sum; or the last one
  is repeated;
* with `antialias` and n < m the filter is m / n times as wide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops.resampling import Bounded, last, placed
from conformance.oracle.rounding import Arithmetic, allowance

ROUNDINGS = 256
"""Roundings of a place, of a row and a column of weights, and of the sums of products."""
WEIGHT = 2
"""How large the magnitudes of the weights of `bicubic` are together, along rows and columns."""
TABLE = 1024
"""Places between two elements that TensorFlow's table of weights has."""
EDGE = 1e-3
"""Places as near to two elements as this are open for `nearest`: rounding decides."""
CUBIC: Mapping[str, tuple[float, bool]] = {
    "keys": (-0.5, False),
    "repeated": (-0.5, True),
    "steep": (-0.75, True),
    "table": (-0.5, False),
}
"""Filters of `bicubic`: their a, and whether the last element is repeated beyond an end. `table`
takes the weights of the nearest place in a table."""


def origins(size: int, length: int, grid: str) -> Array:
    """The places along an axis of the input around which the means of the result are.

    Shapes: (size) of an input of `length`.
    """
    places = np.arange(size).astype(np.longdouble)
    match grid:
        case "corners":
            return np.asarray(places * (length - 1) / max(size - 1, 1))
        case "edges":
            return np.asarray(places * length / size)
    return np.asarray((2 * places + 1) * length / (2 * size) - 0.5)


def _nearest(size: int, length: int, grid: str) -> tuple[Array, Array]:
    """The element that each place takes, and how far it is from taking another: two (size)."""
    places = origins(size, length, grid) + (0 if grid == "edges" else 0.5)
    taken = np.clip(np.floor(places).astype(int), 0, length - 1)
    return taken, np.abs(places - np.round(places))


def _cubic(x: Array, a: float) -> Array:
    """The cubic filter of Keys."""
    x = np.abs(x)
    near, far = ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def weights(  # noqa: PLR0917 - what decides a row
    size: int, length: int, interpolation: str, antialias: bool, grid: str, cubic: str
) -> Array:
    """The weights of the elements of an axis of `length`: (size, length)."""
    a, repeats = CUBIC[cubic] if interpolation == "bicubic" else (0.0, False)
    step = min(1.0, size / length) if antialias else 1.0
    beyond = int(np.ceil(2 / step)) if repeats else 0
    around = origins(size, length, grid)
    if interpolation == "bicubic" and cubic == "table":
        around = np.round(around * TABLE) / TABLE
    places = around[:, None] - np.arange(-beyond, length + beyond)
    triangle = np.maximum(0, 1 - np.abs(places * step))
    each = _cubic(places * step, a) if interpolation == "bicubic" else triangle
    first, last_one = each[:, :beyond].sum(1), each[:, beyond + length :].sum(1)
    each = each[:, beyond : beyond + length].copy()
    each[:, 0] += first
    each[:, -1] += last_one
    return np.asarray(each / each.sum(1, keepdims=True))


def _with_borders(x: Array, size: Sequence[int], fill: Any) -> Array:
    beside = [(n - m) // 2 for n, m in zip(size, x.shape[1:3], strict=True)]
    ends = [(0, 0), *((n, n) for n in beside), (0, 0)]
    return np.pad(x, ends, constant_values=x.dtype.type(fill))


def resize(  # noqa: PLR0917 - as documented
    images: Array,
    size: Sequence[int],
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",  # noqa: ARG001 - the only one
    fill_value: Any = 0.0,
    data_format: str | None = None,
    *,
    grid: str = "centres",
    cubic: str = "keys",
) -> Array:
    """The evidence of right images of another size.

    Shapes: images (rows, columns, channels), with or without a first axis of images, or with the
    channels before rows; the result has `size` = (rows, columns).
    """
    x = last(images, data_format)
    if crop_to_aspect_ratio:
        return placed(np.zeros((len(x), *size, x.shape[-1])), images, data_format)
    if pad_to_aspect_ratio:
        return placed(_with_borders(x, size, fill_value), images, data_format)
    for axis, (n, m) in enumerate(zip(size, x.shape[1:3], strict=True), 1):
        if n == m or interpolation == "nearest":
            x = x.take(_nearest(n, m, grid)[0], axis)
        else:
            rows = weights(n, m, interpolation, antialias, grid, cubic)
            x = np.moveaxis(np.tensordot(x, rows, (axis, 1)), -1, axis).astype(images.dtype)
    return placed(x, images, data_format)


def evidence_of_resized(
    answer: Any,
    images: Any,
    size: Any = (),
    crop_to_aspect_ratio: Any = False,
    data_format: Any = None,
    **_: Any,
) -> Any:
    """The answer; of images that are cut, what it is off the nearest window of its size."""
    if not crop_to_aspect_ratio:
        return answer
    down, right = (-2, -1) if data_format == "channels_first" else (-3, -2)
    got = np.asarray(answer, np.longdouble)
    least, nearest = np.inf, np.full(got.shape, np.inf)
    for row in range(images.shape[down] - size[0] + 1):
        for column in range(images.shape[right] - size[1] + 1):
            window = images.take(range(row, row + size[0]), down)
            window = window.take(range(column, column + size[1]), right).astype(np.longdouble)
            same = (got == window) | (np.isnan(got) & np.isnan(window))
            off = np.where(same, 0, got - window)
            far = np.abs(np.where(np.isnan(off), np.inf, off)).max(initial=0)
            if far < least:
                least, nearest = far, off
    return nearest


def _bound_of_nearest(value: Array, images: Array, how: Mapping[str, Any]) -> Array:
    """Nothing, but where two elements are as near."""
    x, grid = last(images, how.get("data_format")), how.get("grid", "centres")
    pairs = zip(how["size"], x.shape[1:3], strict=True)
    rows, columns = (
        _nearest(n, m, grid)[1] < EDGE if n != m else np.zeros(n, bool) for n, m in pairs
    )
    opened = (rows[:, None] | columns)[None, ..., None]
    bound = np.where(opened, np.inf, np.zeros((len(x), 1, 1, x.shape[-1])))
    return placed(bound, images, how.get("data_format")).reshape(value.shape)


def bounded_resize(model: Arithmetic, images: Array, size: Sequence[int], **how: Any) -> Bounded:
    """Value and bound of `resize`: the nearest elements are exact, but where two are as near.

    Shapes: value and bound have the shape of `resize`.
    """
    value = resize(images, size, **how)
    most = np.abs(images).max(initial=0)
    of_size = not (how.get("crop_to_aspect_ratio") or how.get("pad_to_aspect_ratio"))
    if how.get("interpolation") == "nearest":
        exact = np.zeros(value.shape)
        return value, _bound_of_nearest(value, images, {**how, "size": size}) if of_size else exact
    risky = not np.isfinite(images).all() or most * WEIGHT >= model.overflow
    return value, np.full(value.shape, np.inf if risky else allowance(ROUNDINGS, model) * most)


ORACLES: Mapping[str, Callable[..., Array]] = {"resize": resize}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"resize": bounded_resize}
EVIDENCE: Mapping[str, Evidence] = {
    "resize": Evidence(
        evidence_of_resized, "the images, or their distance to the nearest window of their size"
    ),
}
