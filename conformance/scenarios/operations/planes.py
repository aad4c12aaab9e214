"""Calls along given axes and in given planes: turns, diagonals, integrals, borders, cross products.

All numbers are small and whole, so that sums, products and halves are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.model import Array, Family
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    a_dtype,
    a_shape,
    distinct,
    exact,
    families,
    one,
    small,
)
from conformance.specs.convention_names import ConventionName

X = Ref("x")


def _rot90(draw: DrawFn) -> Call:
    """The axes of the plane in ascending order: the docstring does not say what others mean."""
    x = distinct(draw, a_shape(draw, 2, 4, 4), a_dtype(draw))
    axes = tuple(sorted(draw(st.permutations(range(x.ndim)))[:2]))
    k = draw(st.integers(0, 3))
    wanted = np.rot90(x, k, (axes[0], axes[1]))
    about = "" if axes == (0, 1) else "another plane"
    return replace(one({"x": x}, X, k, axes, gives=exact(wanted, x.dtype.name)), about=about)


def _diagonals(summed: Callable[[Array], Array]) -> Callable[[DrawFn], Call]:
    """Calls of a function of the diagonals of two axes, of which none is empty."""

    def drawn(draw: DrawFn) -> Call:
        x = distinct(draw, a_shape(draw, 2, 4, 4), a_dtype(draw))
        first, second = draw(st.permutations(range(x.ndim)))[:2]
        offset = draw(st.integers(1 - x.shape[first], x.shape[second] - 1))
        wanted = summed(np.diagonal(x, offset, first, second))
        given: dict[str, Argument] = {"offset": offset, "axis1": first, "axis2": second}
        about = "the first axis" if first == 0 else "another first axis"
        made = one({"x": x}, X, gives=exact(wanted, x.dtype.name), **given)
        return replace(made, about=about)

    return drawn


def _trapezoid(draw: DrawFn) -> Call:
    """Points in the shape of the numbers; the docstring does not say that they may be symbolic."""
    y = small(draw, a_shape(draw, 1, 3), a_dtype(draw))
    axis = draw(st.integers(0, y.ndim - 1))
    x = np.cumsum(1 + np.abs(small(draw, y.shape, y.dtype.name)), axis)
    heights, points = np.moveaxis(y, axis, -1), np.moveaxis(x, axis, -1)
    steps = points[..., 1:] - points[..., :-1]
    wanted = ((heights[..., 1:] + heights[..., :-1]) * steps).sum(-1) / 2
    made = one({"y": y}, Ref("y"), X, axis=axis, gives=exact(wanted))
    return replace(made, outside={"x": x}, about="points that are given")


def _isin(draw: DrawFn) -> Call:
    """Elements of which none comes twice."""
    x = distinct(draw, a_shape(draw), a_dtype(draw))
    others = distinct(draw, [draw(st.integers(1, 9))], x.dtype.name)
    inverts = draw(st.booleans())
    wanted = np.isin(x, others, invert=inverts)
    given: dict[str, Argument] = {"assume_unique": True, "invert": inverts}
    return one({"x": x, "others": others}, X, Ref("others"), gives=exact(wanted), **given)


def product(x: Array, y: Array) -> Array:
    """The cross product of vectors in the last axes; a third element that is missing is zero."""
    lengths = x.shape[-1], y.shape[-1]
    a, b = (np.pad(v, [(0, 0)] * (v.ndim - 1) + [(0, 3 - v.shape[-1])]) for v in (x, y))
    found: Array = np.cross(a, b)
    return found[..., 2] if lengths == (2, 2) else found


def _cross(draw: DrawFn) -> Call:
    """Vectors along an axis, or along axes of their own, which a note leaves to some backends."""
    shape, dtype = a_shape(draw, 1, 2), a_dtype(draw)
    x, y = (small(draw, [*shape, 3], dtype) for _ in range(2))
    along = draw(st.booleans())
    axes = [draw(st.integers(0, len(shape)))] * 3
    if not along:
        axes = [draw(st.integers(0, len(shape))) for _ in range(3)]
    wanted = np.moveaxis(product(x, y), -1, axes[2])
    tensors = {"x": np.moveaxis(x, -1, axes[0]).copy(), "y": np.moveaxis(y, -1, axes[1]).copy()}
    names: Sequence[str] = ("axis",) if along else ("axisa", "axisb", "axisc")
    given = dict[str, Argument](zip(names, axes, strict=False))
    made = one(tensors, X, Ref("y"), gives=exact(wanted, dtype), **given)
    return made if along else _noted(made, "axes of their own")


def _noted(call: Call, about: str) -> Call:
    """A call that a note of the docstring leaves to some backends."""
    return replace(call, about=about, conventions=(ConventionName.NOTED_BACKENDS,))


def _cross_of_two(draw: DrawFn) -> Call:
    """Vectors of two elements, or of two and three.

    No other axis has the length 3: torch, which lacks these, would take it for that of the vectors.
    """
    shape, dtype = a_shape(draw, 0, 2, 2), a_dtype(draw)
    lengths = draw(st.sampled_from(((2, 2), (2, 3), (3, 2))))
    x, y = (small(draw, [*shape, length], dtype) for length in lengths)
    made = one({"x": x, "y": y}, X, Ref("y"), gives=exact(product(x, y), dtype))
    return _noted(made, "of two elements" if lengths == (2, 2) else "of two and of three elements")


@dataclass(frozen=True)
class Mode:
    """A mode of `pad`."""

    name: str
    most: Callable[[int], int]
    """How many elements before or after an axis of this length are those of one turn."""
    _: KW_ONLY
    lengths: tuple[int, ...] = (1, 2, 3, 4)
    """Of the axes: of these the mean and the median are exact."""
    ranks: tuple[int, int] = (1, 3)
    numpy: str = ""
    """NumPy's own name, if it has another one."""


def _any(_: int) -> int:
    return 3


SETTLED = (
    Mode("reflect", lambda n: n - 1, lengths=(3, 4)),
    Mode("symmetric", lambda n: n, lengths=(3, 4)),
)
"""Those that the notes leave to no backend."""
NOTED = (
    Mode("edge", _any),
    Mode("maximum", _any),
    Mode("minimum", _any),
    Mode("mean", _any, lengths=(1, 2, 4)),
    Mode("median", _any, lengths=(1, 3), ranks=(1, 1)),
    Mode("wrap", lambda n: n),
    Mode("circular", lambda n: n, numpy="wrap"),
)
"""The others, but for those of which the docstring does not say what they give."""


def _without_zero(draw: DrawFn, shape: Sequence[int]) -> Array:
    """Different numbers, none of which could be taken for the zero of a border."""
    x = distinct(draw, shape, a_dtype(draw))
    return np.where(x < 0, x, x + 1).astype(x.dtype)


def _pad(draw: DrawFn) -> Call:
    settled = draw(st.booleans())
    mode = draw(st.sampled_from(SETTLED if settled else NOTED))
    rank = draw(st.integers(*mode.ranks))
    shape = [draw(st.sampled_from(mode.lengths)) for _ in range(rank)]
    x = _without_zero(draw, shape)
    widths = tuple(
        tuple(draw(st.integers(0, min(3, mode.most(length)))) for _ in range(2)) for length in shape
    )
    numpy: Any = mode.numpy or mode.name
    wanted = np.pad(x, widths, numpy)
    made = one({"x": x}, X, widths, mode=mode.name, gives=exact(wanted, x.dtype.name))
    return replace(made, about=mode.name) if settled else _noted(made, mode.name)


_WIDTHS: tuple[tuple[str, Argument, tuple[int, int]], ...] = (
    ("an integer", 2, (2, 2)),
    ("an integer in a tuple", (2,), (2, 2)),
    ("one pair", ((1, 2),), (1, 2)),
)


def _pad_all(draw: DrawFn) -> Call:
    """The same width for each axis."""
    about, given, pair = draw(st.sampled_from(_WIDTHS))
    x = _without_zero(draw, a_shape(draw))
    wanted = np.pad(x, [pair] * x.ndim)
    return replace(one({"x": x}, X, given, gives=exact(wanted, x.dtype.name)), about=about)


def _ops(
    name: str, draw: Callable[[DrawFn], Call], section: str = "Args", inner: int | None = 0
) -> Function:
    """A function whose results consist of elements of the input."""
    return Function(f"keras.ops.{name}", draw, section=section, keeps_dtype=True, inner=inner)


FUNCTIONS: tuple[Function, ...] = (
    _ops("rot90", _rot90),
    _ops("diagonal", _diagonals(np.asarray)),
    _ops("trace", _diagonals(lambda found: found.sum(-1))),
    Function("keras.ops.trapezoid", _trapezoid, section="Args", inner=0),
    Function("keras.ops.isin", _isin, section="Args", inner=0),
    _ops("cross", _cross, inner=None),
    _ops("cross", _cross_of_two, "Summary", inner=1),
    _ops("pad", _pad),
    _ops("pad", _pad_all),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
