"""Tensors of few different numbers or slices, of which each is asked for once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.generators import few_numbers
from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims

Dims = tuple[int, ...]
BESIDE = ("return_index", "return_inverse", "return_counts")
ASKED: tuple[tuple[str, ...], ...] = ((), *((name,) for name in BESIDE), BESIDE)
FORMS = ("sorted", "sorted", "unsorted", "of a size", "of a size")


def _shape(call: CallDraft, axis: int | None, rank: int) -> Dims:
    """A shape without an axis of length 0; along the axis some slices are equal."""
    if axis is None:
        return tuple(max(d, 1) for d in dims(call, (1, rank)))
    shape = [call.pick((2, 1, 3)) for _ in range(max(2, axis + 1, call.integer((2, rank))))]
    shape[axis] = call.integer((2, 6))
    return tuple(shape)


def _pass_size(call: CallDraft, count: int) -> bool:
    """A size that cuts the result off, or that numbers fill up; whether it cuts it off."""
    if call.pick((True, False)):
        call.add_value("size", call.integer((1, count)))
        return int(call.values["size"]) < count
    call.add_value("size", count + call.integer((1, 3)))
    fill = call.pick((None, 0, 7))
    if fill is not None:
        call.add_value("fill_value", fill)
    return False


def _unique(call: CallDraft) -> None:
    """A tensor, perhaps an axis, and the parts to return. The order of sorted slices is that of
    vectors alone; the inverse of values that are cut off is not settled."""
    call.aim("x")
    form, along = call.pick(FORMS), call.pick((False, True))
    axis = call.integer((0, 2 if form == "unsorted" else 1)) if along else None
    shape = _shape(call, axis, 3 if form == "unsorted" or axis is None else 2)
    length = math.prod(shape) if axis is None else shape[axis]
    count = call.integer((1, min(few_numbers.MOST, length)))
    domain = few_numbers.numbers(count) if axis is None else few_numbers.slices(count, axis)
    call.add_tensor("x", shape, call.dtype, domain)
    call.distinct["x"] = count
    if axis is not None:
        call.know("x", *range(len(shape)))
        call.add_value("axis", axis - len(shape) if call.pick((False, False, True)) else axis)
    if form == "unsorted" or call.pick((False, False, True)):
        call.add_value("sorted", form != "unsorted")
    cut = form == "of a size" and _pass_size(call, count)
    for name in call.pick(ASKED):
        if not (cut and name == "return_inverse"):
            call.add_value(name, True)


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {"few different numbers": _unique}
