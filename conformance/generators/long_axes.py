"""Draws of long axes: now and then one axis of a shape, rarely two, gets a length of a class.

A draw is steered by what `call.aims` says of `size`, `length` and `long axis`, and limited by
`call.room`, the elements that a tensor may have. An invalid call stays small.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from conformance.generators.calls import CallDraft
from conformance.generators.sizes import CLASSES, LONG, OF_SHORT, SHORT, long_axis, size_class

Dims = tuple[int, ...]
Choices = tuple[str | None, ...]

LENGTHENED: Choices = (None,) * 8 + LONG
"""The class of a long axis; the first choice, none, is that to which failures shrink."""
SECOND: Choices = (None,) * 6 + LONG[:3]
"""The class of a second long axis, which is no longer than the first."""
COUNTED: Choices = (None,) * 20 + LONG
"""The class of a number of repetitions, of classes or of zeros beside an image."""
GROWTH = 2
"""How many times more elements a result may have than a tensor, where small numbers make them."""


def short(call: CallDraft, lengths: Dims) -> int:
    """The length of a short axis: 0 or 1 if the tensor should have that size, else rather not 0."""
    aim = call.aims.get("size")
    if aim is None:
        return int(call.pick(lengths))
    return int(call.pick_from(lengths, lambda d: str(d) == aim if aim in ("0", "1") else d > 0))


def lengthened(call: CallDraft, shape: Dims, *, room: int | None = None) -> Dims:
    """The shape of a tensor, now and then with a long axis and the others shorter for it.

    The result has at most `room` elements, or `call.room`, as far as the long axis lets it.
    """
    most = call.room if room is None else room
    if call.error is not None or not shape or 0 in shape:
        return shape
    length = _length(call, most, LENGTHENED)
    if length is None:
        return within(shape, (), most)
    axis = call.pick_as("long axis", tuple(range(len(shape))), lambda a: _place(a, len(shape)))
    return _with_second(call, _set(shape, axis, length), axis, most)


def longer_axis(call: CallDraft, length: int, *, room: int) -> int:
    """The length of one axis beside fixed ones, now and then a long one of at most `room`."""
    if call.error is not None or length == 0:
        return length
    return _length(call, room, LENGTHENED) or length


def longer_window(call: CallDraft, size: int, *, most: int, room: int) -> int:
    """The size of a window, now and then a long one of at most `most`."""
    if call.error is not None or most <= SHORT:
        return size
    return _length(call, min(most, room), LENGTHENED) or size


def count(call: CallDraft, bounds: tuple[int, int], *, room: int, adds: bool = False) -> int:
    """An integer within bounds, or now and then a large one of at most `room`.

    What is made with it has so many times more elements, so that less room is left; if it `adds`
    to an axis, which may have the length 1, once more.
    """
    if call.error is not None:
        return call.integer(bounds)
    low, high = bounds
    chosen = _length(call, room, COUNTED)
    if chosen is None:
        chosen = call.integer((low, max(low, min(high, GROWTH * room))))
    call.room = max(1, call.room // max(1, chosen + adds))
    return chosen


def within(shape: Dims, kept: Collection[int], room: int) -> Dims:
    """The shape with the axes that are not kept cut to 2, and then to 1, until it has at most
    `room` elements."""
    cut = list(shape)
    for most in (2, 1):
        for axis in range(len(cut)):
            if axis not in kept and math.prod(cut) > room:
                cut[axis] = min(cut[axis], most)
    return tuple(cut)


def favoured(call: CallDraft, shape: Dims, axes: Dims) -> Dims:
    """The axes to choose from: now and then only those that are long, if there are such."""
    long = tuple(a for a in axes if -len(shape) <= a < len(shape) and shape[a] > SHORT)
    return long if long and call.pick((True, False)) else axes


def growth(call: CallDraft) -> int:
    """How many times more elements than the largest input the result may have."""
    return call.room // elements([item.shape for item in call.inputs])


def elements(shapes: Sequence[Dims]) -> int:
    """The elements of the largest tensor, where no axis is counted as shorter than 1."""
    return max((math.prod(max(d, 1) for d in shape) for shape in shapes), default=1)


def _length(call: CallDraft, room: int, choices: Choices) -> int | None:
    possible = tuple(c for c in choices if c is None or CLASSES[c][0] <= room)
    chosen = _class_of_length(call, possible) if possible else None
    if chosen is None:
        return None
    length: int = call.pick(tuple(n for n in CLASSES[chosen] if n <= room))
    return length


def _class_of_length(call: CallDraft, possible: Choices) -> str | None:
    found: str | None
    if "length" in call.aims:
        found = call.pick_as("length", possible, str)
    elif "size" in call.aims:
        aim = call.aims["size"]
        found = call.pick_from(possible, lambda c: _size(c) == aim if c else aim in OF_SHORT)
    else:
        found = call.pick(possible)
    return found


def _size(of_length: str) -> str:
    return size_class(CLASSES[of_length][:1])


def _place(axis: int, rank: int) -> str:
    return long_axis([1 if i != axis else 2 for i in range(rank)])


def _with_second(call: CallDraft, shape: Dims, axis: int, room: int) -> Dims:
    others = tuple(i for i in range(len(shape)) if i != axis)
    if others:
        length = _length(call, min(shape[axis], room // shape[axis]), SECOND)
        if length is not None:
            other = call.pick(others)
            return within(_set(shape, other, length), (axis, other), room)
    return within(shape, (axis,), room)


def _set(shape: Dims, axis: int, length: int) -> Dims:
    return (*shape[:axis], length, *shape[axis + 1 :])
