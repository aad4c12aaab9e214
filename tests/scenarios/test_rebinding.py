"""Scenarios with variables in the place of placeholders: they show the same, right and wrong."""

from __future__ import annotations

from typing import Any

import pytest

import conformance.reference as K  # noqa: N812
from conformance.engine import PROFILES
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.results import Verdict
from conformance.scenarios import Scenario
from conformance.scenarios.rebinding import in_variables
from tests.engine.support import tasks
from tests.scenarios.in_process import findings, module


def planned(function: str) -> list[Scenario]:
    """The scenarios of a function that have placeholders which are fed once."""
    (task,) = tasks([function], PROFILES["default"])
    every = (trial.scenario for trial in task.trials() if isinstance(trial, ScenarioTrial))
    return [scenario for scenario in every if in_variables(scenario) is not None]


def rebound(scenario: Scenario) -> Scenario:
    variant = in_variables(scenario)
    assert variant is not None
    return variant


def refuses_scalars(shape: Any = None, ndim: Any = None, dtype: Any = None) -> Any:
    """A placeholder, but for those of no dimensions."""
    if shape == ():
        raise ValueError("at least 1 dimension is needed")
    return K.placeholder(shape, ndim, dtype)


@pytest.mark.parametrize("function", ["switch", "in_train_phase", "dropout"])
def test_the_reference_passes_with_variables(function: str) -> None:
    scenarios = planned(function)
    assert scenarios
    assert not [f for s in scenarios for f in findings(rebound(s), module())]


def test_scalars_are_made_where_placeholders_of_them_cannot_be() -> None:
    target = module(placeholder=refuses_scalars)
    lost = [s for s in planned("switch") if findings(s, target)]
    assert lost
    assert not [f for s in lost for f in findings(rebound(s), target)]


def test_the_wrong_branch_is_found_with_variables() -> None:
    def other(condition: Any, first: Any, two: Any) -> Any:
        return K.switch(condition, two, first)

    problems = [f for s in planned("switch") for f in findings(rebound(s), module(switch=other))]
    assert Verdict.VIOLATES in {finding.verdict for finding in problems}


def test_what_is_about_feeding_keeps_its_placeholders() -> None:
    assert not planned("function")
