"""What an environment falls short of is no failure of the implementation in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.adapters import registry
from conformance.cli.targets.subjects import subject as subject_of
from conformance.engine.judging.refusals import refuses_by_name
from conformance.engine.judging.shortfalls import SHORT, with_shortfalls
from conformance.observations import DrawObservation, Raised, Returned, StructureObservation
from conformance.results import Aspect, Verdict
from tests.engine.support import TINY, examine, module

LACKS = {"has no attribute 'ops'": "the library is too new"}
RAISED = Raised(
    "AttributeError", ("AttributeError",), "module 'lib' has no attribute 'ops'", "step"
)

OLD = """
from conformance.reference import *

def tanh(x):
    raise AttributeError("module 'lib' has no attribute 'ops'")

def sin(x):
    raise AttributeError("another attribute")

def switch(condition, then_expression, else_expression):
    raise AttributeError("module 'lib' has no attribute 'ops'")
"""


def test_an_exception_that_shows_a_shortfall_becomes_a_refusal_with_the_reason() -> None:
    before = StructureObservation((), (), (DrawObservation(RAISED), DrawObservation(Returned({}))))
    refused, other = with_shortfalls(before, LACKS).draws
    assert isinstance(refused.outcome, Raised)
    assert refused.outcome.type == SHORT
    assert refused.outcome.message.startswith("the library is too new (AttributeError: ")
    assert refuses_by_name(refused.outcome)
    assert other is not None
    assert other.outcome == before.draws[1].outcome
    assert with_shortfalls(before, {}) is before


def test_a_function_that_fails_for_its_environment_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD, encoding="utf-8")
    target = replace(module("old", tmp_path), shortfalls=LACKS)
    outcome = examine(target, ("tanh", "sin", "switch"), replace(TINY, structures=12))
    verdicts = outcome.verdicts()
    assert verdicts["tanh", Aspect.VALUE] is Verdict.UNSUPPORTED
    assert verdicts["switch", Aspect.VALUE] is Verdict.UNSUPPORTED
    assert verdicts["sin", Aspect.VALUE] is Verdict.VIOLATES
    settled = [f for f in outcome.aspect("tanh", Aspect.VALUE).failures if not f.convention]
    assert "the library is too new" in settled[0].message
    assert "not to be seen in this environment" in settled[0].message


def test_a_target_says_what_its_environment_falls_short_of() -> None:
    targets = registry.shipped()
    old = subject_of(targets["keras-1.0.8-tensorflow"])
    assert [text.rpartition(" ")[2] for text in old.shortfalls] == [
        "'control_flow_ops'",
        "'ctc'",
        "loop",
    ]
    assert not subject_of(targets["keras-2.2.4-tensorflow"]).shortfalls
