"""Calls of tensors and of symbols: right outcomes and results pass, and wrong ones fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.results import Aspect
from conformance.scenarios import Check, Scenario
from conformance.scenarios.promises import keras_refusals, keras_symbols
from conformance.scenarios.promises.keras_refusals import REFUSED, Refused
from conformance.scenarios.promises.keras_symbols import TWINS, Twin
from conformance.scenarios.promises.symbolic_calls import TwofoldCall
from conformance.scenarios.recorder import Book
from tests.scenarios import running

SYMBOLIC = [call for call in REFUSED if not call.of_numbers]
REFUSES = "raises ValueError Exception"
ALIKE = {
    "both refused": (REFUSES, REFUSES, True),
    "both accepted": ("returns", "returns", True),
    "refused by the symbol": (REFUSES, "returns", True),
    "lacking": ("returns", "raises NotImplementedError RuntimeError Exception", True),
    "a mistake": ("returns", "raises AttributeError Exception", True),
    "late": ("returns", REFUSES, False),
}


def name_of(call: TwofoldCall) -> str:
    return f"{call.function}: {call.subject}"


def scenarios(book: Book, write: Any) -> list[Scenario]:
    """All scenarios that a function writes."""
    return [s for family in book.families_of(write) for s in family.make("keras-3")]  # type: ignore[union-attr]


def scenario_of(book: Book, write: Any, call: TwofoldCall) -> Scenario:
    name = f"keras.ops.{call.function}"
    (own,) = (s for s in scenarios(book, write) if (s.function, s.title) == (name, call.subject))
    return own


def check_of(scenario: Scenario, name: str) -> Check | None:
    return next((check for check in scenario.checks if check.name == name), None)


@pytest.mark.parametrize("call", SYMBOLIC, ids=name_of)
@pytest.mark.parametrize(("symbolic", "computed", "fine"), ALIKE.values(), ids=ALIKE.keys())
def test_symbols_are_refused_alike(call: Refused, symbolic: str, computed: str, fine: bool) -> None:
    scenario = scenario_of(keras_refusals.BOOK, keras_refusals.refused_alike, call)
    check = check_of(scenario, "refused alike")
    assert check is not None
    assert (running.tested(check, symbolic, computed) is None) is fine


@pytest.mark.parametrize("call", REFUSED, ids=name_of)
def test_a_call_that_a_section_excludes_is_refused(call: Refused) -> None:
    scenario = scenario_of(keras_refusals.BOOK, keras_refusals.refused_alike, call)
    check = check_of(scenario, "refused")
    assert (check is not None) is bool(call.section)
    if check is not None:
        assert running.tested(check, REFUSES) is None
        assert running.tested(check, "returns") is not None


@pytest.mark.parametrize("call", [call for call in REFUSED if call.late], ids=name_of)
def test_an_unknown_name_may_be_refused_late(call: Refused) -> None:
    scenario = scenario_of(keras_refusals.BOOK, keras_refusals.refused_alike, call)
    check = check_of(scenario, "refused alike")
    assert check is not None
    (late,) = check.alternatives
    outcomes = [tuple(map(running.value, [text])) for text in ("returns", REFUSES)]
    assert late.test(*outcomes) is None
    assert late.test(*outcomes[::-1]) is not None


@pytest.mark.parametrize("function", ["top_k", "rfft", "argpartition"])
def test_a_call_that_may_read_beyond_has_a_process_of_its_own(function: str) -> None:
    own = [c for c in REFUSED if c.function == function]
    own_processes = [scenario_of(keras_refusals.BOOK, keras_refusals.refused_alike, c) for c in own]
    assert own_processes
    assert all(scenario.setup for scenario in own_processes)


@pytest.mark.parametrize("call", [c for c in REFUSED if c.of_numbers], ids=name_of)
def test_only_the_computation_knows_the_numbers(call: Refused) -> None:
    scenario = scenario_of(keras_refusals.BOOK, keras_refusals.refused_alike, call)
    (check,) = scenario.checks
    assert check.name == "refused"
    assert check.conventions == tuple(call.conventions)


@pytest.mark.parametrize("call", [*SYMBOLIC, *TWINS], ids=name_of)
def test_symbols_have_the_shapes_and_the_dtypes_of_tensors(call: TwofoldCall) -> None:
    own, write = (
        (keras_refusals.BOOK, keras_refusals.refused_alike)
        if isinstance(call, Refused)
        else (keras_symbols.BOOK, keras_symbols.described_alike)
    )
    scenario = scenario_of(own, write, call)
    steps = scenario.program.steps
    symbols: list[dict[str, Any]] = [
        dict(step.kwargs) for step in steps if step.function == "placeholder"
    ]
    arrays = [(a.shape, a.dtype.name) for a in scenario.arrays.values()]
    complexes = sum(step.function.endswith(".view_as_complex") for step in steps[:2])
    if call.function == "view_as_complex" or not complexes:
        assert [(s["shape"], s["dtype"]) for s in symbols] == arrays
    else:
        assert [((*s["shape"], 2), s["dtype"]) for s in symbols] == [((3, 2), "complex64")]


def described(
    call: Twin, *, shapes: Sequence[Any], dtypes: Sequence[str], values: Any
) -> list[str]:
    """The names of the checks that fail for these results."""
    scenario = scenario_of(keras_symbols.BOOK, keras_symbols.described_alike, call)
    assert {check.aspect for check in scenario.checks} == {Aspect.STATIC_SHAPE, Aspect.DTYPE}
    own = {"the shape of the symbol": shapes, "the dtype of the symbol": dtypes}
    return [c.name for c in scenario.checks if running.tested(c, *own[c.name], values) is not None]


ONE, TWO = TWINS[0], next(call for call in TWINS if call.count == 2)
ZEROS = np.zeros((2, 3), "float32")


@pytest.mark.parametrize(
    ("shape", "dtype", "failing"),
    [
        ((2, 3), "float32", []),
        ((None, 3), "float32", []),
        (None, "float32", []),
        ((2, 4), "float32", ["the shape of the symbol"]),
        ((None, 4), "float32", ["the shape of the symbol"]),
        ((3,), "float32", ["the shape of the symbol"]),
        ((), "float32", ["the shape of the symbol"]),
        ((2, 3), "complex64", ["the dtype of the symbol"]),
        ((2, 4), "int32", ["the shape of the symbol", "the dtype of the symbol"]),
    ],
)
def test_a_symbol_has_the_shape_and_the_dtype(shape: Any, dtype: str, failing: list[str]) -> None:
    assert described(ONE, shapes=[shape], dtypes=[dtype], values=ZEROS) == failing


@pytest.mark.parametrize(
    ("shapes", "dtypes", "failing"),
    [
        ([(2,), (2, 2)], ["complex64", "complex64"], []),
        ([(2,), (2, 2)], ["complex64", "float32"], ["the dtype of the symbol"]),
        ([(2,), (2,)], ["complex64", "complex64"], ["the shape of the symbol"]),
        ([(2,)], ["complex64"], ["the shape of the symbol"]),
    ],
)
def test_each_symbol_has_the_shape_and_the_dtype(
    shapes: list[Any], dtypes: list[str], failing: list[str]
) -> None:
    values = [np.zeros(2, "complex64"), np.zeros((2, 2), "complex64")]
    assert described(TWO, shapes=shapes, dtypes=dtypes, values=values) == failing


@pytest.mark.parametrize("call", TWINS, ids=name_of)
def test_a_call_without_a_result_or_a_symbol_demands_nothing(call: Twin) -> None:
    scenario = scenario_of(keras_symbols.BOOK, keras_symbols.described_alike, call)
    steps = ScenarioTrial(scenario, scenario.function).batch.program.steps
    raising = {"placeholder", "constant", "operator.getitem", "keras.ops.view_as_complex"}
    assert {s.function for s in steps} - raising == {
        f"maybe.{scenario.function}",
        "maybe.int_shape",
        "maybe.dtype",
    }


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("third", ["returns", "raises IndexError LookupError Exception"])
def test_there_are_as_many_symbols_as_tensors(third: str, count: int) -> None:
    (scenario,) = scenarios(keras_symbols.BOOK, keras_symbols.counted_alike)
    (check,) = scenario.checks
    fine = (third == "returns") is (count == 3)
    assert (running.tested(check, third, (3,), [np.zeros(3)] * count) is None) is fine


TAKEN = {
    "both": ("returns", "returns", True),
    "neither": (REFUSES, REFUSES, True),
    "the symbol alone": ("returns", REFUSES, True),
    "the tensor alone": (REFUSES, "returns", False),
    "lacking": ("raises NotImplementedError RuntimeError Exception", "returns", True),
}


@pytest.mark.parametrize("call", [c for c in TWINS if c.covered], ids=name_of)
@pytest.mark.parametrize(("symbolic", "computed", "fine"), TAKEN.values(), ids=TAKEN.keys())
def test_symbols_are_taken_alike(call: Twin, symbolic: str, computed: str, fine: bool) -> None:
    scenario = scenario_of(keras_symbols.BOOK, keras_symbols.accepted_alike, call)
    (check,) = scenario.checks
    assert (running.tested(check, symbolic, computed) is None) is fine
