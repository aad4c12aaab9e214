"""Members of a set, bins, numbers that are close, and grids."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators import long_axes
from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.generators.drawers.choosing import beside

MOST_DISTINCT = 150
"""Every dtype has so many different elements."""
MOST_BINS = 6


def _members(call: CallDraft) -> None:
    """The elements that are tested, and the values; none repeats if the call promises it."""
    promised = call.pick((False, False, True))
    domain, room = ("all different", MOST_DISTINCT) if promised else ("real", call.room)
    for name, ranks in (("x", (0, 5)), ("y", (0, 2))):
        call.aim(name)
        call.add_tensor(name, dims(call, ranks, room=min(room, call.room)), call.dtype, domain)
    if promised or call.pick((False, True)):
        call.add_value("assume_unique", promised)


def _counted(call: CallDraft) -> None:
    """Integers of which each up to the largest is there, perhaps a weight for each, and the least
    number of bins."""
    call.aim("x")
    below = call.integer((1, MOST_BINS))
    length = max(below, long_axes.longer_axis(call, call.integer((1, 9)), room=call.room))
    call.add_places("x", (length,), below, "each")
    if call.pick((False, True)):
        call.add_tensor("weights", (length,), call.dtype, "real")
    least = call.pick((0, 0, below, below + 3, 1))
    if least or call.pick((False, True)):
        call.add_value("minlength", least)


EDGES = ((4, -4, 4), (2, -4, 4), (3, -2, 1), (8, -4, 4), (1, -3, 0), (10, -5, 5))
"""Bins and the ends of the first and the last one; all edges are whole numbers."""


def _histogram(call: CallDraft) -> None:
    """Numbers of which none lies on an edge, bins, and their range; without one it is a single bin,
    of which the docstring settles what lies in it."""
    call.aim("x")
    shape = tuple(max(d, 1) for d in dims(call, (1, 1)))
    call.add_tensor("x", shape, call.dtype, "between")
    if shape[0] > 1 and call.pick((False, False, False, True)):
        call.add_value("bins", 1)
        if call.pick((False, True)):
            call.add_value("range", None)
        return
    bins, low, high = call.pick(EDGES)
    shift = 0.5 if call.dtype.startswith("int") else 0.0
    if bins != 10 or call.pick((False, True)):
        call.add_value("bins", bins)
    call.add_value("range", (low - shift, high - shift))


CLOSE = ("about sixteen", "real", "whole", "about sixteen", "about zero", "thirds missing")


def _close(call: CallDraft) -> None:
    """Two tensors of numbers that are equal, close or far from each other, and the tolerances."""
    domain = call.pick(CLOSE)
    call.aim("x")
    shape = dims(call, (0, 5))
    call.add_tensor("x", shape, call.dtype, domain)
    call.add_tensor("y", beside(call, shape), call.dtype, domain)
    if call.pick((False, True)):
        call.add_value("rtol", call.pick((0.0, 0.125)))
    if call.pick((False, True)):
        call.add_value("atol", call.pick((2.0, 0.0, 0.25)))
    if domain == "thirds missing" or call.pick((False, False, True)):
        call.add_value("equal_nan", call.pick((True, False)))


def _grid(call: CallDraft) -> None:
    """Vectors of any lengths, none too long for the grid of all."""
    count = call.integer((1, 4))
    short = tuple(call.pick((3, 2, 1, 4, 5)) for _ in range(count))
    shape = long_axes.lengthened(call, short, room=call.room // count)
    call.add_tensors("x", [(length,) for length in shape], call.dtype)
    indexing = call.pick(("ij", None, "xy"))
    if indexing is not None:
        call.add_value("indexing", indexing)


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "members": _members,
    "counted": _counted,
    "histogram": _histogram,
    "close numbers": _close,
    "grid": _grid,
}
