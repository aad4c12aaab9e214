"""Calls with values that docstrings exclude, judged: accepted, refused, refused too late."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.session import Session
from conformance.engine import Subject
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.generators import Draw
from conformance.generators.exclusions import excluded_calls, exclusions, symbolic
from conformance.generators.structure import Structure
from conformance.observations import (
    DrawObservation,
    Outcome,
    Raised,
    Returned,
    Stage,
    StructureObservation,
    Value,
)
from conformance.results import Aspect, Verdict
from conformance.scripts import Prelude
from conformance.specs import load
from tests.adapters.ops_packages import CONVERTS, NAME, launched, package
from tests.engine.support import TINY, examine

SPEC = load()["keras.ops.softmax"]
(AXIS,) = exclusions(SPEC, "keras-3")
CALL = excluded_calls(SPEC, "keras-3", AXIS, 1, 0).draws[0].value
RESULT = Returned({"result": (Value(np.zeros(2), "float32", "ndarray"),)})


def raising(stage: Stage) -> Raised:
    """An exception that nobody documents."""
    return Raised("IndexError", ("IndexError", "Exception"), "no such axis", stage, 0)


def findings(structure: Structure, outcome: Outcome) -> list[Finding]:
    """The findings on one outcome."""
    trial = CallTrial(Prepared(structure, [Draw("ordinary", 0)]))
    judged = trial.judge(StructureObservation((), (), (DrawObservation(outcome),)))
    assert judged.cases == {Aspect.ERROR: 1}
    return judged.findings


@pytest.mark.parametrize("structure", [CALL, symbolic(CALL)])
def test_to_accept_violates(structure: Structure) -> None:
    (finding,) = findings(structure, RESULT)
    assert (finding.aspect, finding.verdict) == (Aspect.ERROR, Verdict.VIOLATES)
    assert finding.kind == "axis out of range"
    assert finding.at == {"keras-3.15.1": "Args"}
    assert finding.demands == "an exception unless axis counts axes that the tensor has"


@pytest.mark.parametrize("structure", [CALL, symbolic(CALL)])
def test_any_exception_of_the_call_is_right(structure: Structure) -> None:
    assert findings(structure, raising("step")) == []


def test_an_eager_result_may_raise_when_it_is_read() -> None:
    assert findings(CALL, raising("call")) == []


@pytest.mark.parametrize("stage", ["compile", "call", "read"])
def test_symbols_are_refused_at_once(stage: Stage) -> None:
    (finding,) = findings(symbolic(CALL), raising(stage))
    assert finding.verdict is Verdict.VIOLATES
    assert finding.kind == "axis out of range, symbolic"
    assert finding.demands.startswith("an exception of the symbolic call")


def test_a_mistake_of_the_code_shows_no_refusal_where_a_convention_rules_the_input_out() -> None:
    mistake = Raised("TypeError", ("TypeError",), "can only concatenate tuple to list", "call", 0)
    refusal = Raised("ValueError", ("ValueError",), "strides must be positive", "call", 0)
    assert findings(symbolic(BACKWARDS), mistake) == []
    (finding,) = findings(symbolic(BACKWARDS), refusal)
    assert finding.demands.endswith("as of the computation")
    assert findings(symbolic(CALL), mistake), "a docstring rules this axis out"


UNFOLD = load()["keras.ops.unfold"]
STRIDE = next(
    e for e in exclusions(UNFOLD, "keras-3") if (e.name, e.sort) == ("stride", "negative")
)
BACKWARDS = excluded_calls(UNFOLD, "keras-3", STRIDE, 1, 0).draws[0].value


def test_a_least_number_that_no_docstring_gives_is_a_convention() -> None:
    (finding,) = findings(BACKWARDS, RESULT)
    assert (finding.kind, finding.verdict) == ("negative stride", Verdict.DIVERGES)
    assert finding.readings == ("least-length: accepted",)
    assert findings(BACKWARDS, raising("step")) == []


def test_a_symbol_of_what_is_refused_contradicts_what_a_symbol_is() -> None:
    (finding,) = findings(symbolic(BACKWARDS), raising("call"))
    assert (finding.kind, finding.verdict) == ("negative stride, symbolic", Verdict.VIOLATES)
    assert finding.at == {"keras-3.15.1": "keras.KerasTensor: Example"}
    assert finding.demands.endswith("as of the computation")


def unknown_name(function: str, parameter: str) -> Structure:
    """A symbolic call with a name that the docstring does not list."""
    spec = load()[function]
    (name,) = (e for e in exclusions(spec, "keras-3") if (e.name, e.sort) == (parameter, "name"))
    return symbolic(excluded_calls(spec, "keras-3", name, 1, 0).draws[0].value)


UNKNOWN = Raised("ValueError", ("ValueError",), "Invalid interpolation. Received: cubi", "call", 0)
UNBOUND = Raised("UnboundLocalError", ("NameError",), "local variable 'gathered_y'", "call", 0)


def test_the_computation_may_refuse_a_name_if_the_symbol_is_right_without_it() -> None:
    (finding,) = findings(unknown_name("keras.ops.image.resize", "interpolation"), UNKNOWN)
    assert (finding.kind, finding.verdict) == ("unknown interpolation, symbolic", Verdict.DIVERGES)
    assert finding.readings == ("late-refusal: when computed",)


@pytest.mark.parametrize(
    ("function", "parameter", "outcome"),
    [
        ("keras.ops.image.resize", "data_format", UNKNOWN),
        ("keras.ops.image.resize", "interpolation", UNBOUND),
    ],
    ids=["the name decides the shape", "no refusal"],
)
def test_a_late_refusal_of_a_name_violates(function: str, parameter: str, outcome: Raised) -> None:
    (finding,) = findings(unknown_name(function, parameter), outcome)
    assert (finding.kind, finding.verdict) == (f"unknown {parameter}, symbolic", Verdict.VIOLATES)


SOFTMAX = """
def softmax(x, axis=-1):
    {first}
    exponents = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return exponents / exponents.sum(axis=axis, keepdims=True)
"""


@pytest.mark.parametrize(
    ("first", "wrong"), [("pass", False), ("axis = axis % x.ndim if x.ndim else axis", True)]
)
def test_a_package_is_tried_with_them(tmp_path: Path, first: str, *, wrong: bool) -> None:
    package(tmp_path, CONVERTS + SOFTMAX.format(first=first))
    prelude = Prelude(
        (f"from {NAME} import ops as K",), package=NAME, paths=(str(tmp_path),), eager=True
    )
    subject = Subject(
        NAME,
        "keras-3",
        "a package",
        lambda names, _: Session(launched(tmp_path), functions=names),
        prelude,
    )
    failures = [
        failure
        for _, aspect, failure in examine(subject, ["keras.ops.softmax"], TINY).failures()
        if aspect is Aspect.ERROR
    ]
    assert bool(failures) is wrong
    for failure in failures:
        assert failure.verdict is Verdict.VIOLATES
        assert failure.script is not None
        ended = subprocess.run([sys.executable, "-"], input=failure.script, text=True, check=False)
        assert ended.returncode == 1
