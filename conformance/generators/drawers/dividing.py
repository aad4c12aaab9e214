"""Tensors that are divided along an axis, or lose one: how they are divided fits their lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators import long_axes
from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims

Dims = tuple[int, ...]
MOST_PARTS = 4


def _with(shape: Dims, axis: int, length: int) -> Dims:
    axis %= len(shape)
    return (*shape[:axis], length, *shape[axis + 1 :])


def _axis(call: CallDraft, shape: Dims) -> int:
    """An axis, mostly counted from the front, passed unless it is the default."""
    axis = call.integer((0, len(shape) - 1))
    if axis == 0 and call.pick((True, False)):
        call.values["axis"] = 0
        return 0
    written = axis - len(shape) if call.pick((False, False, True)) else axis
    call.add_value("axis", written)
    return axis


def _indices(call: CallDraft, length: int) -> list[int]:
    """Ascending places where an axis is cut, mostly different ones and none at an end."""
    count = call.integer((1, MOST_PARTS - 1))
    ends = call.pick((False, False, True))
    low, high = (0, length) if ends or length < 2 else (1, length - 1)
    places = sorted(call.integer((low, high)) for _ in range(count))
    return places if ends else sorted({*places})


def _divided(
    ranks: tuple[int, int], axis_of: Callable[[CallDraft, Dims], int], *, listed: bool = True
) -> Callable[[CallDraft], None]:
    """A tensor and the number of equal parts of an axis, or the places where it is cut."""

    def draw(call: CallDraft) -> None:
        shape = dims(call, ranks)
        axis = axis_of(call, shape)
        parts = call.integer((1, MOST_PARTS))
        each = -(-shape[axis] // parts)
        shape = _with(shape, axis, parts * each)
        call.add_tensor("x", shape, call.dtype, "real")
        places = _indices(call, shape[axis]) if listed and call.pick((False, True)) else None
        call.add_value("indices_or_sections", parts if places is None else places)

    return draw


def _unevenly(call: CallDraft) -> None:
    """A tensor and a number of parts, which need not divide the axis, and may be larger."""
    shape = dims(call, (1, 5))
    _axis(call, shape)
    call.add_tensor("x", shape, call.dtype, "real")
    call.add_value("indices_or_sections", call.integer((1, MOST_PARTS)))


def _unstack(call: CallDraft) -> None:
    """A tensor, an axis whose length is known, and sometimes that length."""
    shape = dims(call, (1, 5), room=call.room)
    axis = _axis(call, shape)
    call.add_tensor("x", shape, call.dtype, "real")
    call.know("x", axis)
    if call.pick((False, True)):
        call.add_value("num", shape[axis])


_UNIT = ("one", "one", "all", "tuple", "list")


def _squeeze(call: CallDraft) -> None:
    """A tensor with axes of length 1, of which one goes, some or all; their lengths are known."""
    shape, form = dims(call, (1, 5)), call.pick(_UNIT)
    gone = sorted({call.integer((0, len(shape) - 1)) for _ in range(1 if form == "one" else 2)})
    for axis in gone:
        shape = _with(shape, axis, 1)
    call.add_tensor("x", shape, call.dtype, "real")
    if form == "all":
        call.know("x", *range(len(shape)))
        return
    call.know("x", *gone)
    axes = [axis - len(shape) if call.pick((False, False, True)) else axis for axis in gone]
    call.add_value("axis", axes[0] if form == "one" else tuple(axes) if form == "tuple" else axes)


def _sequences(call: CallDraft) -> None:
    """A tensor whose last axis has room for a sequence at least."""
    shape = dims(call, (1, 4))
    length = call.integer((1, 4))
    if shape[-1] < length:
        shape = (*shape[:-1], length + call.integer((0, 3)))
    call.add_tensor("x", shape, call.dtype, "real")
    call.add_value("sequence_length", length)
    call.add_value("sequence_stride", call.integer((1, 3)))


def _vander(call: CallDraft) -> None:
    """A vector, as long as the matrix is wide where no number of columns is passed."""
    whole = call.pick((False, True))
    length = call.pick((3, 1, 2, 4, 5, 0))
    if not whole:
        length = long_axes.longer_axis(call, length, room=call.room // MOST_PARTS)
        call.add_value("N", call.integer((1, MOST_PARTS)))
    call.add_tensor("x", (length,), call.dtype, "real")


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "parts along an axis": _divided((1, 5), _axis),
    "parts along the first axis": _divided((2, 5), lambda _call, _shape: 0),
    "parts along the second axis": _divided((1, 5), lambda _call, shape: min(len(shape) - 1, 1)),
    "parts along the third axis": _divided((3, 5), lambda _call, _shape: 2),
    "uneven parts": _unevenly,
    "slices along an axis": _unstack,
    "axes of length 1": _squeeze,
    "sequences": _sequences,
    "vandermonde": _vander,
}
