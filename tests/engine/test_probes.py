"""The probes on the reference, and on the reference with one function replaced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance import reference
from conformance.editions import EDITIONS, Edition
from conformance.engine.judging.probes import (
    BINDINGS,
    ODD_LAYOUTS,
    empty_probe,
    ends_the_worker,
    gradient_probe,
    holds_empty,
    is_misread,
    layout_probe,
    shape_failure,
    shape_outputs,
    shape_probe,
    square_of,
    squares_right,
    unknown_marks,
    without_marks,
    works,
)
from conformance.engine.planning.plan import documented_names
from conformance.observations import (
    DrawObservation,
    OutputObservation,
    Returned,
    StructureObservation,
    TensorMetadata,
    Value,
)
from conformance.program import Binding, Input, Layout, Program, Ref, Step
from tests.scenarios.in_process import module, observed


@pytest.mark.parametrize("binding", BINDINGS)
def test_gradients_of_the_reference_work(binding: Binding) -> None:
    assert works(observed(gradient_probe(binding), module()))


def doubled(loss: Any, variables: Any) -> Any:
    return [2 * g for g in reference.gradients(loss, variables)]


def refused(*_: Any) -> Any:
    raise TypeError("no")


def nothing(loss: Any, variables: Any) -> Any:
    return [None for _ in variables]


def twice(loss: Any, variables: Any) -> Any:
    return reference.gradients(loss, variables) * 2


@pytest.mark.parametrize("gradients", [doubled, refused, nothing, twice, None])
def test_gradients_that_are_wrong_do_not(gradients: Any) -> None:
    target = module(gradients=gradients)
    assert not any(works(observed(gradient_probe(b), target)) for b in BINDINGS)


def test_gradients_may_work_for_variables_alone() -> None:
    def gradients(loss: Any, variables: Any) -> Any:
        if any(reference.is_placeholder(v) for v in variables):
            raise TypeError("no variable")
        return reference.gradients(loss, variables)

    target = module(gradients=gradients)
    answers = {b: works(observed(gradient_probe(b), target)) for b in BINDINGS}
    assert [b for b, answer in answers.items() if answer] == [Binding.VARIABLE]


def test_the_gradient_of_every_element_counts() -> None:
    def square(x: Any) -> Any:
        return reference.square(x) * np.array([[1, 1, 1], [1, 1, 2]], "float32")

    assert not works(observed(gradient_probe(Binding.VARIABLE), module(square=square)))


def test_int_shape_of_the_reference_answers() -> None:
    assert shape_failure(observed(shape_probe(Binding.VARIABLE), module())) is None


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_function_that_squares_is_of_the_edition(edition: Edition) -> None:
    documented = documented_names(edition)
    assert square_of(*documented) in documented
    assert {square_of(name) for name in documented} == {square_of(*documented)}


def test_the_exception_of_int_shape_is_named() -> None:
    seen = observed(shape_probe(Binding.VARIABLE), module(int_shape=refused))
    assert shape_failure(seen) == ("int_shape raises", "TypeError")


@pytest.mark.parametrize(
    ("int_shape", "failure"),
    [(refused, ("int_shape raises", "TypeError")), (None, ("int_shape raises", "Absent"))],
)
def test_int_shape_is_looked_at_without_square_too(int_shape: Any, failure: Any) -> None:
    """Else each function of a small backend would be blamed for it."""
    seen = observed(shape_probe(Binding.VARIABLE), module(square=None, int_shape=int_shape))
    assert shape_failure(seen, needs_shape=True) == failure
    good = observed(shape_probe(Binding.VARIABLE), module(square=None))
    assert shape_failure(good, needs_shape=True) is None


def test_the_type_of_dimensions_that_are_no_integers_is_named() -> None:
    target = module(int_shape=lambda x: tuple(float(n) for n in reference.int_shape(x)))
    assert shape_failure(observed(shape_probe(Binding.VARIABLE), target)) == (
        "not integers",
        "float",
    )


def test_without_a_tensor_nothing_is_said_of_int_shape() -> None:
    target = module(int_shape=refused, square=None, variable=refused)
    assert shape_failure(observed(shape_probe(Binding.VARIABLE), target)) is None


def marked(mark: int) -> Any:
    """The reference with a number instead of None in static shapes."""

    def int_shape(x: Any) -> Any:
        return tuple(mark if n is None else n for n in reference.int_shape(x))

    return module(int_shape=int_shape)


def marks(target: Any) -> frozenset[int]:
    return unknown_marks(observed(shape_probe(Binding.PLACEHOLDER_NONE), target))


def test_the_reference_has_no_number_for_what_is_unknown() -> None:
    assert marks(module()) == frozenset()


def test_a_negative_number_for_what_is_unknown_is_found() -> None:
    assert marks(marked(-3)) == {-3}


def test_a_size_may_be_right_and_is_kept() -> None:
    assert marks(marked(1)) == frozenset()


def claims(*shapes: tuple[int | None, ...] | None) -> StructureObservation:
    claims = tuple(TensorMetadata("float32", shape) for shape in shapes)
    return StructureObservation((), (OutputObservation("y", "list", claims),), ())


def shapes(observation: StructureObservation) -> list[tuple[int | None, ...] | None]:
    return [claim.shape for claim in observation.outputs[0].metadata]


def test_the_mark_is_read_as_none_and_nothing_else_is() -> None:
    observation = without_marks(claims((2, -3, None), (), None, (-1, 0)), frozenset({-3}))
    assert shapes(observation) == [(2, None, None), (), None, (-1, 0)]


def dimension(size: int) -> Value:
    return Value(np.array(size), "int64", "int")


def test_the_mark_is_none_where_a_scenario_asks_for_a_static_shape() -> None:
    dimensions = (dimension(2), dimension(-3))
    draw = DrawObservation(Returned({"static": dimensions, "value": dimensions}))
    seen = without_marks(StructureObservation((), (), (draw,)), frozenset({-3}), ["static"])
    outcome = seen.draws[0].outcome
    assert isinstance(outcome, Returned)
    assert [v.python_type for v in outcome.values["static"]] == ["int", "NoneType"]
    assert outcome.values["value"] == dimensions


def test_only_the_test_of_another_function_is_asked_for_static_shapes() -> None:
    steps = (Step("a", "int_shape", (Ref("x"),)), Step("b", "maybe.int_shape", (Ref("x"),)))
    item = Input("x", (2,), "float32", Binding.VARIABLE)
    assert shape_outputs(Program((item,), steps, ("a", "b"))) == {"b"}


def test_without_marks_nothing_changes() -> None:
    before = claims((2, -3))
    assert without_marks(before, frozenset()) is before


def test_an_array_without_elements_does_the_reference_no_harm() -> None:
    assert not any(ends_the_worker(observed(empty_probe(b), module())) for b in BINDINGS)


def test_an_exception_for_an_empty_array_is_left_to_each_function() -> None:
    assert not ends_the_worker(observed(empty_probe(Binding.VARIABLE), module(square=refused)))


def holding(binding: Binding, shape: tuple[int, ...]) -> Program:
    item = Input("x", shape, "float32", binding)
    return Program((item,), (Step("y", "square", (Ref("x"),)),), ("y",))


@pytest.mark.parametrize(
    ("shape", "binding", "deadly", "expected"),
    [
        ((0,), Binding.VARIABLE, (Binding.VARIABLE,), True),
        ((2, 0), Binding.PLACEHOLDER, (Binding.VARIABLE,), False),
        ((2,), Binding.VARIABLE, (Binding.VARIABLE,), False),
        ((2,), Binding.VARIABLE, BINDINGS, True),
        ((0,), Binding.ARRAY, BINDINGS[:2], False),
        ((0,), Binding.ARRAY, BINDINGS, True),
        ((0,), Binding.VARIABLE, (), False),
    ],
)
def test_what_holds_an_empty_array_that_ends_the_worker(
    shape: tuple[int, ...], binding: Binding, deadly: tuple[Binding, ...], expected: bool
) -> None:
    assert holds_empty(holding(binding, shape), deadly) is expected


def misreads(x: Any, dtype: Any = None, name: Any = None) -> Any:
    """A variable that takes float16 for integers where its elements are apart."""
    array = np.asarray(x)
    if array.dtype == np.float16 and not array.flags.c_contiguous:
        return reference.variable(np.ascontiguousarray(array).view(np.int16), "float16", name)
    return reference.variable(x, dtype, name)


def test_layouts_that_are_misread_are_told_from_those_that_are_not() -> None:
    layouts = (Layout.C, *ODD_LAYOUTS)
    read = {n: squares_right(observed(layout_probe(n), module(variable=misreads))) for n in layouts}
    assert read == {Layout.C: True, **dict.fromkeys(ODD_LAYOUTS, False)}
    assert all(squares_right(observed(layout_probe(layout), module())) for layout in layouts)
    assert squares_right(observed(layout_probe(Layout.C), module(square=refused))) is None


@pytest.mark.parametrize(
    ("dtype", "shape", "layout", "held"),
    [
        ("float16", (2, 3), Layout.STRIDED, True),
        ("float16", (1, 1), Layout.STRIDED, False),
        ("float32", (2, 3), Layout.STRIDED, False),
        ("float16", (2, 3), Layout.C, False),
    ],
)
def test_what_holds_a_misread_array(
    dtype: str, shape: tuple[int, ...], layout: Layout, held: bool
) -> None:
    item = Input("x", shape, dtype, Binding.CONSTANT, layout=layout)
    program = Program((item,), (Step("y", "exp", (Ref("x"),)),), ("y",))
    assert is_misread(program, {Layout.STRIDED}) == held
