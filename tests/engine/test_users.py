"""Arrays of every layout, one tensor twice, None in so many words, dimensions of which some are
known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from conformance.engine import PROFILES
from conformance.oracle.evaluate import ORACLES
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.oracle.gradients import Place
from conformance.program import Layout, from_json
from conformance.results import Aspect, Failure, Verdict
from conformance.specs import load
from tests.engine.support import ROOT, Outcome, examine, fake, module, run_script

X = np.array([[0.5, -1.25], [2.0, 0.75]])
PROFILE = replace(
    PROFILES["default"],
    structures=60,
    values=("ordinary", "integers"),
    scenarios=1,
    gradients=1,
)
"""Many structures and few draws: what is looked for is in the structure."""


@cache
def outcome(name: str, function: str) -> Outcome:
    tested = module(name, ROOT) if "." in name else fake(name)
    return examine(tested, (function,), PROFILE)


def failures(name: str, function: str, aspect: Aspect = Aspect.VALUE) -> list[Failure]:
    """The violations and divergences of an aspect that the correct fake has not."""
    usual = {f.id for f in outcome("correct", function).aspect(function, aspect).failures}
    found = outcome(name, function).aspect(function, aspect).failures
    return [f for f in found if f.id not in usual]


def layouts(failure: Failure) -> set[Layout]:
    """The layouts of the arrays that show the failure."""
    assert failure.program is not None
    return {item.layout for item in from_json(failure.program).inputs}


@pytest.mark.parametrize(
    ("name", "to_blame"),
    [
        ("ignores_strides", {Layout.STRIDED, Layout.FORTRAN}),
        ("fortran_as_c", {Layout.FORTRAN}),
        ("swaps_bytes", {Layout.SWAPPED}),
    ],
)
def test_a_layout_that_is_misread_violates(name: str, to_blame: set[Layout]) -> None:
    found = [f for f in failures(name, "exp") if f.verdict is Verdict.VIOLATES]
    assert found
    assert all(layouts(f) & to_blame for f in found)
    assert found[0].script is not None
    assert run_script(found[0].script).returncode == 1


def test_one_tensor_as_two_arguments_is_tried() -> None:
    (found,) = failures("one_tensor_once", "maximum")
    assert found.verdict is Verdict.VIOLATES
    assert found.program is not None
    assert len(from_json(found.program).inputs) == 1


def test_none_is_passed_where_it_is_the_default() -> None:
    found = [f for f in failures("takes_none_for_zero", "sum") if "None" in f.message]
    assert Verdict.VIOLATES in {f.verdict for f in found}


def test_some_dimensions_are_known() -> None:
    found = failures("mixes_known_dimensions", "exp", Aspect.STATIC_SHAPE)
    assert {f.kind for f in found if f.verdict is Verdict.VIOLATES} == {"contradiction"}


@pytest.mark.parametrize("function", ["exp", "maximum", "sum"])
def test_who_takes_them_all_conforms(function: str) -> None:
    verdicts = outcome("conformance.reference", function).verdicts()
    assert {*verdicts.values()} == {Verdict.CONFORMS}


@pytest.mark.parametrize(
    ("function", "arguments", "same"),
    [
        ("dot", {"x": X, "y": X}, (("x", None), ("y", None))),
        ("batch_dot", {"x": X, "y": X, "axes": 1}, (("x", None), ("y", None))),
        (
            "concatenate",
            {"tensors": [X, X], "axis": 0},
            (("tensors", 0), ("tensors", 1)),
        ),
    ],
)
def test_the_gradient_of_one_tensor_twice_is_the_sum_of_both_paths(
    function: str, arguments: dict[str, Any], same: tuple[Place, ...]
) -> None:
    spec = load()[function]
    assert spec.accuracy is not None
    result = ORACLES[function](**arguments)
    weights = np.arange(1.0, 1 + result.size).reshape(result.shape)
    both = WeightedGradient(function, arguments, weights, spec.accuracy, same=(same,))
    each = replace(both, same=())
    total = np.sum([each.slopes[place].value for place in same], axis=0)
    assert not both.outside(same[0], total).any()
    assert both.outside(same[0], each.slopes[same[0]].value).any()
