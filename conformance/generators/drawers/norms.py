"""Tensors and the orders of norms: of all elements, of vectors along an axis, of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims

OF_VECTORS = (None, 1, math.inf, 2, 3, -math.inf, 0, -1, 0.5, -2)
OF_MATRICES = (None, "fro", 1, math.inf, 2, "nuc", -math.inf, -1, -2)
"""The table of the docstring of `keras.ops.norm`: without an order, the root of the squares."""
DOMAINS: Mapping[object, str] = {0: "truth", -1: "nonzero", -2: "nonzero", 0.5: "nonzero"}
"""The domain of the vectors of an order: zeros have no negative power."""


def _norms(call: CallDraft) -> None:
    """A tensor, the axis of its vectors or the two axes of its matrices, and an order."""
    call.aim("x")
    shape = dims(call, (1, 4))
    rank = len(shape)
    manners = ("one", "two", "none") if rank > 1 else ("one", "none")
    manner = call.pick(manners)
    if manner == "one":
        call.add_value("axis", _axis(call, rank))
    elif manner == "two":
        first = call.integer((0, rank - 1))
        second = call.pick(tuple(n for n in range(rank) if n != first))
        call.add_value("axis", (first, second))
    of_matrices = manner == "two" or (manner == "none" and rank == 2)
    orders = OF_MATRICES if of_matrices else OF_VECTORS
    order = None if manner == "none" and rank > 2 else call.pick(orders)
    if order is not None:
        call.add_value("ord", order)
    domain = "real" if of_matrices else DOMAINS.get(order, "real")
    call.add_tensor("x", shape, call.dtype, domain)


def _axis(call: CallDraft, rank: int) -> int:
    axis: int = call.integer((0, rank - 1))
    return axis - rank if call.pick((False, False, True)) else axis


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {"orders of norms": _norms}
