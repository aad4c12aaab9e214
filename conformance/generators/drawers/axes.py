"""Arguments that name the axes of a tensor, or give each of them a number or a weight."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.generators.long_axes import elements

Dims = tuple[int, ...]
OTHERS = (3, 1, 2)
"""The lengths of the axes of a second tensor that no sum runs over."""
DEFAULT_COUNT = 2
"""Over how many axes a product of two tensors is summed if the call does not say."""


def _different(call: CallDraft, below: int, count: int) -> list[int]:
    """So many different numbers from 0, in any order."""
    left = [*range(below)]
    return [left.pop(call.integer((0, len(left) - 1))) for _ in range(count)]


def _contracted(call: CallDraft) -> None:
    """Two tensors and the axes along which they are multiplied.

    The axes are a number, of last axes of the first tensor and first ones of the second, or two
    lists.
    """
    shape = dims(call, (1, 4))
    by_lists = call.pick((False, True))
    count = call.integer((1 if by_lists else 0, min(len(shape), 2)))
    mine = _different(call, len(shape), count) if by_lists else [*range(len(shape))][-count:]
    lengths = [shape[axis] for axis in mine[:count]]
    others = [call.pick(OTHERS) for _ in range(call.integer((0, 2)))]
    if elements([shape]) * elements([tuple(others)]) > call.room:
        others = [1 for _ in others]
    rank = count + len(others)
    yours = _different(call, rank, count) if by_lists else [*range(count)]
    placed = dict(zip(yours, lengths, strict=True))
    left = iter(others)
    call.add_tensor("x", shape, call.dtype, "real")
    second = tuple(placed[n] if n in placed else next(left) for n in range(rank))
    call.add_tensor("y", second, call.dtype, "real")
    if not by_lists:
        if count != DEFAULT_COUNT or call.pick((True, False)):
            call.add_value("axes", count)
        return
    pairs = ((mine, len(shape)), (yours, rank))
    call.add_value("axes", [[_written(call, axis, r) for axis in axes] for axes, r in pairs])


def _written(call: CallDraft, axis: int, rank: int) -> int:
    return axis - rank if call.pick((False, False, True)) else axis


def _repetitions(call: CallDraft) -> None:
    """A tensor and how often it is repeated: for each axis, for the last axes alone, or for more
    axes than it has."""
    shape = dims(call, (1, 5), room=call.room // 4)
    more = call.pick((0, 0, -1, 1, -2))
    count = max(len(shape) + more, 1)
    most = 3 if count < 4 else 2
    call.add_tensor("x", shape, call.dtype, "real")
    numbers = [call.integer((1, most)) for _ in range(count)]
    call.add_value("n", tuple(numbers) if call.pick((False, True)) else numbers)


def _diagonal(call: CallDraft) -> None:
    """A matrix, or a vector that is short, because a matrix is made of it."""
    if call.pick((False, True)):
        shape = dims(call, (1, 1), room=math.isqrt(call.room) - 2)
    else:
        shape = dims(call, (2, 2))
    call.add_tensor("x", shape, call.dtype, "real")


def _weights(call: CallDraft) -> None:
    """A weight for each element of `x`, for each place on its axis, or none at all."""
    if call.pick((False, False, False, True)):
        return
    shape, axis = call.shapes["x"], call.values.get("axis")
    whole = axis is None or call.pick((False, True))
    call.add_tensor("weights", shape if whole else (shape[axis],), call.dtype, "positive")


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "contracted axes": _contracted,
    "matrix or vector": _diagonal,
    "repetitions": _repetitions,
    "weights along an axis": _weights,
}
