"""Totals in a dtype that the call names.

Every dtype has the integers that are added or multiplied here, and their totals: no docstring says
how an implementation rounds others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims

ASKED = (None, "float64", "int64", "float32", "int32", None)
HALF = ("float16", "bfloat16")
OF_HALF = (None, "float64", "float32")
"""Few digits do not have the partial sums of many integers."""
NARROW = "int8"
"""A dtype whose own range a total leaves soon."""


def _total(ranks: tuple[int, int], real: str, whole: str) -> Callable[[CallDraft], None]:
    """A tensor and perhaps the dtype of its total; then the tensor is sometimes of few bits."""

    def draw(call: CallDraft) -> None:
        call.aim("x")
        asked = call.pick(OF_HALF if call.dtype in HALF else ASKED)
        dtype = NARROW if asked is not None and call.pick((False, False, True)) else call.dtype
        settled = asked is not None and "int" in asked + dtype
        call.add_tensor("x", dims(call, ranks), dtype, whole if settled else real)
        if asked is not None:
            call.add_value("dtype", asked)

    return draw


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "sum in a dtype": _total((1, 5), "real", "whole"),
    "product in a dtype": _total((0, 5), "factor", "units"),
    "running product in a dtype": _total((1, 5), "factor", "units"),
    "sum of some in a dtype": _total((1, 5), "real", "whole or missing"),
    "product of some in a dtype": _total((1, 5), "factor", "units or missing"),
}
