"""Calls of keras.ops.image that cut patches out of images and volumes.

In which order the numbers of a patch come, no docstring says: it is the same in each patch. Nor is
it said where the patches lie if the data format is channels_first: in the place of the channels, or
in the last axis. With padding, windows are of odd sizes and steps of 1, so that there is as much of
it at both ends; which numbers it has is left open, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, is_array, only, shown
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    distinct,
    families,
    one,
)


@dataclass(frozen=True)
class Cut:
    """How patches are cut out."""

    size: tuple[int, ...]
    strides: tuple[int, ...]
    _: KW_ONLY
    dilation: int = 1
    same: bool = False

    @property
    def span(self) -> tuple[int, ...]:
        """How long a patch is with what it leaves out."""
        return tuple(1 + (n - 1) * self.dilation for n in self.size)


def patches(x: Array, cut: Cut) -> Array:
    """The patches of a batch, channels last, each row by row with the channels of a place."""
    axes = tuple(range(1, 1 + len(cut.size)))
    if cut.same:
        beside = [(n // 2, n // 2) for n in cut.span]
        x = np.pad(x, [(0, 0), *beside, (0, 0)])
    seen = np.lib.stride_tricks.sliding_window_view(x, cut.span, axes)
    steps = (slice(None), *(slice(None, None, n) for n in cut.strides), slice(None))
    within = (slice(None, None, cut.dilation),) * len(cut.size)
    chosen = np.moveaxis(seen[(*steps, *within)], len(cut.size) + 1, -1)
    return chosen.reshape(*chosen.shape[: len(cut.size) + 1], -1)


def in_any_order(wanted: Array, inside: Array) -> Test:
    """A test of patches: their numbers may come in another order, if it is the same in each.

    The patch in the middle, which has no padding, shows the order. Padding is what is not `inside`.
    """
    middle = tuple(n // 2 for n in wanted.shape[:-1])

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem) or got.shape != wanted.shape:
            return is_array(wanted)(values)
        order = _order(wanted[middle], got[middle])
        return is_array(np.where(inside[..., order], wanted[..., order], got))(values)

    return test


def _order(row: Array, found: Array) -> Array:
    """Where each number that was found stands in the row; its own order if some are others."""
    if not np.array_equal(np.sort(row), np.sort(found)):
        return np.arange(row.size)
    return np.argsort(row)[np.argsort(np.argsort(found))]


def _in_either_place(wanted: Array, inside: Array, axis: int) -> Test:
    """A test of patches that may lie in the last axis, or in this one, where channels were."""
    last = in_any_order(wanted, inside)
    shape = np.moveaxis(wanted, -1, axis).shape

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem) or got.shape != shape:
            return last(values)
        turned = (replace(values[0], array=np.moveaxis(got, axis, -1)),)
        return last(values) and last(turned)

    return test


def _cut(draw: DrawFn, rank: int, sizes: Sequence[int]) -> tuple[Cut, str]:
    """A way to cut, in words, too."""
    way = draw(st.sampled_from(("side by side", "strides", "dilation", "padding")))
    size = tuple(draw(st.sampled_from((1, 3) if way == "padding" else sizes)) for _ in range(rank))
    if way == "side by side":
        return Cut(size, size), way
    if way == "strides":
        return Cut(size, tuple(draw(st.integers(1, 3)) for _ in range(rank))), way
    ones = (1,) * rank
    return (Cut(size, ones, dilation=2) if way == "dilation" else Cut(size, ones, same=True)), way


def _told(cut: Cut, way: str) -> dict[str, Argument]:
    """The keywords that say how to cut, besides the size."""
    given: dict[str, Argument] = {} if way == "side by side" else {"strides": cut.strides}
    if way == "dilation":
        given["dilation_rate"] = cut.dilation
    if way == "padding":
        given["padding"] = "same"
    return given


def _drawn(draw: DrawFn, rank: int, *, longest: int) -> tuple[Array, Cut, str, bool]:
    """A batch of one or two whose channels are last, and how to cut it; whether it is a batch."""
    cut, way = _cut(draw, rank, (1, 2, 3))
    more = [draw(st.integers(0, longest)) for _ in range(rank)]
    lengths = [n + m for n, m in zip(cut.span, more, strict=True)]
    batched = draw(st.booleans())
    shape = (2 if batched else 1, *lengths, draw(st.integers(1, 3)))
    x = distinct(draw, shape, a_dtype(draw))
    return np.where(x < 0, x, x + 1).astype(x.dtype), cut, way, batched


def _patches(
    rank: int, name: str, *, number: bool, first: bool = False
) -> Callable[[DrawFn], Call]:
    """Calls that cut patches of a rank; the size may be one number if that has one meaning."""

    def drawn(draw: DrawFn) -> Call:
        x, cut, way, batched = _drawn(draw, rank, longest=4 if rank == 2 else 2)
        wanted, inside = patches(x, cut), patches(np.ones(x.shape, bool), cut)
        x, wanted, inside = (x, wanted, inside) if batched else (x[0], wanted[0], inside[0])
        kwargs = _told(cut, way)
        test = in_any_order(wanted, inside)
        if first:
            kwargs["data_format"] = "channels_first"
            axis = x.ndim - rank - 1
            x, test = np.moveaxis(x, -1, axis).copy(), _in_either_place(wanted, inside, axis)
        one_number = number and len({*cut.size}) == 1 and draw(st.booleans())
        size = cut.size[0] if one_number else cut.size
        gives = Result(wanted.shape, test, demands=f"in some order {shown(wanted)}")
        return replace(one({name: x}, Ref(name), size, gives=gives, **kwargs), about=way)

    return drawn


def _image(name: str, draw: Callable[[DrawFn], Call], *, first: bool, inner: int) -> Function:
    """The shape before is looked at where the place of the patches is told."""
    full = f"keras.ops.image.{name}"
    return Function(full, draw, section="Args", symbolic=not first, inner=inner)


FUNCTIONS: tuple[Function, ...] = tuple(
    _image(function, _patches(rank, name, number=number, first=first), first=first, inner=rank + 1)
    for function, name, rank, number in (
        ("extract_patches", "images", 2, True),
        ("extract_patches", "images", 3, False),
        ("extract_patches_3d", "volumes", 3, True),
    )
    for first in (False, True)
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
