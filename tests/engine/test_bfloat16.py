"""Calls in bfloat16: a library that computes them in float32 and rounds once conforms, one that is
wrong in this dtype alone is told, and the results say which dtype it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from conformance.dtypes import BFLOAT16, rounded
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.verdicts.failures import record
from conformance.engine.verdicts.scripts import script
from conformance.generators import Draw, Structure
from conformance.generators.drawing import Drawn, seeded
from conformance.generators.structure import made
from conformance.observations import (
    Batch,
    DrawObservation,
    InputObservation,
    Outcome,
    OutputObservation,
    Returned,
    StructureObservation,
    TensorMetadata,
    Value,
)
from conformance.program.model import AS_THEY_ARE
from conformance.results import Aspect, Verdict
from conformance.scripts import Prelude
from conformance.specs import load
from conformance.specs.load import signature

DRAWS = tuple(Draw(profile, 7) for profile in ("ordinary", "halves", "large", "integers"))
DTYPES = ("bfloat16", "float16", "float32")
Function = Callable[[Mapping[str, Any]], Any]

RIGHT: dict[str, Function] = {
    "keras.ops.exp": lambda x: np.exp(x["x"]),
    "keras.ops.tanh": lambda x: np.tanh(x["x"]),
    "keras.ops.add": lambda x: x["x"] + x["y"],
    "keras.ops.maximum": lambda x: np.maximum(x["x"], x["y"]),
    "keras.ops.sum": lambda x: np.sum(x["x"], _axes(x["axis"]), keepdims=x["keepdims"]),
}


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


@cache
def trials(function: str, dtype: str, count: int = 12) -> list[CallTrial]:
    """Calls with elements, of tensors of one dtype."""
    drawn = (seeded(lambda c: _call(c, function, dtype), Random(n)) for n in range(count))
    structures = [d.value for d in drawn if isinstance(d, Drawn)]
    full = [s for s in structures if all(0 not in i.shape for i in s.program.inputs)]
    return [CallTrial(Prepared(s, DRAWS)) for s in full]


def _call(chooser: Any, function: str, dtype: str) -> Structure:
    return made(chooser, load()[function], "keras-3", dtype=dtype, elements=60)


def observed(trial: CallTrial, compute: Function) -> StructureObservation:
    """What a library answers that computes in float64 and rounds the result once."""
    prepared = trial.prepared
    dtype = prepared.dtypes[0]
    values = []
    for number in range(len(DRAWS)):
        arguments = prepared.oracle_arguments(number)
        wide = {
            n: v.astype(float) if isinstance(v, np.ndarray) else v for n, v in arguments.items()
        }
        with np.errstate(all="ignore"):
            values.append(Value(rounded(compute(wide), dtype), dtype, "ndarray"))
    claim = TensorMetadata(dtype, prepared.static_shape)
    draws = tuple(DrawObservation(Returned({"result": (v,)})) for v in values)
    return StructureObservation((), (OutputObservation("result", "tensor", (claim,)),), draws)


def findings(function: str, dtype: str, compute: Function) -> list[Finding]:
    return [f for t in trials(function, dtype) for f in t.judge(observed(t, compute)).findings]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", RIGHT)
def test_what_is_rounded_once_conforms(function: str, dtype: str) -> None:
    assert trials(function, dtype)
    assert findings(function, dtype, RIGHT[function]) == []


@pytest.mark.parametrize("function", RIGHT)
def test_what_is_wrong_in_this_dtype_alone_is_told(function: str) -> None:
    failures = findings(function, BFLOAT16, lambda x: RIGHT[function](x) + 1.5)
    assert Verdict.VIOLATES in {f.verdict for f in failures if f.aspect is Aspect.VALUE}
    assert findings(function, "float32", RIGHT[function]) == []


def test_a_result_with_half_of_its_digits_is_inaccurate() -> None:
    """What has four digits and not eight is a divergence, and no violation."""
    coarse = findings("keras.ops.tanh", BFLOAT16, lambda x: _with_digits(np.tanh(x["x"]), 4))
    assert {(f.kind, f.verdict) for f in coarse} == {("accuracy", Verdict.DIVERGES)}


def _with_digits(x: Any, digits: int) -> Any:
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(fraction, digits)), exponent - digits)


@pytest.mark.parametrize(("dtype", "wrong"), [("float32", False), ("bfloat16", True), (None, True)])
def test_what_never_had_it_does_not_have_to_give_it(dtype: str | None, *, wrong: bool) -> None:
    """A library that makes float32 of it computes in float32: its inputs say so."""
    trial = trials("keras.ops.exp", BFLOAT16)[0]
    observation = in_float32(trial, dtype)
    assert bool([f for f in trial.judge(observation).findings if f.aspect is Aspect.DTYPE]) is wrong


def in_float32(trial: CallTrial, dtype: str | None) -> StructureObservation:
    """What a library gives that computes in float32, with the dtype that its inputs tell."""
    observation = observed(trial, RIGHT["keras.ops.exp"])
    inputs = tuple(
        InputObservation(i.name, TensorMetadata(), dtype) for i in trial.batch.program.inputs
    )
    output = replace(observation.outputs[0], metadata=(TensorMetadata("float32"),))
    draws = tuple(replace(d, outcome=_as_float32(d.outcome)) for d in observation.draws)
    return StructureObservation(inputs, (output,), draws)


def _as_float32(outcome: Outcome) -> Returned:
    assert isinstance(outcome, Returned)
    return Returned(
        {"result": tuple(replace(v, dtype="float32") for v in outcome.values["result"])}
    )


def test_no_array_stands_for_a_tensor_of_it() -> None:
    """NumPy has no such array to give, and Python no such number."""
    for trial in trials("keras.ops.add", BFLOAT16, count=60):
        bindings = {item.binding for item in trial.batch.program.inputs}
        assert bindings.isdisjoint(AS_THEY_ARE)


def test_its_numbers_travel_in_float32_and_are_all_its_own() -> None:
    batch = trials("keras.ops.exp", BFLOAT16)[0].batch
    (item,), (array,) = batch.program.inputs, batch.arrays.values()
    assert item.dtype == BFLOAT16
    assert array.dtype == np.float32
    with pytest.raises(ValueError, match="has numbers that bfloat16 lacks"):
        Batch(batch.program, {"x": array + np.float32(1e-5) + 1}, batch.draws)


def test_results_name_it() -> None:
    assert record(np.ones(2, np.float32), (), BFLOAT16).dtype == BFLOAT16
    trial = trials("keras.ops.exp", BFLOAT16)[0]
    failures = trial.judge(observed(trial, lambda x: np.exp(x["x"]) + 2)).findings
    assert {f.got_dtype for f in failures} == {BFLOAT16}


def test_a_script_makes_it_by_the_library_alone() -> None:
    trial = next(t for t in trials("keras.ops.exp", BFLOAT16) if not t.unsettled[1:])
    finding = trial.judge(observed(trial, lambda x: np.exp(x["x"]) + 2)).findings[0]
    documented = signature(load()["keras.ops.exp"], "keras-3")
    printed = script("wrong", finding, trial, Prelude(), documented)
    assert printed is not None
    assert "dtype='bfloat16'" in printed
    assert "ml_dtypes" not in printed
    compile(printed, "script", "exec")
