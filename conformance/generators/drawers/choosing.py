"""Conditions, and the tensors between which they choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims

Dims = tuple[int, ...]


def beside(call: CallDraft, shape: Dims) -> Dims:
    """A shape that broadcasts with this one: mostly the same, else with fewer axes, or with length
    1 in the place of some."""
    if call.pick((False, True)):
        return shape
    kept = tuple(call.pick((d, 1)) for d in shape)
    return kept[call.integer((0, len(kept))) :]


def _where(call: CallDraft) -> None:
    """`condition`, `x` and `y`, of which one has all axes of the result."""
    call.aim("x")
    shape = dims(call, (0, 5))
    whole = call.pick(("all", "x", "y", "condition"))
    for name in ("condition", "x", "y"):
        mine = shape if whole in ("all", name) else beside(call, shape)
        call.add_tensor(name, mine, "bool" if name == "condition" else call.dtype, "real")


MOST_CONDITIONS = 3


def _select(call: CallDraft) -> None:
    """As many conditions as choices, and a number for where no condition holds. They have one
    shape, or shapes that broadcast, and one of them has all axes of the result."""
    call.aim("choicelist")
    count = call.integer((1, MOST_CONDITIONS))
    shape = dims(call, (0, 4), room=call.room // (2 * count))
    whole = call.integer((0, 2 * count - 1)) if call.pick((False, False, True)) else None
    shapes = [
        shape if whole in (None, place) else beside(call, shape) for place in range(2 * count)
    ]
    call.add_tensors("condlist", shapes[:count], "bool")
    call.add_tensors("choicelist", shapes[count:], call.dtype)


_VECTORS = ("last", "last", "axis", "axis", "own axes", "two")
_LENGTHS = ((2, 2), (2, 3), (3, 2))


def _vectors(call: CallDraft) -> None:
    """Two tensors of vectors along an axis, or along axes of their own; vectors of two elements lie
    along the last one, beside no axis that could be taken for theirs."""
    way = call.pick(_VECTORS)
    others = dims(call, (0, 3 if way != "two" else 2))
    if way == "two":
        others = tuple(min(d, 2) for d in others)
    ends = [call.integer((0, len(others))) for _ in range(1 if way == "axis" else 3)]
    ends = ends * (3 // len(ends)) if way in ("axis", "own axes") else [len(others)] * 3
    lengths = call.pick(_LENGTHS) if way == "two" else (3, 3)
    for name, end, length in zip("xy", ends, lengths, strict=False):
        call.add_tensor(name, (*others[:end], length, *others[end:]), call.dtype, "real")
        call.know(name, end)
    names = {"axis": ("axis",), "own axes": ("axisa", "axisb", "axisc")}.get(way, ())
    for name, end in zip(names, ends, strict=False):
        call.add_value(name, end - len(others) - 1 if call.pick((False, False, True)) else end)


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "where": _where,
    "select": _select,
    "vectors": _vectors,
}
