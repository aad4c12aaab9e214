"""A message says what a reader needs to make the case again: the call and how inputs are made."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from conformance.engine import PROFILES
from conformance.engine.judging.findings import described, few_numbers, joined_inputs
from conformance.program import Binding, Input, Layout
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
        fed += LAID.get(item.layout, "")
        assert fed in joined(prepared), "without it nobody can make the case again"
    assert {*TOLD, Binding.PLACEHOLDER_NONE} - seen <= {Binding.ARRAY}


def test_a_call_of_complex_numbers_is_named_by_its_function() -> None:
    for call in drawn_calls("view_as_real")[:3]:
        assert described(call).startswith("keras.ops.view_as_real(")


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array([0, np.nan], np.float32), "[0, nan]"),
        (np.array(-6), "-6"),
        (np.array([[0.5], [-0.0]]), "[[0.5], [-0]]"),
        (np.array([True]), "[True]"),
        (np.array([0.1], np.float32), "[0.1]"),
        (np.zeros(5), ""),
        (np.zeros(0), ""),
        (np.array([-63.87995670892001, -63.73813726220968]), ""),
    ],
)
def test_a_message_has_the_numbers_of_small_arrays(array: np.ndarray, text: str) -> None:
    assert few_numbers(array) == text


def test_numbers_stand_beside_shapes_of_other_inputs() -> None:
    x = Input("x", (2,), "int8", Binding.PYTHON)
    y = Input("y", (2,), "int8", Binding.PLACEHOLDER)
    z = Input("z", (2,), "int8", Binding.PLACEHOLDER)
    assert joined_inputs([x, y, z], SYMBOLS) == "x list (2,), y, z int8 KerasTensor (2,)"
    assert joined_inputs([x, y, z], (), {"x": "[1, 2]"}) == "x = [1, 2], y, z int8 (2,)"
    same = {"y": "[0, 0]", "z": "[0, 0]"}
    assert joined_inputs([x, y, z], (), same) == "x list (2,), y = z = int8 [0, 0]"


def test_a_symbol_that_lacks_no_dimension_is_like_any_other() -> None:
    known = Input("x", (2,), "int8", Binding.PLACEHOLDER_NONE, arguments=(("shape", (2,)),))
    assert joined_inputs([known], SYMBOLS) == "x int8 KerasTensor (2,)"
    unknown = Input("x", (2,), "int8", Binding.PLACEHOLDER_NONE, arguments=(("shape", (None,)),))
    assert joined_inputs([unknown], SYMBOLS) == "x int8 (2,) fed as (None,)"


SYMBOLS = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)
