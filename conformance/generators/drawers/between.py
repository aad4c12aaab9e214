"""Quantiles, and the way in which one between two elements is found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft

EIGHTHS = 8
METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _length(call: CallDraft) -> int:
    """How many elements there are in a row."""
    shape, axis = call.shapes["x"], call.values.get("axis")
    if axis is None:
        return math.prod(shape)
    axes = [axis] if isinstance(axis, int) else axis
    return math.prod(shape[a] for a in {a % len(shape) for a in axes})


def _quantiles(whole: float, *, missing: bool) -> Callable[[CallDraft], None]:
    """One part of `whole`, or some in a list, in eighths, and a method.

    Eighths place a quantile without rounding. The nearest of two elements is asked for where none
    is half of the way; of elements that may be missing, at the ends alone.
    """

    def draw(call: CallDraft) -> None:
        method = call.pick(METHODS)
        if method != "linear" or call.pick((False, True)):
            call.add_value("method", method)
        last = max(_length(call) - 1, 0)
        parts = [
            n
            for n in (4, 2, 6, 0, 8, 1, 3, 5, 7)
            if method != "nearest" or n in (0, EIGHTHS) or not (missing or last * n % 8 == 4)
        ]
        count = call.pick((1, 1, 1, 2, 3)) if math.prod(call.shapes["x"]) else 1
        listed = [call.pick(tuple(parts)) for _ in range(count)]
        shares = [whole * n / EIGHTHS for n in listed]
        several = len(shares) > 1 or call.pick((False, False, True))
        call.add_value("q", shares if several else shares[0])

    return draw


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "quantiles": _quantiles(1.0, missing=False),
    "percentiles": _quantiles(100.0, missing=False),
    "quantiles of some": _quantiles(1.0, missing=True),
    "percentiles of some": _quantiles(100.0, missing=True),
}
