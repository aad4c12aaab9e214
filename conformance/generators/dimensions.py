"""The shape of a tensor that goes with nothing else: how many axes, and how long they are."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.generators import long_axes
from conformance.generators.calls import CallDraft
from conformance.generators.forms import in_form
from conformance.program import Argument

Dims = tuple[int, ...]

RANKS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 0, 0, 5, 5)
SIZES = (1,) * 4 + (2,) * 10 + (3,) * 8 + (4,) * 3 + (5,) + (0,) * 2
SMALL_SIZES = (1,) * 10 + (2,) * 14 + (3,) * 4 + (0,) * 2
"""Each as often as it is to be drawn; the simplest first, towards which Hypothesis shrinks."""


def dims(call: CallDraft, ranks: tuple[int, int], *, room: int | None = None) -> Dims:
    """A shape with a rank from `ranks`: few elements, or a long axis, or now and then one of
    length 0. With at most `room` elements, or `call.room`."""
    existing = call.existing_shape(ranks, call.room if room is None else room)
    if existing is not None:
        return existing
    rank = call.pick_as("rank", tuple(r for r in RANKS if ranks[0] <= r <= ranks[1]), str)
    sizes = SMALL_SIZES if rank > 3 else SIZES
    shape = tuple(long_axes.short(call, sizes) for _ in range(rank))
    return long_axes.lengthened(call, shape, room=room)


def block(call: CallDraft, numbers: Sequence[int]) -> Argument:
    """Where a block begins or how long it is: a list, a tuple or a tensor."""
    form = call.pick(("list", "tuple", "list", "list", *call.tensors_of_integers()))
    return in_form(numbers, form if call.error is None else "list")
