"""Indices, places and orders: what finds elements, counts them, or puts others in their place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from conformance.generators import long_axes
from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import SIZES, block, dims

Dims = tuple[int, ...]
MOST_SEGMENTS = 4


def _searched(sorted_: str, sought: str, ranks: tuple[int, int]) -> Callable[[CallDraft], None]:
    """An ascending vector, and a tensor whose elements are looked for in it."""

    def draw(call: CallDraft) -> None:
        call.aim(sorted_)
        call.add_tensor(sorted_, dims(call, (1, 1)), call.dtype, "ascending")
        call.aim(sought)
        call.add_tensor(sought, dims(call, ranks), call.dtype, "real")

    return draw


def _segments(orders: tuple[str, ...]) -> Callable[[CallDraft], None]:
    """Slices, the segment of each, and the number of segments. Some calls leave the number to the
    largest index; a symbolic result does not know its length then."""

    def draw(call: CallDraft) -> None:
        call.aim("data")
        count = call.integer((1, MOST_SEGMENTS))
        length, *rest = dims(call, (1, 4))
        length = max(length, count)
        call.add_tensor("data", (length, *rest), call.dtype, "real")
        ordered = call.pick((False, True))
        order = call.pick(orders)
        places = f"{order} ascending" if ordered else order
        call.add_places("segment_ids", (length,), count, places)
        if call.pick((True, True, False)):
            call.add_value("num_segments", count)
        else:
            call.values["num_segments"], call.static_values["num_segments"] = count, None
        if ordered or call.pick((False, True)):
            call.add_value("sorted", ordered)

    return draw


def _top(call: CallDraft) -> None:
    """A vector, and how many of its elements are asked for."""
    (length,) = dims(call, (1, 1))
    length = max(length, 1)
    call.add_tensor("x", (length,), call.dtype, "real")
    call.add_value("k", call.integer((1, min(length, 5))))


def _axis_or_none(call: CallDraft, shape: Dims) -> int | None:
    """An axis of a shape, or None, passed unless it is -1."""
    numbers = (-1, *range(len(shape)), *range(-len(shape), -1))
    favoured: tuple[int, ...] = long_axes.favoured(call, shape, numbers)
    axis: int | None = call.pick((*favoured, None))
    if axis != -1 or call.pick((False, True)):
        call.add_value("axis", axis)
    return axis


def _ordered(call: CallDraft) -> None:
    """A tensor and an axis of it, or None for all its elements in a row."""
    shape = dims(call, (1, 5))
    _axis_or_none(call, shape)
    call.add_tensor("x", shape, call.dtype, "real")


def _partitioned(call: CallDraft) -> None:
    """The same, and a place on the axis, which has one."""
    shape = tuple(max(d, 1) for d in dims(call, (1, 4)))
    axis = _axis_or_none(call, shape)
    call.add_tensor("x", shape, call.dtype, "real")
    length = math.prod(shape) if axis is None else shape[axis]
    call.add_value("kth", call.integer((0, length - 1)))


def _labels(call: CallDraft) -> None:
    """Labels, how many classes there are, and the last axis of the result, in which they are."""
    call.aim("inputs")
    shape = dims(call, (1, 2), room=max(1, call.room // MOST_SEGMENTS))
    classes = call.integer((1, 5))
    call.add_places("inputs", shape, classes)
    call.add_value("num_classes", classes)
    if call.pick((False, True)):
        call.add_value("axis", call.pick((-1, len(shape) - 1)))


def _places(call: CallDraft, shape: Dims, *, distinct: bool) -> tuple[int, Dims]:
    """The coordinates of some places in a tensor of this shape, by its first axes: how many there
    are, and what stands at each."""
    known = call.integer((1, len(shape)))
    size = math.prod(shape[:known])
    count = call.integer((1, min(size, 6))) if distinct else call.integer((2, 6))
    call.add_places("indices", (count, known), max(shape), "distinct" if distinct else "repeated")
    call.columns["indices"] = shape[:known]
    return count, shape[known:]


def _inhabited(call: CallDraft, ranks: tuple[int, int]) -> Dims:
    return tuple(max(d, 1) for d in dims(call, ranks))


def _listed(call: CallDraft, numbers: Sequence[int]) -> list[int] | Dims:
    """The numbers in a tuple or a list."""
    return tuple(numbers) if call.pick((True, False)) else list(numbers)


def _scatter(call: CallDraft) -> None:
    """A shape, different places in it, and what comes there."""
    call.aim("values")
    shape = _inhabited(call, (1, 4))
    count, rest = _places(call, shape, distinct=True)
    call.add_tensor("values", (count, *rest), call.dtype, "real")
    call.add_value("shape", _listed(call, shape))


_REDUCTIONS = (None, "add", "max", "min", "mul")


def _scatter_update(call: CallDraft) -> None:
    """A tensor, places in it, sometimes the same ones, what comes there, and how it is joined."""
    shape = _inhabited(call, (1, 4))
    call.add_tensor("inputs", shape, call.dtype, "real")
    count, rest = _places(call, shape, distinct=call.pick((True, False)))
    call.add_tensor("updates", (count, *rest), call.dtype, "real")
    reduction = call.pick(_REDUCTIONS)
    if reduction is not None or call.pick((False, True)):
        call.add_value("reduction", reduction)


def _slice_update(call: CallDraft) -> None:
    """A tensor, the place of a block in it, and the block."""
    shape = _inhabited(call, (1, 4))
    call.add_tensor("inputs", shape, call.dtype, "real")
    starts = [call.integer((0, d - 1)) for d in shape]
    call.add_value("start_indices", block(call, starts))
    sizes = tuple(call.integer((1, d - start)) for d, start in zip(shape, starts, strict=True))
    call.add_tensor("updates", sizes, call.dtype, "real")


def _unravel(call: CallDraft) -> None:
    """Places in the elements of a shape in a row."""
    call.aim("indices")
    shape = tuple(call.pick(tuple(d for d in SIZES if d)) for _ in range(call.integer((1, 4))))
    call.add_places("indices", dims(call, (0, 3)), math.prod(shape))
    call.add_value("shape", _listed(call, shape))


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "sorted sequence": _searched("sorted_sequence", "values", (0, 4)),
    "bins": _searched("bins", "x", (0, 4)),
    "segments": _segments(("each", "gapped")),
    "segments of some": _segments(("each",)),  # no docstring says what the largest of none is
    "top": _top,
    "order": _ordered,
    "partition": _partitioned,
    "labels": _labels,
    "scatter": _scatter,
    "scatter update": _scatter_update,
    "slice update": _slice_update,
    "unravel": _unravel,
}
