"""An argument that a symbolic call accepts and the computation refuses: no refusal of its form."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.judge import judge
from conformance.observations import DrawObservation, Raised, StructureObservation
from conformance.program import Binding
from conformance.results import Verdict
from tests.engine.keras_calls import prepared

SYMBOLS = {Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE}
EAGER = {Binding.CONSTANT, Binding.ARRAY}
FORMS = {"several-axes", "negative-axis"}
WORDS = "shifts and dimensions must align"


def with_axes(*, symbolic: bool) -> Prepared:
    """A call of `roll` along several axes."""
    return next(
        case
        for case in prepared("roll", 200)
        if isinstance(case.structure.arguments.get("axis"), (list, tuple))
        and {i.binding for i in case.structure.program.inputs} <= (SYMBOLS if symbolic else EAGER)
        and {*case.structure.conventions("ordinary")} <= FORMS | {"array-input"}
    )


def verdict(case: Prepared, stage: Any, message: str = WORDS) -> Verdict:
    raised = Raised("ValueError", ("ValueError", "Exception"), message, stage, 0)
    draws = [DrawObservation(raised) for _ in case.draws]
    findings = judge(case, StructureObservation((), (), tuple(draws))).findings
    return findings[0].verdict


@pytest.mark.parametrize("stage", ["call", "read"])
def test_an_accepted_form_is_not_refused_later(stage: str) -> None:
    assert verdict(with_axes(symbolic=True), stage) is Verdict.VIOLATES


def test_a_symbolic_call_may_refuse_the_form() -> None:
    assert verdict(with_axes(symbolic=True), "step") is not Verdict.VIOLATES


def test_a_call_on_tensors_may_refuse_the_form() -> None:
    assert verdict(with_axes(symbolic=False), "step") is not Verdict.VIOLATES


def test_a_backend_may_lack_the_form() -> None:
    later = verdict(with_axes(symbolic=True), "call", "median only supports one axis")
    assert later is not Verdict.VIOLATES
