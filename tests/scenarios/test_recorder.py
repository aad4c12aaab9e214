"""The recorder: what a function of K becomes, and the example of the page and of the docstring."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.program import Function, Ref, Step
from conformance.results import Aspect
from conformance.scenarios import Family, recorder
from conformance.scenarios.checks import is_array, returns
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs import load
from tests.scenarios.in_process import drawn, findings, module

PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"


def recording() -> Recorder:
    return Recorder("square", "keras-2.2", "a title")


def test_a_call_is_a_step_and_its_result_an_argument() -> None:
    K = recording()
    x = K.variable(K.array("start", [1, 2], "float32"), dtype="float32")
    K.eval(K["square"](2.0 * x - x[0])).output("value")
    functions = [step.function for step in K.program().steps]
    assert functions == [
        "variable", "operator.mul", "operator.getitem", "operator.sub", "square", "eval",
    ]  # fmt: skip
    assert K.program().steps[1] == Step("mul_1", "operator.mul", (2.0, Ref("variable_0")))
    assert K.program().steps[-1] == Step("value", "eval", (Ref("square_4"),))
    assert K.program().outputs == ("value",)
    np.testing.assert_array_equal(K.arrays["start"], np.array([1, 2], "float32"))


def test_what_numpy_has_on_the_left_is_a_step_too() -> None:
    K = recording()
    (np.ones(2) * K.variable(1.0)).output("product")
    (step,) = K.program().steps[1:]
    assert step.args == (Ref("array_0"), Ref("variable_0"))


def test_a_python_function_is_a_callable_of_the_program() -> None:
    K = recording()

    def step(x: Result, states: Result) -> Any:
        total = x + states[0]
        return total, [total]

    K.rnn(step, K.placeholder(shape=(2, 3)), [])
    total = Ref("add_1")
    inner = (
        Step("getitem_0", "operator.getitem", (Ref("states"), 0)),
        Step("add_1", "operator.add", (Ref("x"), Ref("getitem_0"))),
    )
    outer = K.program().steps[-1]
    assert outer.args[0] == Function("step", ("x", "states"), inner, (total, [total]))
    assert outer.result == "rnn_1"


def test_a_lambda_has_a_name_too() -> None:
    K = recording()
    K.map_fn(lambda x: x * x, K.variable([1.0]))
    assert K.program().steps[-1].args[0].name == "fn"  # type: ignore[union-attr]


def test_a_result_is_named_where_it_is_made() -> None:
    K = recording()
    x = K.variable(1.0)
    K.square(x)
    with pytest.raises(ValueError, match="variable_0 is not the latest step"):
        x.output("late")


def test_a_result_cannot_be_unpacked() -> None:
    with pytest.raises(TypeError):
        list(recording().variable(1.0))  # type: ignore[call-overload]


def test_what_is_expected_of_is_an_output() -> None:
    K = recording()
    attempt = K.attempt(K.square, "x")
    K.expect("it is taken", attempt, returns, "no exception")
    assert K.program().outputs == ("square_0",)
    assert K.program().steps[0].attempt
    assert [check.outputs for check in K.scenario().checks] == [("square_0",)]


def families(**parameters: Any) -> tuple[Family, ...]:
    book = Book()

    @book.scenario(("square", "abs"), "{function} of {x}", Aspect.STATE, share=0.5, **parameters)
    def write(K: Recorder, x: int) -> None:
        K.expect("the value", K[K.tested](x), is_array(x), str(x))

    return book.families


def test_each_function_has_a_family_with_all_combinations() -> None:
    of_square, of_abs = families(x=(1, 2))
    assert (of_square.function, of_abs.function) == ("square", "abs")
    scenarios = list(of_abs.make("keras-1"))  # type: ignore[arg-type]
    assert [scenario.title for scenario in scenarios] == ["abs of 1", "abs of 2"]
    assert {check.aspect for s in scenarios for check in s.checks} == {Aspect.STATE}


def test_a_parameter_with_a_strategy_is_drawn() -> None:
    of_square, _ = families(x=st.integers(1, 9))
    strategy = of_square.make("keras-1")
    assert isinstance(strategy, SearchStrategy)
    assert len({scenario.title for scenario in drawn(strategy, 20)}) > 3
    assert of_square.share == 0.5


def test_a_function_with_draw_is_drawn() -> None:
    book = Book()

    @book.scenario("square", "numbers")
    def write(K: Recorder, draw: DrawFn) -> None:
        K.square(draw(st.integers(0, 1000))).output("value")

    (family,) = book.families
    programs = {scenario.program for scenario in drawn(family.make("keras-1"), 20)}  # type: ignore[arg-type]
    assert len(programs) > 5


def test_no_attribute_hides_a_function_of_the_library() -> None:
    own = {name for name in dir(recording()) if not name.startswith("_")}
    assert not own & {*load(), *load().aliases()}


@pytest.mark.parametrize("place", ["page", "docstring"])
def test_the_example_records_and_the_reference_passes_it(place: str) -> None:
    if place == "page":
        (code,) = re.findall(r"## Writing one.*?```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    else:
        indented = re.search(r"(    BOOK = Book.*?BOOK\.families\n)", recorder.__doc__ or "", re.S)
        assert indented is not None
        code = textwrap.dedent(indented[1])
    names: dict[str, Any] = {
        "Aspect": Aspect, "Book": Book, "Recorder": Recorder, "is_array": is_array, "np": np,
    }  # fmt: skip
    exec(code, names)
    scenarios = [scenario for family in names["FAMILIES"] for scenario in family.make("keras-2.2")]
    assert [s.title.rpartition(" ")[0] for s in scenarios] in (
        ["a new value in"] * 2,
        ["a new"] * 2,
    )
    assert not [f for scenario in scenarios for f in findings(scenario, module())]
