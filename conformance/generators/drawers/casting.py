"""Tensors and the dtypes that they get, with numbers that both dtypes have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.program import Binding

FLOATS = ("float32", "float64", "float16", "bfloat16")
CASTS = (*FLOATS, "int32", "uint8", "int8", "bool", "int64", "int16")
ASKED = ("float32", "float64", "int32", "int64", "float16")
SATURATED = (*FLOATS, "int8", "uint8", "int32", "int16")


def _cast(call: CallDraft) -> None:
    """A tensor and a dtype that has its numbers."""
    _add_cast(call, call.pick(CASTS))


def _converted(domain: str) -> Callable[[CallDraft], None]:
    """An input that becomes a tensor, perhaps of a dtype that the call asks for. Without a dtype,
    its numbers are from `domain`."""

    def draw(call: CallDraft) -> None:
        asked = call.pick((*ASKED, *ASKED, "omitted", "omitted", None))
        if asked in ASKED:
            _add_cast(call, asked)
            return
        array = call.binding is None and call.pick((True, True, False))
        binding = Binding.ARRAY if array else None  # whose dtype is to be kept
        call.add_tensor("x", dims(call, (0, 5)), call.dtype, domain, binding)
        if asked is None:
            call.add_value("dtype", None)

    return draw


def _add_cast(call: CallDraft, asked: str) -> None:
    """Add the tensor and the dtype. Quarters become integers, which can only drop the fraction.
    Truth values are 0 or 1."""
    domain = "real" if asked in FLOATS else "quarters"
    if asked == "uint8":
        domain = "quarters above zero"
    if "bool" in (asked, call.dtype):
        domain = "bits"
    call.add_tensor("x", dims(call, (0, 5)), call.dtype, domain)
    call.add_value("dtype", asked)


WIDE = ("float32", "float64", "bfloat16")
"""Floats that have all far numbers."""
NARROW = ("int8", "uint8")
"""Integers that the numbers of bfloat16 end at."""


def _saturated(call: CallDraft) -> None:
    """A tensor and a dtype, beyond which some numbers are."""
    asked = call.pick((*FLOATS, *NARROW) if call.dtype == "bfloat16" else SATURATED)
    domain = "real" if asked in WIDE else "far"
    call.add_tensor("x", dims(call, (0, 5)), call.dtype, domain)
    call.add_value("dtype", asked)


SAME_SIZE = (
    ("float32", "int32"),
    ("float64", "int64"),
    ("float16", "int16"),
    ("uint8", "int8"),
)


def _viewed(call: CallDraft) -> None:
    """A tensor and a dtype of the same size: what shape others have, the docstring does not say.
    Without one, nothing is to change."""
    pairs = {a: b for pair in SAME_SIZE for a, b in (pair, pair[::-1])}
    call.add_tensor("x", dims(call, (0, 5)), call.dtype, "patterns")
    if call.pick((True, True, False)):
        call.add_value("dtype", pairs[call.dtype])


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "cast": _cast,
    "saturated": _saturated,
    "view": _viewed,
    "array": _converted("quarters"),
    "converted": _converted("patterns"),
}
