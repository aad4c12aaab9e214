"""How tensors are made and passed: known dimensions, aliases, dtypes, layouts, integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.generators import Draw, Structure, draw_arrays, generate, structures
from conformance.generators.coverage.classes import of_tensors
from conformance.generators.gradients import resolved
from conformance.generators.structure import expected_shape, expected_static_shape
from conformance.generators.tensors import (
    BOTH_FLOATS,
    INTEGERS,
    LAYOUTS,
    aliased,
    integers_for,
    knowledge,
    known_patterns,
    stricter,
)
from conformance.generators.twins import rebound, with_first_dtype
from conformance.oracle.evaluate import ORACLES
from conformance.program import Binding, Input, Layout, Made, Ref
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from tests.generators.support import demanded

NEWEST: Edition = "keras-2.2"


def steered_structures(
    function: str, count: int = 60, edition: Edition = NEWEST, **classes_of: str
) -> list[Structure]:
    """Valid structures that have these classes."""
    asked = {name.replace("_", " "): value for name, value in classes_of.items()}
    if not asked:
        return generate(structures(load()[function], edition), count, 0)
    return demanded(function, asked, count, edition)


def shown(structure: Structure) -> dict[str, str]:
    return of_tensors(structure)


# Dimensions that are known


@pytest.mark.parametrize("rank", range(5))
def test_every_combination_of_known_dimensions_can_be_drawn(rank: int) -> None:
    patterns = {*known_patterns(rank)}
    every = {p for p in np.ndindex(*(2,) * rank) if not all(p) or not rank}
    assert patterns == ({tuple(map(bool, p)) for p in every} if rank > 1 else {(False,) * rank})


def test_of_rank_5_one_dimension_alone_is_known_or_is_not() -> None:
    patterns = {*known_patterns(5, alone=True)}
    assert {sum(p) for p in patterns} == {0, 1, 4}
    assert len(patterns) == 11
    assert {*known_patterns(5)} == {(False,) * 5}
    assert {*known_patterns(6, alone=True)} == {(False,) * 6}


def test_what_is_known_follows_to_the_result() -> None:
    partly = 0
    for structure in steered_structures("dot", 200):
        real, static = expected_shape(structure), expected_static_shape(structure)
        assert all(s is None or s == r for s, r in zip(static, real, strict=True))
        x, y = structure.static.shapes["x"], structure.static.shapes["y"]
        assert static == (*x[:-1], *y[:-2], *y[1:][-1:])
        partly += None in static and {*static} != {None}
    assert partly > 5


@pytest.mark.parametrize(
    ("binding", "shape", "expected"),
    [
        (Binding.PLACEHOLDER, None, "all"),
        (Binding.PLACEHOLDER_NONE, None, "none"),
        (Binding.PLACEHOLDER_NONE, (None, 3), "?n"),
        (Binding.PLACEHOLDER_NONE, (2, 3), "all"),
    ],
)
def test_the_class_of_what_is_known(binding: Binding, shape: Any, expected: str) -> None:
    arguments = None if shape is None else (("shape", shape), ("dtype", "float32"))
    assert knowledge(Input("x", (2, 3), "float32", binding, arguments)) == expected


def test_a_twin_of_another_dtype_is_made_with_it() -> None:
    twins = (with_first_dtype(s) for s in steered_structures("conv2d", 100))
    dtypes = [
        dict(i.arguments)["dtype"] for t in twins if t for i in t.program.inputs if i.arguments
    ]
    assert dtypes
    assert {*dtypes} == {"float32"}


# One tensor twice


@pytest.mark.parametrize("function", ["dot", "batch_dot", "maximum", "equal", "concatenate"])
def test_one_tensor_takes_the_place_of_two(function: str) -> None:
    structures = steered_structures(function, 12, aliases="yes")
    assert len(structures) > 10
    assert all(aliased(s.arguments) for s in structures)
    for structure in structures:
        arrays = draw_arrays(structure, Draw("ordinary", 1))
        result = ORACLES[structure.oracle](**resolved(structure.arguments, arrays))
        assert np.shape(result) == expected_shape(structure)
        assert {*arrays} == {i.name for i in structure.program.inputs}


def test_no_tensor_comes_twice_where_that_is_not_demanded() -> None:
    assert not any(aliased(s.arguments) for s in steered_structures("maximum", aliases="no"))


def test_aliases_are_told_by_parameter() -> None:
    assert aliased({"x": Ref("x"), "y": Ref("x"), "z": Ref("z")}) == ["x is y"]
    assert aliased({"tensors": [Ref("a"), Ref("b"), Ref("a")]}) == ["tensors is tensors"]


@pytest.mark.parametrize(
    ("domain", "other", "expected"),
    [
        ("real", "positive", "positive"),
        ("nonzero", "real", "nonzero"),
        ("probability", "fraction", "probability"),
        ("positive", "truth", None),
    ],
)
def test_which_domain_is_part_of_the_other(domain: str, other: str, expected: str | None) -> None:
    assert stricter(domain, other) == expected


# Dtypes


def test_two_documented_dtypes_rest_on_a_convention() -> None:
    structures = steered_structures("maximum", 12, mixed_dtypes="float32 then float64")
    assert len(structures) > 10
    for structure in structures:
        assert ConventionName.MIXED_DTYPES in structure.unsettled
        assert {i.dtype for i in structure.program.inputs} == {*BOTH_FLOATS}
        dtypes = [dict(i.arguments)["dtype"] for i in structure.program.inputs if i.arguments]
        assert dtypes == [i.dtype for i in structure.program.inputs if i.arguments]
        twin = with_first_dtype(structure)
        assert twin is not None
        assert ConventionName.MIXED_DTYPES not in twin.unsettled
        for array in draw_arrays(structure, Draw("ordinary", 1)).values():
            np.testing.assert_array_equal(array, array.astype("float32"))


@pytest.mark.parametrize("function", ["gather", "one_hot", "in_top_k"])
def test_indices_of_dtypes_that_no_document_names(function: str) -> None:
    structures = [
        s
        for s in steered_structures(function, 400)
        if {i.dtype for i in s.program.inputs} & {*INTEGERS[2:]}
    ]
    assert structures
    assert all(ConventionName.INPUT_DTYPE in s.unsettled for s in structures)


def test_an_integer_dtype_holds_every_index() -> None:
    assert integers_for(127) == INTEGERS
    assert "int8" not in integers_for(200)


# Layouts


@pytest.mark.parametrize("layout", sorted({*LAYOUTS} - {Layout.C}))
def test_a_layout_that_is_wanted(layout: Layout) -> None:
    structures = steered_structures("maximum", 8, layout=str(layout))
    assert len(structures) > 5
    rests = layout in (Layout.SWAPPED, Layout.UNALIGNED)
    assert all((ConventionName.MEMORY_LAYOUT in s.unsettled) is rests for s in structures)
    assert {shown(s)["layout"] for s in structures} == {str(layout)}


def test_numbers_do_not_depend_on_the_layout() -> None:
    for structure in steered_structures("maximum", 20, layout="strided"):
        inputs = tuple(replace(i, layout=Layout.C) for i in structure.program.inputs)
        plain = replace(structure, program=replace(structure.program, inputs=inputs))
        mine, other = (draw_arrays(s, Draw("ordinary", 1)) for s in (structure, plain))
        assert all(mine[name].tobytes() == other[name].tobytes() for name in mine)


def test_inputs_that_cannot_be_made_are_made_of_plain_arrays_at_last() -> None:
    structure = steered_structures("exp", 1, layout="swapped")[0]
    *_, last = rebound(structure)
    assert {i.layout for i in last.program.inputs} == {Layout.C}
    assert ConventionName.MEMORY_LAYOUT not in last.unsettled


# None, and forms of integers


def test_none_is_passed_where_it_is_the_default() -> None:
    explicit = [
        s for s in steered_structures("sum") if "axis" in s.passed and s.arguments["axis"] is None
    ]
    assert explicit
    assert all(expected_shape(s) in ((), (1,) * len(s.runtime.shapes["x"])) for s in explicit)
    assert not [s for s in steered_structures("argmax") if s.arguments["axis"] is None]


def forms(function: str, parameter: str, edition: Edition = NEWEST) -> Iterator[str]:
    for structure in steered_structures(function, 200, edition):
        value = structure.arguments[parameter]
        yield value.kind if isinstance(value, Made) else type(value).__name__


@pytest.mark.parametrize(
    ("function", "parameter", "expected"),
    [
        ("reverse", "axes", {"int", "list", "tuple", "range", "set", "iterator"}),
        ("normalize_batch_in_training", "reduction_axes", {"range", "set", "iterator"}),
        ("slice", "start", {"list", "tuple", "constant", "variable"}),
        ("conv2d_transpose", "output_shape", {"tuple", "constant", "variable"}),
        ("expand_dims", "axis", {"int", "int64"}),
    ],
)
def test_forms_of_integers(function: str, parameter: str, expected: set[str]) -> None:
    assert {*forms(function, parameter)} >= expected


def test_keras_1_documents_no_iterables() -> None:
    assert {*forms("reverse", "axes", "keras-1")} == {"int", "list", "tuple"}


def test_the_oracle_gets_plain_numbers() -> None:
    for structure in islice(steered_structures("reverse", 100), 100):
        axes = resolved(structure.arguments, draw_arrays(structure, Draw("ordinary", 1)))["axes"]
        assert isinstance(axes, int | list | tuple)
        assert axes == structure.runtime.values["axes"]


@pytest.mark.parametrize("function", ["conv1d", "separable_conv1d"])
def test_a_kernel_that_is_another_tensor_too_has_known_dimensions(function: str) -> None:
    kernels = ("kernel", "depthwise_kernel", "pointwise_kernel")
    for structure in steered_structures(function, 4, aliases="yes"):
        passed = {structure.arguments[name] for name in kernels if name in structure.arguments}
        shapes = {Ref(i.name): i.static_shape for i in structure.program.inputs}
        assert None not in {n for ref in passed for n in shapes[ref]}  # type: ignore[index]
