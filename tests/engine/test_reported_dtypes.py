"""What a symbol says of its dtype, and what is delivered: where both are open they must agree."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.generators import Draw
from conformance.generators.drawing import Drawn, seeded
from conformance.generators.structure import made
from conformance.observations import (
    DrawObservation,
    OutputObservation,
    Returned,
    StructureObservation,
    TensorMetadata,
    Value,
)
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import load
from tests.oracle.test_whole_numbers import FUNCTIONS

DRAWS = tuple(Draw("ordinary", seed) for seed in range(3))


def trial(function: str, dtype: str, edition: Edition = "keras-3") -> CallTrial:
    """A call of one tensor with elements."""
    spec = load()[function]
    for seed in range(50):
        drawn = seeded(lambda c: made(c, spec, edition, dtype=dtype, elements=60), Random(seed))
        if isinstance(drawn, Drawn) and drawn.value.program.inputs[0].shape == (1,):
            return CallTrial(Prepared(drawn.value, DRAWS))
    raise AssertionError(function)


def findings_of(call: CallTrial, reported: str, delivered: str) -> list[Finding]:
    """What is said of a library that computes in float64 and delivers another dtype."""
    name = call.prepared.structure.oracle
    values = []
    for number in range(len(DRAWS)):
        (x,) = call.prepared.arrays[number].values()
        result = np.asarray(FUNCTIONS[name](x.astype("float64"))).astype(delivered)
        values.append(Value(result, delivered, "ndarray"))
    claim = TensorMetadata(reported, call.prepared.static_shape)
    draws = tuple(DrawObservation(Returned({"result": (value,)})) for value in values)
    outputs = (OutputObservation("result", "tensor", (claim,)),)
    return list(call.judge(StructureObservation((), outputs, draws)).findings)


def of_dtype(findings: list[Finding]) -> list[Any]:
    return [(f.kind, f.verdict) for f in findings if f.aspect is Aspect.DTYPE]


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64"])
def test_what_is_reported_is_what_is_delivered(dtype: str) -> None:
    call = trial("keras.ops.exp", dtype)
    for same_dtype in ("float32", "float64"):
        assert (FindingKind.CLAIMED_DTYPE, Verdict.VIOLATES) not in of_dtype(
            findings_of(call, same_dtype, same_dtype)
        )
    for reported, delivered in (("float64", "float32"), ("float32", "float64")):
        findings = findings_of(call, reported, delivered)
        assert (FindingKind.CLAIMED_DTYPE, Verdict.VIOLATES) in of_dtype(findings)
        finding = next(
            f for f in findings if f.kind == FindingKind.CLAIMED_DTYPE and not f.conventions
        )
        assert finding.gives == f"reports {reported} but returns {delivered}"


def test_a_dtype_that_is_wrong_itself_is_told_once() -> None:
    findings = findings_of(trial("keras.ops.rsqrt", "float64"), "float64", "float32")
    assert of_dtype(findings) == [(FindingKind.DTYPE, Verdict.VIOLATES)]


def test_a_document_without_a_word_on_dtypes_is_not_cited() -> None:
    """The delivered dtype contradicts the reported one; no sentence demands either."""
    findings = findings_of(trial("keras.ops.exp", "int16"), "int16", "float32")
    (violation,) = [f for f in findings if f.aspect is Aspect.DTYPE and not f.conventions]
    assert violation.gives == "reports int16 but returns float32"
    assert "keras.KerasTensor" in str(violation.at)


def test_documents_that_leave_it_open_convict_nobody() -> None:
    call = trial("exp", "float64", "keras-2.2")
    findings = of_dtype(findings_of(call, "float64", "float32"))
    assert {verdict for _, verdict in findings} == {Verdict.DIVERGES}


@pytest.mark.parametrize("whole", ["int32", "int64"])
def test_fractions_that_are_cut_off_are_wrong(whole: str) -> None:
    """An integer is none of the readings of how many bits there are."""
    findings = findings_of(trial("keras.ops.sqrt", whole), whole, whole)
    wrong = {f.verdict for f in findings if f.aspect is Aspect.VALUE}
    assert wrong == {Verdict.VIOLATES}
    right = findings_of(trial("keras.ops.sqrt", whole), "float32", "float32")
    assert not [f for f in right if f.aspect is Aspect.VALUE]


@pytest.mark.parametrize("whole", ["int8", "int32", "int64"])
def test_no_reading_of_how_many_bits_there_are_is_an_integer(whole: str) -> None:
    """Neither where no number has lost anything, such as the root of 1."""
    findings = findings_of(trial("keras.ops.sqrt", whole), whole, whole)
    (dtype,) = [f for f in findings if f.kind == FindingKind.DTYPE]
    assert dtype.verdict is Verdict.VIOLATES
    assert dtype.readings == ()


def test_an_integer_beside_an_integer_is_a_reading() -> None:
    call = trial("keras.ops.relu", "int64")
    values = list[Value]()
    for arrays in call.prepared.arrays:
        (x,) = arrays.values()
        values.append(Value(np.maximum(x, 0).astype("int32"), "int32", "ndarray"))
    draws = tuple(DrawObservation(Returned({"result": (value,)})) for value in values)
    claim = TensorMetadata("int32", call.prepared.static_shape)
    observed = StructureObservation((), (OutputObservation("result", "tensor", (claim,)),), draws)
    readings = {f.readings for f in call.judge(observed).findings if f.kind == FindingKind.DTYPE}
    assert readings == {("result-dtype: int32",)}


def test_what_is_no_array_is_told_as_what_it_is() -> None:
    call = trial("keras.ops.relu", "float32")
    values = [Value(None, "object", "generator", "not numeric")] * len(DRAWS)
    draws = tuple(DrawObservation(Returned({"result": (value,)})) for value in values)
    outputs = (OutputObservation("result", "tensor", (TensorMetadata(None, None),)),)
    findings = list(call.judge(StructureObservation((), outputs, draws)).findings)
    assert "gives a generator" in {f.gives for f in findings if f.aspect is Aspect.DTYPE}
