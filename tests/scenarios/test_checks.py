"""Tests that many scenarios share: what they let pass, and what they call a problem."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from conformance.engine.judging.scenarios import _demands
from conformance.observations import Value
from conformance.oracle import Expectation
from conformance.results import Aspect
from conformance.scenarios import Check, checks
from conformance.scenarios.checks import Test
from conformance.scenarios.model import Problem, Values


def array(value: Any, dtype: str | None = None) -> Values:
    """An output that gave one array."""
    content = np.asarray(value, dtype)
    return (Value(content, content.dtype.name, "ndarray"),)


def text(value: str) -> Values:
    """An output that gave a text."""
    return (Value(None, f"<U{len(value)}", "str", "not numeric", value),)


NONE: Values = (Value(None, "object", "NoneType", "not numeric"),)
LIST: Values = (Value(None, "object", "Odd", "not numeric"),)
"""Something that is neither an array nor a text."""


def problem(test: Test, values: Values) -> Problem:
    """What the test says; AssertionError if it says nothing."""
    fault = test(values)
    assert fault is not None
    return fault


def test_an_array_is_equal_in_shape_and_elements() -> None:
    test = checks.is_array([[1.0, np.nan]])
    assert test(array([[1.0, np.nan]])) is None
    assert test(array([[1.0, np.nan]], "float32")) is None
    assert problem(test, array([1.0, np.nan])).detail == "shape"
    assert problem(test, array([[1.0, 2.0]])).detail == "value"
    assert problem(test, array([[np.nan, np.nan]])).detail == "value"


def test_a_problem_holds_both_arrays() -> None:
    fault = problem(checks.is_array([1.0, 2.0]), array([1.0, 3.0]))
    assert fault.gives == "gives [1. 3.]"
    np.testing.assert_array_equal(np.asarray(fault.got), [1, 3])
    np.testing.assert_array_equal(np.asarray(fault.expected), [1, 2])


def test_two_outputs_are_equal() -> None:
    test = partial(checks.as_second, array([1.0, np.nan]))
    assert test(array([1.0, np.nan])) is None
    assert problem(test, array([2.0, np.nan])).gives == "gives [ 1. nan]"
    assert problem(test, array([[1.0, np.nan]])).detail == "shape"
    assert problem(test, text("no array")).gives == "gives a str"


def test_a_dtype_counts_where_it_is_asked_for() -> None:
    expected = np.array([1, 2], "int32")
    assert checks.is_array(expected)(array([1, 2], "int64")) is None
    fault = problem(checks.is_array(expected, dtype=True), array([1, 2], "int64"))
    assert (fault.gives, fault.detail) == ("gives int64", "dtype")
    assert checks.is_array(expected, dtype=True)(array([1, 2], "int32")) is None


@pytest.mark.parametrize(
    "test",
    [
        checks.is_array(1.0),
        checks.has_shape(()),
        checks.has_dtype("float64"),
        checks.agrees_with(Expectation(np.array(1.0), np.array(0.0), "float64")),
    ],
    ids=["is_array", "has_shape", "has_dtype", "agrees_with"],
)
def test_what_is_not_one_array_is_a_problem(test: Test) -> None:
    assert test(array(1.0)) is None
    assert problem(test, ()).gives == "gives 0 results"
    assert problem(test, array(1.0) * 2).detail == "several"
    for other in (NONE, LIST, text("1.0")):
        assert problem(test, other).detail == "no array"


def expectation(bound: float) -> Expectation:
    return Expectation(np.array([1.0, 2.0]), np.full(2, bound), "float32")


def test_agreement_is_within_the_bound() -> None:
    test = checks.agrees_with(expectation(1e-6))
    assert test(array([1.0 + 9e-7, 2.0])) is None
    assert problem(test, array([[1.0, 2.0]])).detail == "shape"
    wrong = problem(test, array([1.0, 2.5]))
    assert (wrong.gives, wrong.detail, wrong.conventions) == ("gives 2.5 at [1]", "value", ())


def test_an_error_in_the_last_digits_rests_on_a_convention() -> None:
    fault = problem(checks.agrees_with(expectation(1e-6)), array([1.0, 2.0 + 1e-5]))
    assert (fault.detail, fault.conventions) == ("accuracy", ("accuracy",))
    assert fault.ulp == pytest.approx(1e-5 / np.spacing(np.float32(2.0)), rel=1e-6)


def test_an_expectation_is_computed_when_it_is_needed() -> None:
    asked: list[int] = []

    def expect() -> Expectation:
        asked.append(1)
        return expectation(0.0)

    test = checks.agrees_with(expect)
    assert not asked
    assert test(array([1.0, 2.0])) is None
    assert asked


@pytest.mark.parametrize(
    ("expected", "values"),
    [(True, array(True)), (1, array(1)), (1, array(1.0)), ("tf", text("tf")), (None, NONE)],
)
def test_a_python_value(expected: Any, values: Values) -> None:
    assert checks.is_one_of("other", expected)(values) is None
    assert problem(checks.is_one_of("other", "others"), values)


def test_a_bool_is_no_number() -> None:
    assert problem(checks.is_one_of(1), array(True)).detail == "True"
    assert problem(checks.is_one_of(True), array(1)).detail == "1"
    assert problem(checks.is_one_of(0, 0.0), array(False)).gives == "gives False"


def test_several_values_are_a_tuple() -> None:
    values = array(1) + text("th") + NONE
    assert checks.plain(values) == (1, "th", None)
    assert checks.is_one_of((1, "th", None))(values) is None
    assert problem(checks.is_one_of(1), values)


RAISED = text("raises KeyError LookupError Exception BaseException object")
RETURNED = text("returns")


def test_an_exception_is_known_by_its_class_or_a_base() -> None:
    for names in ((), ("KeyError",), ("LookupError",), ("ValueError", "KeyError")):
        assert checks.raises(*names)(RAISED) is None
    fault = problem(checks.raises("ValueError"), RAISED)
    assert fault.detail == "KeyError"
    assert "raises KeyError" in fault.gives
    for names in ((), ("KeyError",)):
        assert problem(checks.raises(*names), RETURNED).detail == "accepted"


def test_part_of_a_name_is_no_name() -> None:
    assert problem(checks.raises("Key"), RAISED)


def test_a_step_that_returned() -> None:
    assert checks.returns(RETURNED) is None
    assert problem(checks.returns, RAISED).detail == "KeyError"


def test_a_shape() -> None:
    assert checks.has_shape([2, 3])(array(np.zeros((2, 3)))) is None
    for other in ((3, 2), (6,), (2, 3, 1)):
        fault = problem(checks.has_shape([2, 3]), array(np.zeros(other)))
        assert fault.gives == f"gives shape {other}"


def test_a_dtype() -> None:
    test = checks.has_dtype("float32", "float64")
    assert test(array(0, "float32")) is None
    assert test(array(0, "float64")) is None
    assert problem(test, array(0, "int64")).detail == "int64"


def test_elements_in_words_are_few() -> None:
    assert checks.shown(np.array(1.5)) == "1.5"
    assert checks.shown([[1, 2], [3, 4]]) == "[[1 2] [3 4]]"
    assert "..." in checks.shown(np.arange(100))


def test_what_is_equal_in_float32_alone_is_inaccurate() -> None:
    expected = np.array([1 / 3, -2.0])
    test = checks.is_array(expected)
    rounded = problem(test, array(expected, "float32"))
    assert (rounded.detail, rounded.conventions) == ("accuracy", ("accuracy",))
    wrong = problem(test, array(expected + np.array([1e-5, 0])))
    assert (wrong.detail, wrong.conventions) == ("value", ())


def test_another_shape_is_told_beside_the_shape_that_is_demanded() -> None:
    test = checks.is_array(0.0)
    check = Check("squeezed", Aspect.VALUE, outputs=("values",), test=test, demands="0")
    assert _demands(check, problem(test, array([0.0]))) == "shape ()"
    assert _demands(check, problem(test, array(1.0))) == "0"


def test_the_script_of_a_problem_of_the_last_output_looks_there() -> None:
    problem = checks.of_last(checks.is_one_of("float16")(text("float32")))
    assert problem is not None
    assert "values[-1]]" in problem.fault
    assert "values[0]" not in problem.fault
    refused = checks.of_last(Problem("returns", fault="first == 'returns'"))
    assert refused is not None
    assert refused.fault == "values[-1][0] == 'returns'"
    assert checks.of_last(None) is None
