"""An argument that a symbolic call accepts and the computation refuses: no refusal of its form."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.judge import judge
from conformance.generators.twins import of_constants, with_program
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


def of_two_dtypes(*, symbolic: bool) -> Prepared:
    """A product of tensors of two dtypes, which rests on nothing else."""
    case = next(
        case
        for case in prepared("einsum", 600)
        if {i.binding for i in case.structure.program.inputs} <= SYMBOLS
        and "mixed-dtypes" in case.structure.unsettled
    )
    own = case.structure
    eager = with_program(own, of_constants(own.program), {})
    return case if symbolic else Prepared(eager, case.draws)


def finding_of(case: Prepared, stage: Any, message: str = WORDS) -> Finding | None:
    raised = Raised("ValueError", ("ValueError", "Exception"), message, stage, 0)
    draws = [DrawObservation(raised) for _ in case.draws]
    return next(iter(judge(case, StructureObservation((), (), tuple(draws))).findings), None)


def verdict(case: Prepared, stage: Any, message: str = WORDS) -> Verdict:
    finding = finding_of(case, stage, message)
    assert finding is not None
    return finding.verdict


@pytest.mark.parametrize("stage", ["call", "read"])
def test_an_accepted_form_is_not_refused_later(stage: str) -> None:
    assert verdict(with_axes(symbolic=True), stage) is Verdict.VIOLATES


def test_accepted_symbols_of_two_dtypes_are_not_refused_later() -> None:
    late = finding_of(of_two_dtypes(symbolic=True), "call", "expected scalar type Float")
    assert late is not None
    assert late.verdict is Verdict.VIOLATES
    assert {*late.at.values()} == {"keras.KerasTensor: Example"}


@pytest.mark.parametrize("symbolic", [True, False])
def test_two_dtypes_may_be_refused_at_once(symbolic: bool) -> None:
    early = finding_of(of_two_dtypes(symbolic=symbolic), "step", "expected scalar type Float")
    assert early is None or early.verdict is not Verdict.VIOLATES


def test_a_symbolic_call_may_refuse_the_form() -> None:
    assert verdict(with_axes(symbolic=True), "step") is not Verdict.VIOLATES


def test_a_call_on_tensors_may_refuse_the_form() -> None:
    assert verdict(with_axes(symbolic=False), "step") is not Verdict.VIOLATES


def test_a_backend_may_lack_the_form() -> None:
    later = verdict(with_axes(symbolic=True), "call", "median only supports one axis")
    assert later is not Verdict.VIOLATES
