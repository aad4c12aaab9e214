"""Inputs that no document names: which conventions a call rests on, and what becomes of them."""

from __future__ import annotations

import pytest

from conformance.editions import Edition
from conformance.generators import generate, structures
from conformance.generators.open_inputs import left_open, left_open_numbers, promised_inputs
from conformance.generators.twins import rebound
from conformance.program import Binding, Input, Layout, Made
from conformance.specs import load

SPECS = load()


def inputs(binding: Binding) -> list[Input]:
    return [Input("x", (2,), "float32", binding)]


@pytest.mark.parametrize(
    ("function", "binding", "rests"),
    [
        ("keras.ops.sqrt", Binding.CONSTANT, set()),
        ("keras.ops.sqrt", Binding.VARIABLE, {"variable-input"}),
        ("keras.ops.sqrt", Binding.ARRAY, {"array-input"}),
        ("keras.ops.sqrt", Binding.PYTHON, {"python-input"}),
        ("keras.ops.erf", Binding.ARRAY, set()),
        ("keras.ops.erf", Binding.PYTHON, {"python-input"}),
        ("keras.ops.deg2rad", Binding.PYTHON, set()),
    ],
)
def test_a_call_rests_on_how_its_inputs_are_made(
    function: str, binding: Binding, rests: set[str]
) -> None:
    assert left_open(inputs(binding), SPECS[function], "keras-3") == rests


def test_older_editions_leave_none_open() -> None:
    assert left_open(inputs(Binding.VARIABLE), SPECS["sqrt"], "keras-2.2") == set()


def test_a_shape_in_a_variable_is_left_open_too() -> None:
    held, number = Made("variable", (2,)), Made("int64", (2,))
    assert left_open_numbers([held, 3], "keras-3") == {"variable-input"}
    assert left_open_numbers([held, 3], "keras-2.2") == set()
    assert left_open_numbers([number, 3, "same"], "keras-3") == set()


def test_no_call_with_a_variable_is_settled() -> None:
    generated = generate(structures(SPECS["keras.ops.slice"], "keras-3"), 100, 0)
    held = [s for s in generated if "kind='variable'" in repr(s.program)]
    assert held
    assert all("variable-input" in structure.unsettled for structure in held)


@pytest.mark.parametrize(
    ("edition", "kinds"), [("keras-1", {"variable"}), ("keras-2.0", {"constant", "variable"})]
)
def test_integers_are_held_by_tensors_that_the_edition_has(
    edition: Edition, kinds: set[str]
) -> None:
    generated = generate(structures(SPECS["conv2d_transpose"], edition), 200, 0)
    held = {v.kind for s in generated for v in s.arguments.values() if isinstance(v, Made)}
    assert held == kinds


def test_what_is_left_open_is_in_no_odd_layout() -> None:
    odd = {Layout.SWAPPED, Layout.UNALIGNED}
    generated = generate(structures(SPECS["keras.ops.add"], "keras-3"), 600, 0)
    laid = [i for s in generated for i in s.program.inputs if i.layout in odd]
    assert laid
    assert {i.binding for i in laid}.isdisjoint({"variable", "array", "python"})


def test_what_says_that_an_input_is_taken_is_cited() -> None:
    spec, refused = SPECS["keras.ops.erf"], "'numpy.ndarray' object is no tensor"

    def cited(binding: Binding, message: str, edition: Edition = "keras-3") -> dict[str, str]:
        return promised_inputs(inputs(binding), spec, edition, message)

    assert cited(Binding.ARRAY, refused) == {"keras-3.15.1": "Example"}
    assert cited(Binding.ARRAY, "a tensor is not contiguous") == {}
    assert cited(Binding.VARIABLE, refused) == {}
    assert cited(Binding.ARRAY, refused, "keras-2.2") == {}


def test_a_twin_of_tensors_does_not_rest_on_variables() -> None:
    strategy = structures(SPECS["keras.ops.sqrt"], "keras-3", binding=Binding.VARIABLE)
    for structure in generate(strategy, 5, 0):
        assert "variable-input" in structure.unsettled
        for twin in rebound(structure):
            bindings = {item.binding for item in twin.program.inputs}
            assert ("variable-input" in twin.unsettled) is (bindings == {Binding.VARIABLE})


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "bool"])
def test_numbers_of_python_stand_for_the_dtypes_that_they_get(dtype: str) -> None:
    strategy = structures(SPECS["keras.ops.add"], "keras-3", dtype=dtype, binding=Binding.PYTHON)
    for structure in generate(strategy, 10, 0):
        for item in structure.program.inputs:
            fits = item.dtype in ("float32", "int32", "bool") and 0 not in item.shape
            assert item.binding is (Binding.PYTHON if fits else Binding.ARRAY)
