"""Arrays of every layout, one tensor twice, None in so many words, dimensions of which some are
known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

from conformance.adapters.session import Session
from conformance.engine import PROFILES
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Array, Prepared
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.judge import judge
from conformance.generators import Draw
from conformance.generators.classes import DTYPE
from conformance.generators.structure import expected_shape
from conformance.observations import (
    DrawObservation,
    Raised,
    Returned,
    StructureObservation,
    Value,
)
from conformance.oracle.batches import Place
from conformance.oracle.evaluate import ORACLES
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.program import Binding, Layout, from_json
from conformance.results import Aspect, Failure, FindingKind, Verdict
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from tests.adapters.support import launch
from tests.engine.support import ROOT, Outcome, examine, fake, module, run_script
from tests.generators.support import demanded

X = np.array([[0.5, -1.25], [2.0, 0.75]])
PROFILE = replace(
    PROFILES["default"],
    structures=60,
    values=("ordinary", "integers"),
    scenarios=1,
    gradients=1,
    contains=None,
)
"""Many structures and few draws: what is looked for is in the structure."""


@cache
def outcome(name: str, function: str) -> Outcome:
    tested = module(name, ROOT) if "." in name else fake(name)
    return examine(tested, (function,), PROFILE)


def failures(name: str, function: str, aspect: Aspect = Aspect.VALUE) -> list[Failure]:
    """The violations and divergences of an aspect that the correct fake has not."""
    usual = {f.id for f in outcome("correct", function).aspect(function, aspect).failures}
    all_failures = outcome(name, function).aspect(function, aspect).failures
    return [f for f in all_failures if f.id not in usual]


def layouts(failure: Failure) -> set[Layout]:
    """The layouts of the arrays that show the failure."""
    assert failure.program is not None
    return {item.layout for item in from_json(failure.program).inputs}


MISREAD = [
    ("ignores_strides", Layout.STRIDED, Binding.PLACEHOLDER),
    ("ignores_strides", Layout.FORTRAN, Binding.PLACEHOLDER),
    ("fortran_as_c", Layout.FORTRAN, Binding.VARIABLE),
    ("swaps_bytes", Layout.SWAPPED, Binding.PLACEHOLDER),
]


@pytest.mark.parametrize(("name", "layout", "binding"), MISREAD)
def test_a_layout_that_is_misread_violates(name: str, layout: Layout, binding: Binding) -> None:
    trials = laid_out(layout, binding)
    assert trials
    for trial in trials:
        assert not findings("correct", trial)
        wrong = [f.verdict for f in findings(name, trial) if f.aspect is Aspect.VALUE]
        assert wrong == [Verdict.VIOLATES]


def laid_out(layout: Layout, binding: Binding) -> list[CallTrial]:
    """A few calls of `exp` with arrays of this layout."""
    made_by = {Binding.PLACEHOLDER: "fed", Binding.VARIABLE: "variable"}
    classes = {"layout": str(layout), DTYPE: "float32", "x binding": made_by[binding]}
    drawn = demanded("exp", classes, 30)
    several = (s for s in drawn if s.program.inputs[0].static_shape[-1:] > (1,))
    return [CallTrial(Prepared(s, [Draw("ordinary", 1)])) for s in islice(several, 3)]


def findings(name: str, trial: CallTrial) -> list[Finding]:
    """What a fake's answer shows."""
    with Session(launch(name), functions=["exp"]) as session:
        return trial.judge(session.run_batch(trial.batch)).findings


def test_the_plan_has_layouts_and_a_script_shows_them() -> None:
    violating = [f for f in failures("fortran_as_c", "exp") if f.verdict is Verdict.VIOLATES]
    violating += [f for f in failures("ignores_strides", "exp") if f.verdict is Verdict.VIOLATES]
    assert violating
    assert all(layouts(f) & {Layout.STRIDED, Layout.FORTRAN} for f in violating)
    assert violating[0].script is not None
    assert run_script(violating[0].script).returncode == 1


def test_one_tensor_as_two_arguments_is_tried() -> None:
    (failure,) = failures("one_tensor_once", "maximum")
    assert failure.verdict is Verdict.VIOLATES
    assert failure.program is not None
    assert len(from_json(failure.program).inputs) == 1


def test_none_is_passed_where_it_is_the_default() -> None:
    refusing = [f for f in failures("takes_none_for_zero", "sum") if "None" in f.message]
    assert Verdict.VIOLATES in {f.verdict for f in refusing}


def test_some_dimensions_are_known() -> None:
    shape_failures = failures("mixes_known_dimensions", "exp", Aspect.STATIC_SHAPE)
    assert {f.kind for f in shape_failures if f.verdict is Verdict.VIOLATES} == {"contradiction"}


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


def _mixed() -> Prepared:
    """A call with tensors of both floating dtypes, which rests on nothing else."""
    drawn = demanded("maximum", {"mixed dtypes": "float32 then float64"}, 60)
    alone = (s for s in drawn if s.unsettled == (ConventionName.MIXED_DTYPES,))
    return Prepared(next(s for s in alone if expected_shape(s)), [Draw("ordinary", 1)])


def _judgement(outcome: Array | Raised) -> Judgement:
    value = outcome if isinstance(outcome, Raised) else Returned({"result": (_value(outcome),)})
    return judge(_mixed(), StructureObservation((), (), (DrawObservation(value),)))


def _value(array: Array) -> Value:
    return Value(array, array.dtype.name, "ndarray")


def test_two_dtypes_in_one_call_may_be_refused_or_taken_but_not_be_wrong() -> None:
    right = _mixed().expectation(0).value
    refused = _judgement(Raised("TypeError", ("TypeError",), "float32 and float64", "call", None))
    assert not refused.findings
    assert (Aspect.VALUE, "mixed-dtypes: refused") in refused.readings
    assert not _judgement(right.astype(_mixed().dtypes[0])).findings
    (wrong,) = _judgement(np.zeros_like(right)).findings
    assert wrong.verdict is Verdict.VIOLATES
    assert wrong.open_points == (ConventionName.MIXED_DTYPES,)


def test_a_refusal_while_an_input_is_made_is_none_of_the_call() -> None:
    unmade = _judgement(Raised("TypeError", ("TypeError",), "no float64", "bind", None))
    assert [f.kind for f in unmade.findings] == [FindingKind.UNMADE_INPUT]
