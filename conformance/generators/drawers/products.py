"""Two tensors whose product is a sum along an axis of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.generators.drawers.choosing import beside

Dims = tuple[int, ...]
FEW = (3, 1, 2)
"""The lengths of axes that no sum runs along."""


def _some(call: CallDraft, most: int) -> Dims:
    return tuple(call.pick(FEW) for _ in range(call.integer((0, most))))


def _add(call: CallDraft, x: Dims, y: Dims) -> None:
    call.add_tensor("x", x, call.dtype, "real")
    call.add_tensor("y", y, call.dtype, "real")


def _factors(call: CallDraft) -> None:
    """A sum along the last axis of `x` and the last but one of `y`, or its only one; now and then
    one of them has no axis."""
    form = call.pick(("sum", "sum", "sum", "sum", "x", "y"))
    if form != "sum":
        pair = ((), dims(call, (0, 3)))
        _add(call, *(pair if form == "x" else pair[::-1]))
        return
    x = dims(call, (1, 4))
    last = (call.pick(FEW),) if call.pick((True, True, False)) else ()
    _add(call, x, (*(_some(call, 1) if last else ()), x[-1], *last))


def _stacked(call: CallDraft) -> None:
    """Matrices, or stacks of them that broadcast, or vectors in the place of one."""
    x = dims(call, (1, 4))
    if call.pick((True, False, False, False)):
        _add(call, x, (x[-1],))
        return
    stack = beside(call, x[:-2])
    more = (2,) if len(stack) == len(x[:-2]) and call.pick((False, False, True)) else ()
    _add(call, x, (*more, *stack, x[-1], call.pick(FEW)))


def _alike(call: CallDraft) -> None:
    """A sum along the last axis of both."""
    x = dims(call, (1, 4))
    _add(call, x, (*_some(call, 2), x[-1]))


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "factors": _factors,
    "stacked matrices": _stacked,
    "rows of two tensors": _alike,
}
