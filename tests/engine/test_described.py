"""A message says what a reader needs to make the case again: the call and how inputs are made."""

from __future__ import annotations

from functools import partial

from conformance.engine import PROFILES
from conformance.engine.judging.findings import described
from conformance.program import Binding, Layout
from tests.engine.keras_calls import prepared as drawn_calls
from tests.engine.support import tasks

TOLD = {
    Binding.PLACEHOLDER: "",
    Binding.VARIABLE: " in a variable",
    Binding.CONSTANT: " in a constant",
    Binding.ARRAY: " as an array",
}
LAID = {
    Layout.FORTRAN: " (column-major)",
    Layout.STRIDED: " (every second element of a larger array)",
    Layout.REVERSED: " (a reversed view)",
    Layout.READ_ONLY: " (read-only)",
    Layout.SWAPPED: " (the other byte order)",
    Layout.UNALIGNED: " (unaligned)",
}


joined = partial(described, joined=True)


def test_how_an_input_is_made_is_told_unless_it_is_a_placeholder_of_its_shape() -> None:
    (task,) = tasks(["transpose"], PROFILES["default"])
    seen = set()
    for prepared in task.prepared():
        if prepared.structure.error is not None:
            continue
        (item,) = prepared.structure.program.inputs
        seen.add(item.binding)
        unknown = item.binding is Binding.PLACEHOLDER_NONE and item.shape
        manner = f" fed as {item.static_shape}" if unknown else TOLD.get(item.binding, "")
        manner += LAID.get(item.layout, "")
        assert described(prepared).endswith(f" with x {item.dtype} {item.shape}{manner}")
        fed = f"{item.shape} fed as {item.static_shape}" if unknown else f"{item.shape}"
        for short in (described(prepared, bindings=False, layouts=False), joined(prepared)):
            assert fed in short, "without it nobody can make the case again"
    assert {*TOLD, Binding.PLACEHOLDER_NONE} - seen <= {Binding.ARRAY}


def test_a_call_of_complex_numbers_is_named_by_its_function() -> None:
    for call in drawn_calls("view_as_real")[:3]:
        assert described(call).startswith("keras.ops.view_as_real(")
