"""Likely calls: those that convict most functions come with every profile."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from conformance.engine import Task, plan
from conformance.engine.judging.calls import CallTrial
from conformance.engine.planning.likely import KINDS, likely_calls, likely_kinds
from conformance.engine.planning.profiles import DEFAULT, SMOKE, SURVEY, Profile
from conformance.generators.drawing import remade
from conformance.generators.tensors import references
from conformance.program import Binding
from conformance.specs import load

LISTS, _ = KINDS


def planned(function: str, profile: Profile = SURVEY) -> Task:
    (task,) = plan(load(), "keras-3", profile, 0, select=lambda name: name == function)
    return task


def bare_dtypes(function: str, profile: Profile) -> set[str]:
    """The dtypes of the planned symbolic tensors in calls that ask for no dtype."""
    trials = planned(function, profile).trials()
    calls = [trial.prepared.structure for trial in trials if isinstance(trial, CallTrial)]
    return {
        item.dtype
        for call in calls
        for item in call.program.inputs
        if call.arguments.get("dtype") is None and item.binding is Binding.PLACEHOLDER
    }


def bindings(function: str) -> list[list[Binding]]:
    """The bindings of the tensors of each likely call."""
    calls = likely_calls(load()[function], "keras-3", 0)
    return [[item.binding for item in draw.value.program.inputs] for _, draw in calls]


@pytest.mark.parametrize("function", ["keras.ops.softmax", "keras.ops.maximum"])
def test_the_survey_has_a_call_of_each_kind(function: str) -> None:
    task = planned(function)
    programs = {trial.key for trial in task.trials() if isinstance(trial, CallTrial)}
    calls = [
        task._call(draw.value) for _, draw in likely_calls(task.spec, "keras-3", task.own_seed)
    ]
    assert len(calls) == len(KINDS)
    assert programs.issuperset(call.key for call in calls)


def test_the_first_argument_is_a_list_beside_tensors() -> None:
    lists, _ = bindings("keras.ops.take_along_axis")
    assert lists == [Binding.PYTHON, Binding.CONSTANT]


def test_all_tensors_of_one_argument_are_lists() -> None:
    lists, _ = bindings("keras.ops.fft")
    assert {*lists} == {Binding.PYTHON}


def test_a_list_rests_on_the_convention_of_lists() -> None:
    (_, lists), (_, wide) = likely_calls(load()["keras.ops.softmax"], "keras-3", 0)
    assert lists.value.unsettled == ("python-input",)
    assert wide.value.unsettled == ()


def test_the_second_kind_has_float64() -> None:
    (_, _), (_, draw) = likely_calls(load()["keras.ops.softmax"], "keras-3", 0)
    assert [item.dtype for item in draw.value.program.inputs] == ["float64"]


def test_a_function_of_integers_has_no_call_of_float64() -> None:
    assert likely_kinds(load()["keras.ops.bitwise_and"], "keras-3") == [LISTS]


def test_an_edition_that_promises_nothing_of_symbols_has_none() -> None:
    assert likely_kinds(load()["softmax"], "keras-2.2") == []


def test_the_strategy_of_a_kind_makes_its_call_again() -> None:
    spec = load()["keras.ops.take_along_axis"]
    for kind, draw in likely_calls(spec, "keras-3", 0):
        again = remade(kind.strategy(spec, "keras-3"), draw.choices)
        assert again is not None
        assert again.program == draw.value.program
        assert again.unsettled == draw.value.unsettled


@pytest.mark.parametrize("function", ["keras.ops.prod", "keras.ops.mean"])
def test_default_calls_a_function_with_each_dtype_and_asks_for_none(function: str) -> None:
    assert bare_dtypes(function, DEFAULT).issuperset(load()[function].dtypes.probed)
    assert not bare_dtypes(function, SMOKE).issuperset(load()[function].dtypes.probed)


@pytest.mark.parametrize("first", [Binding.PYTHON, Binding.ARRAY, Binding.VARIABLE])
def test_default_has_calls_as_users_type_them(first: Binding) -> None:
    trials = planned("keras.ops.fmin", DEFAULT).trials()
    calls = [trial.prepared.structure for trial in trials if isinstance(trial, CallTrial)]
    forms = [[item.binding for item in call.program.inputs] for call in calls]
    assert [first, Binding.CONSTANT] in forms


def test_default_multiplies_integers_that_float32_rounds() -> None:
    trials = planned("keras.ops.matmul", DEFAULT).trials()
    drawn = [trial.prepared.arrays for trial in trials if isinstance(trial, CallTrial)]
    integers = [a for arrays in drawn for draw in arrays for a in draw.values() if a.dtype == "i4"]
    assert any((array.astype("f4") != array).any() for array in integers)


@pytest.mark.parametrize("function", ["keras.ops.tensordot", "keras.ops.vdot"])
def test_a_sum_of_products_with_far_integers_is_an_int32(function: str) -> None:
    calls = [t.prepared for t in planned(function, DEFAULT).trials() if isinstance(t, CallTrial)]
    far = [
        (call, arrays)
        for call in calls
        if not any(item.dtype.startswith(("float", "bf")) for item in call.structure.program.inputs)
        for arrays in call.arrays
        if any(a.size and np.abs(a.astype(float)).max() > 2**24 for a in arrays.values())
    ]
    assert far
    for call, arrays in far:
        first, *others = (np.abs(a.astype(float)) for a in arrays.values())
        passed = Counter(name for v in call.structure.arguments.values() for name in references(v))
        assert set(passed.values()) == {1}, "no tensor is multiplied by itself"
        assert all(other.max() <= 1 for other in others)
        assert first.max() * min(a.size for a in arrays.values()) < 2**31


def test_coordinates_that_are_floats_meet_no_far_integers() -> None:
    trials = planned("keras.ops.image.map_coordinates", DEFAULT).trials()
    drawn = [t.prepared.arrays for t in trials if isinstance(t, CallTrial)]
    integers = [
        a for arrays in drawn for draw in arrays for a in draw.values() if a.dtype.kind == "i"
    ]
    assert integers
    assert max(np.abs(array).max() for array in integers) < 2**24


def test_default_begins_with_the_calls_of_smoke() -> None:
    smoke, default = (
        [trial.key for trial in planned("keras.ops.prod", profile).trials()]
        for profile in (SMOKE, DEFAULT)
    )
    assert default[: len(smoke)] == smoke
