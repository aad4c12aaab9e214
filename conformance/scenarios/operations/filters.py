"""Calls of keras.ops.image that blur images, find edges, and compare images.

Left open is what no docstring settles: what filters see beyond the borders of an image, so that
nothing is asked there; how a Gaussian is made numbers of a filter, so that deviations are very
large, where all are alike, or very small, where one alone is left; by which factor, and of which
sign, slopes are; and how far apart the windows of a similarity lie, so that they are of one point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, agrees_with, only, shown
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations import colours
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    distinct,
    families,
    one,
    small,
)

X, Y = Ref("images"), Ref("others")
ROUNDINGS = 64
"""Of the weights, products with them and sums: of up to 25 numbers, or of some differences."""
FLAT, SHARP = 1000.0, 0.05
"""Deviations of which weights are alike, and of which one alone is left."""
UNEVEN = 8 / FLAT**2
"""How unlike weights up to two places from the middle are under the first, twice over."""


def formatted(draw: DrawFn, batched: bool) -> tuple[Callable[[Array], Array], dict[str, Argument]]:
    """See `colours.formatted`; of a batch that is not passed as one its first image is taken."""
    placed, given = colours.formatted(draw)
    return lambda x: placed(x if batched else x[0]), given


def a_batch(draw: DrawFn, low: int = 1, high: int = 7) -> tuple[Array, bool]:
    """A batch of one or two, channels last, and whether it is passed as a batch."""
    batched = draw(st.booleans())
    rows, columns = (draw(st.integers(low, high)) for _ in range(2))
    shape = (2 if batched else 1, rows, columns, draw(st.integers(1, 3)))
    return distinct(draw, shape, a_dtype(draw)), batched


def blurred(x: Array, size: tuple[int, int], wide: tuple[bool, bool]) -> tuple[Array, Array]:
    """Means along the axes whose deviation is large, and which points lie near the borders."""
    value, inside = x.astype("float64"), np.ones(x.shape, bool)
    for axis, length, flat in zip((1, 2), size, wide, strict=True):
        places = np.arange(x.shape[axis])
        beside = length // 2
        within = (places >= beside) & (places < x.shape[axis] - beside)
        inside &= within.reshape([-1 if n == axis else 1 for n in range(x.ndim)])
        if flat:
            value = _means(value, axis, beside)
    return value, ~inside


def _means(x: Array, axis: int, beside: int) -> Array:
    ends = [(beside, beside) if n == axis else (0, 0) for n in range(x.ndim)]
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(x, ends), 2 * beside + 1, axis)
    return np.asarray(seen.mean(-1))


def _gaussian_blur(draw: DrawFn) -> Call:
    x, batched = a_batch(draw, 5)
    size = draw(st.sampled_from(((3, 3), (3, 5), (5, 3), (1, 3), (3, 1))))
    wide = draw(st.booleans()), draw(st.booleans())
    sigma = tuple(FLAT if flat else SHARP for flat in wide)
    placed, given = formatted(draw, batched)
    value, opened = map(placed, blurred(x, size, wide))
    slack = (UNEVEN + gamma(ROUNDINGS, x.dtype.name)) * float(np.abs(x).max())
    expected = Expectation(value, np.where(opened, np.inf, slack), x.dtype.name)
    gives = Result(value.shape, agrees_with(expected), demands=shown(value))
    given.update(kernel_size=size, sigma=sigma)
    made = one({"images": placed(x)}, X, gives=gives, **given)
    return replace(made, about="means" if any(wide) else "the images themselves")


def slopes(x: Array) -> Array:
    """What the operator of Sobel gives along columns and rows of a batch, without the borders."""
    x = x.astype("float64")
    down, right = x[:, 2:] - x[:, :-2], x[:, :, 2:] - x[:, :, :-2]
    dy = down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]
    dx = right[:, :-2] + 2 * right[:, 1:-1] + right[:, 2:]
    return np.stack([dy, dx], -1)


def up_to_a_factor(wanted: Array, opened: Array, dtype: str) -> Test:
    """A test of slopes: all may be as many times as large, or of the other sign."""
    largest = np.unravel_index(np.argmax(np.where(opened, 0, np.abs(wanted))), wanted.shape)

    def test(values: Values) -> Problem | None:
        got = only(values)
        factor = 1.0
        if not isinstance(got, Problem) and got.shape == wanted.shape:
            factor = _factor(float(got[largest]) / float(wanted[largest]))
        slack = gamma(ROUNDINGS, dtype) * abs(factor) * np.abs(wanted).max()
        bound = np.where(opened, np.inf, slack)
        return agrees_with(Expectation(wanted * factor, bound, dtype))(values)

    return test


def _factor(quotient: float) -> float:
    """Any that is a number, but for zero."""
    return quotient if np.isfinite(quotient) and quotient else 1.0


def _sobel_edges(draw: DrawFn) -> Call:
    x, _ = a_batch(draw, 3)
    if draw(st.booleans()):
        x = small(draw, (2, *x.shape[1:]), x.dtype.name)
        x[:, 0] += 16
    placed, given = formatted(draw, batched=True)
    wanted = np.pad(slopes(x), [(0, 0), (1, 1), (1, 1), (0, 0), (0, 0)])
    inside = np.pad(np.ones(slopes(x).shape, bool), [(0, 0), (1, 1), (1, 1), (0, 0), (0, 0)])
    wanted, inside = (
        np.stack([placed(part[..., n]) for n in range(2)], -1) for part in (wanted, inside)
    )
    test = up_to_a_factor(wanted, ~inside, x.dtype.name)
    gives = Result(wanted.shape, test, demands=f"times any factor {shown(wanted)}")
    return one({"images": placed(x)}, X, gives=gives, **given)


STABLE = (0.01, 0.03)
"""The constants by default."""


def similarity(x: Array, y: Array, constant: float) -> Array:
    """Of windows of one point, which vary in nothing: the mean of how like their numbers are."""
    x, y = x.astype("float64"), y.astype("float64")
    likeness = (2 * x * y + constant) / (x**2 + y**2 + constant)
    return np.asarray(likeness.mean((1, 2, 3)))


def _ssim(draw: DrawFn) -> Call:
    """Images in grey; equal ones have windows of any size."""
    x, batched = a_batch(draw, 8, 12)
    dtype, equal = x.dtype.name, draw(st.booleans())
    largest = draw(st.sampled_from((1.0, 4.0)))
    k1, k2 = draw(st.sampled_from((STABLE, (0.1, 0.5))))
    x, y = (np.abs(small(draw, (*x.shape[:3], 1), dtype)) * largest / 4 for _ in range(2))
    y = x if equal else y
    sharp = (k1 * largest) ** 2, (k2 * largest) ** 2
    value = similarity(x, y, sharp[0])
    given: dict[str, Argument] = {} if (k1, k2) == STABLE else {"k1": k1, "k2": k2}
    given |= {} if largest == 1 else {"max_val": largest}
    given["filter_size"] = draw(st.sampled_from((3, 5, 7))) if equal else 1
    placed, data_format = formatted(draw, batched)
    slack = gamma(ROUNDINGS, dtype) * (1 + 4 * largest**2 * sum(1 / part for part in sharp))
    value = value if batched else np.asarray(value[0])
    expected = Expectation(value, np.full(value.shape, slack), dtype)
    gives = Result(value.shape, agrees_with(expected), demands=shown(value))
    tensors = {"images": placed(x), "others": placed(y)}
    made = one(tensors, X, Y, gives=gives, **given, **data_format)
    return replace(made, about="equal images" if equal else "windows of one point")


def _image(
    name: str, draw: Callable[[DrawFn], Call], section: str, inner: int | None = 3
) -> Function:
    return Function(f"keras.ops.image.{name}", draw, section=section, inner=inner)


FUNCTIONS: tuple[Function, ...] = (
    _image("gaussian_blur", _gaussian_blur, "Args"),
    _image("sobel_edges", _sobel_edges, "Returns"),
    _image("ssim", _ssim, "Summary"),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
