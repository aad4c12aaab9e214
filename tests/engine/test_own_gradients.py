"""Gradients by a backend's own means: a wrong one contradicts what the docstring says the function
gives, and one that is refused is unsupported."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from conformance.engine import PROFILES
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.gradients import Array, GradientTrial
from conformance.engine.verdicts.failures import cite
from conformance.observations import (
    DrawObservation,
    NotRun,
    Outcome,
    Raised,
    Returned,
    StructureObservation,
    Value,
)
from conformance.program import Binding, Ref
from conformance.program.model import DIFFERENTIATED
from conformance.results import Aspect, Verdict
from tests.engine.support import tasks

LOOKED_AT = 16


@cache
def trials(function: str) -> list[GradientTrial]:
    (task,) = tasks({function}, replace(PROFILES["smoke"], gradients=32), edition="keras-3")
    return [trial for trial in task.trials() if isinstance(trial, GradientTrial)]


@cache
def cosine(dtype: str) -> GradientTrial:
    """A settled one of which every element is looked at."""
    return next(
        t
        for t in trials("keras.ops.cos")
        if not t.unsettled and t.differentiated.dtype == dtype and 1 < size(t) < LOOKED_AT
    )


def size(trial: GradientTrial) -> int:
    return int(trial.arrays[0]["x"].size)


def right(trial: GradientTrial) -> Array:
    arrays = trial.arrays[0]
    weights = arrays[trial.differentiated.weights].astype(float)
    return np.asarray(-weights * np.sin(arrays["x"].astype(float)))


def returned(trial: GradientTrial, *gradients: Array | None, dtype: str) -> Returned:
    """Gradients, with the right result in a dtype."""
    parts = [
        Value(None, "object", "NoneType", "not numeric")
        if g is None
        else Value(g.astype(trial.differentiated.dtype), dtype, "ndarray")
        for g in gradients
    ]
    result = trial.expected_result(0).value.astype(dtype)
    return Returned({"gradients": tuple(parts), "result": (Value(result, dtype, "ndarray"),)})


def findings(trial: GradientTrial, outcome: Outcome) -> list[Finding]:
    rest = [NotRun("not asked")] * (len(trial.draws) - 1)
    draws = tuple(map(DrawObservation, [outcome, *rest]))
    return trial.judge(StructureObservation((), (), draws)).findings


def raised(kind: str, message: str) -> Raised:
    return Raised(kind, (kind, "Exception"), message, "step", 1)


@pytest.mark.parametrize("function", ["keras.ops.cos", "keras.ops.dot", "keras.ops.average"])
def test_the_call_is_differentiated_by_its_tensors(function: str) -> None:
    for trial in trials(function):
        call_gradient = trial.differentiated
        call, taken = call_gradient.program.steps
        weights, variables = (
            Ref(call_gradient.weights),
            [Ref(name) for name in call_gradient.wanted],
        )
        assert (taken.function, taken.args[:3]) == (DIFFERENTIATED, (function, weights, variables))
        assert (taken.args[3:], taken.kwargs) == (call.args, call.kwargs)
        assert {i.binding for i in call_gradient.program.inputs} == {Binding.CONSTANT}
        names = [i.name for i in call_gradient.program.inputs]
        assert len({*names}) == len(names)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_right_one_conforms(dtype: str) -> None:
    trial = cosine(dtype)
    assert findings(trial, returned(trial, right(trial), dtype=dtype)) == []


@pytest.mark.parametrize("factor", [-1.0, 0.0, 2.0, np.nan])
def test_a_wrong_one_violates_and_cites_what_the_function_gives(factor: float) -> None:
    trial = cosine("float32")
    spec = trial.differentiated.structure.spec
    (finding,) = findings(trial, returned(trial, factor * right(trial), dtype="float32"))
    assert (finding.aspect, finding.verdict) == (Aspect.GRADIENT, Verdict.VIOLATES)
    citation = cite(spec, "keras-3", finding)
    (section,) = {c.sections["keras-3.15.1"] for c in spec.claims if c.aspect == "value"}
    assert str(citation) == f"keras.ops.cos: {section}"


def test_one_that_is_refused_is_unsupported() -> None:
    (finding,) = findings(cosine("float32"), raised("RuntimeError", "it does not require grad"))
    assert finding.verdict is Verdict.UNSUPPORTED
    assert finding.readings == ("own-gradient: refused",)


def test_none_is_unsupported() -> None:
    trial = cosine("float32")
    (finding,) = findings(trial, returned(trial, None, dtype="float32"))
    assert (finding.verdict, finding.readings) == (Verdict.UNSUPPORTED, ("own-gradient: none",))


def test_code_that_python_calls_wrong_is_no_refusal() -> None:
    (finding,) = findings(cosine("float32"), raised("NameError", "name 'cos' is not defined"))
    assert finding.verdict is Verdict.VIOLATES


@pytest.mark.parametrize(("result", "kinds"), [("float32", []), ("float64", ["accuracy"])])
def test_one_has_no_more_digits_than_the_result(result: str, kinds: list[str]) -> None:
    """That the result is a float32 is told of its dtype."""
    trial = cosine("float64")
    rounded = right(trial).astype("float32").astype("float64")
    assert [f.kind for f in findings(trial, returned(trial, rounded, dtype=result))] == kinds


def test_a_float32_that_is_wrong_in_its_own_digits_is_told() -> None:
    trial = cosine("float64")
    wrong = right(trial) * (1 + 1e-4)
    (finding,) = findings(trial, returned(trial, wrong, dtype="float32"))
    assert finding.kind == "accuracy"


def equal_elements(function: str) -> bool:
    every = [arrays["x"] for trial in trials(function) for arrays in trial.arrays]
    return any(np.unique(x).size < x.size for x in every)


@pytest.mark.parametrize("function", ["keras.ops.sort", "keras.ops.median"])
def test_the_order_of_equal_elements_has_no_gradient_to_ask_for(function: str) -> None:
    assert not equal_elements(function)
    assert equal_elements("keras.ops.max")


def test_the_gradient_of_a_signal_that_is_cut_off_is_asked_for() -> None:
    (task,) = tasks({"keras.ops.rfft"}, PROFILES["default"], edition="keras-3")
    planned = [trial for trial in task.trials() if isinstance(trial, GradientTrial)]
    structures = [trial.differentiated.structure for trial in planned]
    lengths = [(s.arguments.get("fft_length"), s.program.inputs[0].shape[-1]) for s in structures]
    assert any(isinstance(asked, int) and asked < length for asked, length in lengths)
    assert any(asked is None for asked, _ in lengths)
