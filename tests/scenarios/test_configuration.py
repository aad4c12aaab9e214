"""Scenarios of settings and of what a tensor is: right answers pass, wrong ones are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import conformance.reference as K  # noqa: N812
from conformance.editions import Edition
from conformance.reference.symbolic.graph import Tensor
from conformance.results import Aspect
from conformance.scenarios import Scenario
from conformance.scenarios.configuration import process_settings
from conformance.scenarios.introspection import tensors
from conformance.specs import load, load_conventions
from tests.scenarios.running import problems, value

EDITION: Edition = "keras-2.2"
EVERY = (*process_settings.FAMILIES, *tensors.FAMILIES)
FAMILIES = [f for f in EVERY if EDITION in f.editions]


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """The settings as every worker has them before a scenario."""
    reset()
    yield
    reset()


def reset() -> None:
    """The defaults."""
    K.set_floatx("float32")
    K.set_epsilon(1e-07)
    K.set_image_data_format("channels_last")


def fixed(function: str) -> list[Scenario]:
    """The scenarios of a function that are always the same, without those that need layers."""
    scenarios = [f.make(EDITION) for f in FAMILIES if f.function == function]
    single = [s for m in scenarios if not isinstance(m, SearchStrategy) for s in m]
    return [s for s in single if not any("keras." in t.function for t in s.program.steps)]


def drawn(function: str, edition: Edition = EDITION) -> SearchStrategy[Scenario]:
    """Those that are drawn."""
    strategies = [f.make(edition) for f in FAMILIES if f.function == function]
    return st.one_of(*(m for m in strategies if isinstance(m, SearchStrategy)))


def problems_of(function: str) -> dict[str, Any]:
    """What the fixed scenarios of a function find, by the names of the checks."""
    every: dict[str, Any] = {}
    for scenario in fixed(function):
        reset()
        every |= problems(scenario)
    return every


FIXED = sorted({f.function for f in FAMILIES} - {"int_shape", "ndim", "dtype", "count_params"})


@pytest.mark.parametrize("function", FIXED)
def test_the_reference_does_what_the_documents_say(function: str) -> None:
    assert fixed(function)
    assert problems_of(function) == {}


@pytest.mark.parametrize(
    "function", ["int_shape", "ndim", "dtype", "count_params", "cast_to_floatx"]
)
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_reference_knows_its_tensors(function: str, data: st.DataObject) -> None:
    reset()
    assert problems(data.draw(drawn(function))) == {}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.function)
def test_aspects_and_conventions_are_announced(family: Any) -> None:
    scenarios = family.make(EDITION)
    if isinstance(scenarios, SearchStrategy):
        return
    for scenario in scenarios:
        assert {c.aspect for c in scenario.checks} <= family.aspects
        named = {*scenario.conventions, *(n for c in scenario.checks for n in c.conventions)}
        assert named <= set(load_conventions())


Wrong = Callable[..., Any]


@pytest.mark.parametrize(
    ("function", "replaced", "wrong", "check"),
    [
        ("backend", "backend", lambda: 3, "a name"),
        ("backend", "backend", lambda: "", "a name"),
        ("epsilon", "epsilon", lambda: 1e-07, "the value set is read back"),
        ("epsilon", "epsilon", lambda: 1, "the kind of value"),
        ("set_epsilon", "set_epsilon", lambda _: None, "the value set is read back"),
        ("set_epsilon", "set_epsilon", lambda _: None, "epsilon is used"),
        ("set_epsilon", "set_epsilon", lambda _: None, "an invalid value"),
        ("floatx", "floatx", lambda: "float32", "the value set is read back"),
        ("floatx", "floatx", lambda: "double", "the kind of value"),
        ("set_floatx", "zeros", lambda s: K.variable(np.zeros(s), "float32"), "the default dtype"),
        ("set_floatx", "floatx", lambda: "float32", "the setting after an exception"),
        ("cast_to_floatx", "cast_to_floatx", np.array, "the dtype"),
        (
            "cast_to_floatx",
            "cast_to_floatx",
            lambda x: np.floor(x).astype(K.floatx()),
            "the numbers",
        ),
        ("image_data_format", "image_data_format", lambda: "tf", "the kind of value"),
        (
            "set_image_data_format",
            "bias_add",
            lambda x, b, data_format="channels_last": K.variable(np.zeros(len(data_format))),
            "the default layout",
        ),
        ("is_keras_tensor", "is_keras_tensor", lambda x: isinstance(x, Tensor), "the answer"),
        ("is_keras_tensor", "is_keras_tensor", lambda _: False, "no tensor"),
        ("is_tensor", "is_tensor", lambda _: True, "the answer"),
        ("is_tensor", "is_tensor", lambda _: 1, "the answer"),
        ("is_placeholder", "is_placeholder", lambda x: isinstance(x, Tensor), "the answer"),
        ("cast", "cast", lambda x, dtype: x, "other dtypes"),
        ("cast", "cast", lambda x, dtype: x, "the dtype of the cast"),
    ],
)
def test_a_wrong_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, function: str, replaced: str, wrong: Wrong, check: str
) -> None:
    monkeypatch.setattr(K, replaced, wrong)
    assert check in problems_of(function)


@pytest.mark.parametrize(
    ("function", "wrong", "check", "conventions"),
    [
        ("int_shape", lambda x: list(x.shape), "a tuple", ()),
        ("int_shape", lambda _: None, "a tuple", ()),
        ("int_shape", lambda x: (None,) * x.ndim, "the dimensions", ("precise-static-shape",)),
        ("int_shape", lambda x: tuple(d and d + 1 for d in x.shape), "the dimensions", ()),
        ("int_shape", lambda x: (*x.shape, 1), "the dimensions", ()),
        ("int_shape", lambda x: tuple(d and d * 1.0 for d in x.shape), "the dimensions", ()),
        ("ndim", lambda x: x.ndim + 1, "the rank", ()),
        ("ndim", lambda x: float(x.ndim), "the rank", ()),
        ("count_params", lambda x: float(np.prod(x.shape)), "the number of elements", ()),
        ("count_params", lambda x: sum(x.shape), "the number of elements", ()),
        ("dtype", lambda x: f"{x.dtype}_ref", "the dtype", ()),
        ("dtype", lambda x: x.dtype.upper(), "the dtype", ()),
    ],
)
def test_a_wrong_answer_on_some_tensor_is_told(
    monkeypatch: pytest.MonkeyPatch, function: str, wrong: Wrong, check: str, conventions: Any
) -> None:
    monkeypatch.setattr(K, function, wrong)
    seen = []

    @given(drawn(function))
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    def search(scenario: Scenario) -> None:
        problem = problems(scenario).get(check)
        if problem is not None:
            seen.append(problem.conventions)

    search()
    assert conventions in seen


@pytest.mark.parametrize(("edition", "is_told"), [("keras-1", False), ("keras-2.2", True)])
def test_a_number_of_elements_is_an_integer_where_the_document_says_so(
    monkeypatch: pytest.MonkeyPatch, edition: Edition, is_told: bool
) -> None:
    monkeypatch.setattr(K, "count_params", lambda x: float(np.prod(x.shape)))
    seen = []

    @given(drawn("count_params", edition))
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    def search(scenario: Scenario) -> None:
        seen.append("the number of elements" in problems(scenario))

    search()
    assert any(seen) is is_told


def test_the_script_of_what_is_no_integer_looks_at_its_dtype() -> None:
    problem = tensors._is_integer(1, (value(1.0),))
    assert problem is not None
    names = {"np": np}
    assert eval(problem.fault, {**names, "first": 1.0})
    assert not eval(problem.fault, {**names, "first": 1})


def test_a_dtype_with_a_suffix_is_a_reading_for_variables_only() -> None:
    seen = set()

    @given(drawn("dtype"))
    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    def search(scenario: Scenario) -> None:
        (check,) = scenario.checks
        named = [(a.convention, a.reading) for a in check.alternatives]
        variable = scenario.title == "dtype of a variable"
        assert named == ([("plain-dtype", "_ref")] if variable else [])
        for other in check.alternatives:
            expected = check.demands.strip("'")
            assert other.test((value(f"{expected}_ref"),)) is None
            assert other.test((value("float8_ref"),)) is not None
        seen.add(variable)

    search()
    assert seen == {True, False}


def test_lines_are_those_of_the_documents_that_have_the_function() -> None:
    specs = load()
    for family in FAMILIES:
        scenarios = family.make(EDITION)
        for scenario in () if isinstance(scenarios, SearchStrategy) else scenarios:
            for check in scenario.checks:
                assert set(check.at) <= set(specs[scenario.function].signatures)


def test_every_aspect_has_a_claim_or_a_convention() -> None:
    specs = load()
    for family in FAMILIES:
        claimed = {c.aspect for c in specs[family.function].claims}
        scenarios = family.make(EDITION)
        for scenario in () if isinstance(scenarios, SearchStrategy) else scenarios:
            for check in scenario.checks:
                settled = check.at or check.conventions or scenario.conventions
                assert settled or str(check.aspect) in claimed, (family.function, check.name)
    assert Aspect.CONFIGURATION not in {a for f in FAMILIES for a in f.aspects}
