"""Planes of a tensor and its borders: diagonals, turns, what stands around, and integrals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.generators.forms import in_form
from conformance.program import Argument, Binding
from conformance.specs.kinds import FromDrawer

Dims = tuple[int, ...]


def _axis(call: CallDraft, axis: int, rank: int) -> int:
    """The axis, seldom counted from the end."""
    return axis - rank if call.pick((False, False, False, True)) else axis


def _plane(call: CallDraft, rank: int) -> tuple[int, int]:
    """Two different axes, mostly the first two."""
    if call.pick((True, False)):
        return 0, 1
    first = call.integer((0, rank - 1))
    second = call.pick(tuple(a for a in range(rank) if a != first))
    return first, second


def _diagonals(call: CallDraft) -> None:
    """A tensor, two of its axes, and a diagonal of their matrices, which may lie just outside."""
    shape = dims(call, (2, 5))
    call.add_tensor("x", shape, call.dtype, "real")
    first, second = _plane(call, len(shape))
    if (first, second) != (0, 1) or call.pick((False, True)):
        call.add_value("axis1", _axis(call, first, len(shape)))
        call.add_value("axis2", _axis(call, second, len(shape)))
    offset = call.integer((-shape[first], shape[second]))
    if offset or call.pick((False, True)):
        call.add_value("offset", offset)


def _moved(call: CallDraft) -> None:
    """A tensor, an axis or different ones, and as many places."""
    shape = dims(call, (1, 5))
    call.add_tensor("x", shape, call.dtype, "real")
    form = call.pick(("integer", "list", "tuple"))
    count = 1 if form == "integer" else call.integer((1, min(len(shape), 3)))
    for name in ("source", "destination"):
        axes = [_axis(call, axis, len(shape)) for axis in _different(call, len(shape), count)]
        call.add_value(name, axes[0] if form == "integer" else in_form(axes, form))


def _different(call: CallDraft, rank: int, count: int) -> list[int]:
    left = list(range(rank))
    return [left.pop(call.integer((0, len(left) - 1))) for _ in range(count)]


def _turned(call: CallDraft) -> None:
    """A tensor and a plane; its axes ascend, because the docstring does not say what others
    mean."""
    shape = dims(call, (2, 5))
    call.add_tensor("array" if "array" in call.rules else "x", shape, call.dtype, "real")
    first, second = sorted(_plane(call, len(shape)))
    if (first, second) != (0, 1) or call.pick((False, True)):
        call.add_value("axes", (_axis(call, first, len(shape)), second))


def _integral(call: CallDraft) -> None:
    """Numbers and perhaps the points where they stand, a tensor of the same shape. The docstring
    does not say that points may be symbolic."""
    shape = dims(call, (1, 4))
    call.add_tensor("x", shape, call.dtype, "real")
    if call.pick((False, True)):
        call.add_tensor("points", shape, call.dtype, "ascending", Binding.CONSTANT)


@dataclass(frozen=True)
class Mode:
    """A mode of `pad`: how many elements at most it adds to an end of an axis of a length."""

    name: str
    most: Callable[[int], int] = lambda _: 3
    ranks: tuple[int, int] = (1, 4)
    floats: bool = False
    """Whether it gives numbers between others."""


CONSTANT = Mode("constant")
SETTLED = (CONSTANT, Mode("reflect", lambda n: n - 1), CONSTANT, Mode("symmetric", lambda n: n))
"""Those that the notes leave to no backend."""
NOTED = (
    Mode("edge"),
    Mode("maximum"),
    Mode("minimum"),
    Mode("mean", floats=True),
    Mode("median", ranks=(1, 1), floats=True),
    Mode("wrap", lambda n: n),
    Mode("circular", lambda n: n),
)
"""The others, without those of which the docstring does not say what they give. The median of
several axes depends on their order."""


def _bordered(call: CallDraft) -> None:
    """A tensor, the widths of its borders, and the mode that fills them."""
    whole = call.dtype.startswith("int")
    modes = SETTLED if call.pick((True, True, False)) else NOTED
    mode = call.pick(tuple(m for m in modes if not (whole and m.floats)))
    shape = dims(call, mode.ranks)
    if mode is not CONSTANT:
        shape = tuple(max(d, 1) for d in shape)
    call.add_tensor("x", shape, call.dtype, "real")
    call.add_value("pad_width", _widths(call, [min(3, mode.most(d)) for d in shape]))
    if not isinstance(call.rules["mode"], FromDrawer):
        return
    if mode is not CONSTANT or call.pick((False, True)):
        call.add_value("mode", mode.name)
    if mode is CONSTANT and call.pick((False, True)):
        call.add_value("constant_values", call.pick((0, 2.0, -1.0)))


def _widths(call: CallDraft, most: list[int]) -> Argument:
    """The widths before and after each axis, in any of the documented forms."""
    form = call.pick(("pairs", "pairs", "integer", "in a tuple", "one pair"))
    if form == "pairs":
        return tuple((call.integer((0, m)), call.integer((0, m))) for m in most)
    least = min(most)
    if form == "one pair":
        return ((call.integer((0, least)), call.integer((0, least))),)
    width = call.integer((0, least))
    return width if form == "integer" else (width,)


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "diagonals": _diagonals,
    "moved axes": _moved,
    "plane": _turned,
    "integral": _integral,
    "borders": _bordered,
}
