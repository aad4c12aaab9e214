"""Expressions become programs, or are refused with their column; nothing of them is evaluated."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.program import Program, Ref, Step, from_json, to_json
from conformance.program.expressions import ExpressionError, program_of

FUNCTIONS = ("ones", "zeros", "batch_dot", "sum", "map_fn", "square", "constant", "identity")


def program(source: str) -> Program:
    return program_of(source, FUNCTIONS)


def refused(source: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        program(source)
    return caught.value


def test_calls_become_steps_in_the_order_in_which_python_calls() -> None:
    batch_product = program("K.batch_dot(K.ones((3, 2)), K.ones((3, 2, 4)), axes=1)")
    assert batch_product.inputs == () and batch_product.outputs == ("result",)
    assert batch_product.steps == (
        Step("t1", "ones", ((3, 2),)),
        Step("t2", "ones", ((3, 2, 4),)),
        Step("result", "batch_dot", (Ref("t1"), Ref("t2")), (("axes", 1),)),
    )


@pytest.mark.parametrize("name", ["sum", "K.sum", "backend.sum", "keras.backend.sum"])
def test_a_function_is_called_as_keras_users_call_it(name: str) -> None:
    assert program(f"{name}(K.ones((2,)))").steps[-1].function == "sum"


def test_numbers_are_numbers_and_tensors_have_arithmetic() -> None:
    (_, step), (_, negated), (_, power) = (
        program(text).steps
        for text in ("K.ones((2,)) * (1 / 4 - 2)", "-K.ones((2,))", "2 ** K.ones((2,))")
    )
    assert (step.function, step.args) == ("operator.mul", (Ref("t1"), -1.75))
    assert negated.function == "operator.neg"
    assert (power.function, power.args) == ("operator.pow", (2, Ref("t1")))


def test_special_numbers_are_written_as_in_numpy_or_python() -> None:
    (step,) = program("K.constant([np.nan, -np.inf, float('inf'), 1e-3, True, None, 'x'])").steps
    (numbers,) = step.args
    assert isinstance(numbers, list)
    first, *others = numbers
    assert isinstance(first, float) and math.isnan(first)
    assert others == [-math.inf, math.inf, 1e-3, True, None, "x"]


def test_earlier_lines_give_names() -> None:
    product = program("x = K.ones((2,))\ny = K.sum(x)\nK.batch_dot(x, y)")
    assert product.steps[-1].args == (Ref("t1"), Ref("t2"))
    assert program("x = K.ones((2,))\ny = K.sum(x)\nx").outputs == ("t1",)


def test_callables_have_names_of_their_own() -> None:
    step = program("t1 = K.ones((2,)); K.map_fn(lambda x: K.square(x) + t1, t1)").steps[-1]
    function = step.args[0]
    (parameter,) = function.parameters  # type: ignore[union-attr]
    assert [s.function for s in function.steps] == ["square", "operator.add"]  # type: ignore[union-attr]
    assert function.steps[0].args == (Ref(parameter),)  # type: ignore[union-attr]
    assert function.steps[1].args[1] == Ref("t1")  # type: ignore[union-attr]
    assert parameter != "t1"


REFUSED = {
    "K.summ(K.ones((2,)))": (1, "no document has a function summ", "did you mean sum?"),
    "K.sum(__import__('os').system('true'))": (7, "is not a function of K", "K.NAME"),
    "K.sum(x)": (7, "nothing is called x", "K.NAME"),
    "K.sum(*[1])": (7, "*[1] cannot stand here", "K.NAME"),
    "K.sum(**3)": (1, "** cannot stand here", "one by one"),
    "K.sum(K.ones((2,)) @ 1)": (7, "cannot stand here", "number itself"),
    "K.sum(2 ** 10 ** 10)": (12, "cannot stand here", "number itself"),
    "K.sum(1 / 0)": (7, "division by zero", "number itself"),
    "K.sum(b'x')": (7, "b'x' cannot stand here", "K.NAME"),
    "K.sum(99999999999999999999)": (7, "more than 63 bits", "a float"),
    "K.ones((2,))[0:1]": (14, "0:1 cannot stand here", "K.NAME"),
    "K.ones((2,))['a']": (1, "cannot stand here", "x[0]"),
    "K.map_fn(lambda x=1: x, 2)": (10, "plain parameters", "lambda x, y"),
    "(3).bit_length()": (1, "is not a function of K", "K.NAME"),
    "K.sum(np.load)": (7, "np.load cannot stand here", "np.nan"),
    "K.sum(": (6, "this is not an expression", "K.NAME"),
    "3": (1, "no function is called", "K.NAME"),
    "": (1, "nothing to try", "K.NAME"),
    "import os; os": (1, "only the last line", "x = ..."),
    "x = K.ones((2,))": (1, "gives no result", "end with"),
    "x.y = 3; K.sum(x)": (1, "one name", "x = ..."),
    "K.sum(float(3))": (7, "cannot stand here", "float('nan')"),
}


@pytest.mark.parametrize("source", REFUSED)
def test_anything_else_is_refused_with_its_column(source: str) -> None:
    error = refused(source)
    column, problem, hint = REFUSED[source]
    assert (error.line, error.column) == (1, column)
    assert problem in str(error) and hint in error.hint


def test_columns_count_characters_and_lines_are_told() -> None:
    error = refused("x = K.ones((2,))\nK.constant('é') + yy")
    assert (error.line, error.column) == (2, 19)


def test_depth_ends_in_a_message() -> None:
    assert refused("(" * 5000 + ")" * 5000).hint
    assert refused("-" * 50_000 + "1").hint
    assert refused("1" * 5000).hint


@given(st.text())
def test_every_text_is_a_program_or_refused(source: str) -> None:
    try:
        result = program(source)
    except ExpressionError as error:
        assert error.hint and error.line >= 1 and error.column >= 0
    else:
        assert from_json(to_json(result)) == result
