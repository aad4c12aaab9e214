"""A convention is named only if it explains a failure: fakes that are wrong for ordinary numbers as
well, or in another dtype, or where standards leave nothing open; and fakes that are right."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.adapters.session import CallLimits
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.gradients import beside_subgradients
from conformance.engine.judging.metadata import NO_SHAPE, with_promised_shapes
from conformance.engine.judging.readings import (
    AllowedAnswers,
    explaining,
    of_anything,
    of_nothing,
)
from conformance.observations import (
    DrawObservation,
    NotRun,
    Outcome,
    Returned,
    StructureObservation,
    Value,
)
from conformance.oracle import Expectation, expect
from conformance.oracle.freedom import concerned
from conformance.oracle.gradients import Slopes
from conformance.oracle.variants import NARROWED, read_otherwise
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from conformance.specs.model import Accuracy
from tests.engine import support
from tests.engine.support import TINY, examine, module, tasks
from tests.engine.test_gradient_trials import answers, returned, slope, tanh

LIMITS = CallLimits(structure=20.0, draw=2.0)
OVERFLOWING = """
def softsign(x):
    return x * 1024.0 / ((right.abs(x) + 1.0) * 1024.0) * {factor}
"""
NUMBER_FOR_NAN = """
def tanh(x):
    return right.switch(right.equal(x, x), right.tanh(x), right.zeros_like(x))
"""


def run(tmp_path: Path, source: str, function: str, profile: str = "default") -> support.Outcome:
    head = "from conformance import reference as right\nfrom conformance.reference import *\n"
    (tmp_path / "altered.py").write_text(head + source, encoding="utf-8")
    return examine(module("altered", tmp_path, LIMITS), [function], profile)


def conventions(outcome: support.Outcome, function: str) -> set[str]:
    failures = outcome.aspect(function, Aspect.VALUE).failures
    return {name for f in failures for name in (f.convention or "").split(", ") if name}


@pytest.mark.parametrize(("factor", "named"), [(1.0, True), (2.0, False)])
def test_an_overflow_is_named_only_if_ordinary_numbers_are_right(
    tmp_path: Path, factor: float, named: bool
) -> None:
    outcome = run(tmp_path, OVERFLOWING.format(factor=factor), "softsign")
    verdict = outcome.aspect("softsign", Aspect.VALUE).verdict
    assert verdict is (Verdict.DIVERGES if named else Verdict.VIOLATES)
    assert (str(ConventionName.EXTREMES) in conventions(outcome, "softsign")) is named


def test_a_number_for_nan_violates_where_a_standard_defines_the_function(tmp_path: Path) -> None:
    result = run(tmp_path, NUMBER_FOR_NAN, "tanh", "smoke").aspect("tanh", Aspect.VALUE)
    assert result.verdict is Verdict.VIOLATES
    assert all(f.citation for f in result.failures if f.verdict is Verdict.VIOLATES)


# Which findings stay


def finding(verdict: Verdict, *names: ConventionName, kind: str = "value", **other: Any) -> Finding:
    allowed = (of_anything if verdict is Verdict.DIVERGES else of_nothing)(names)
    return Finding.under(allowed, Aspect.VALUE, kind, gives="gives 1", demands="2", **other)


WRONG = finding(Verdict.VIOLATES)
OVERFLOW = finding(Verdict.DIVERGES, ConventionName.EXTREMES, draw=1)
SPECIAL = finding(Verdict.VIOLATES, ConventionName.SPECIAL_VALUES, draw=2)
EMPTY = finding(Verdict.DIVERGES, ConventionName.EMPTY)
STATIC = replace(OVERFLOW, aspect=Aspect.STATIC_SHAPE)


def test_the_failure_of_ordinary_numbers_stands_for_that_of_others() -> None:
    assert explaining([WRONG, OVERFLOW, SPECIAL, EMPTY, STATIC]) == [WRONG, SPECIAL, EMPTY, STATIC]


def test_a_convention_stays_beside_a_failure_of_special_numbers() -> None:
    assert explaining([SPECIAL, OVERFLOW, EMPTY]) == [SPECIAL, OVERFLOW, EMPTY]


# Readings that compute an answer, before those that excuse one


def _everywhere(_: str, expected: Expectation) -> Any:
    return np.ones(expected.value.shape, np.bool_)


def accuracy(function: str) -> Accuracy:
    record = load()[function].accuracy
    assert record is not None
    return record


@pytest.mark.parametrize(
    ("got", "readings"),
    [
        (np.array([np.nan], "float32"), (NARROWED,)),
        (np.array([np.inf], "float32"), ((ConventionName.EXTREMES, "overflow"),)),
    ],
)
def test_32_bits_are_no_overflow(got: Any, readings: Any) -> None:
    arguments = {"x": np.array([1e300])}

    def expected(chosen: Any) -> Expectation:
        read = read_otherwise("sin", arguments, chosen)
        return expect("sin", read, "float32", accuracy("sin"))

    named = (ConventionName.COMPUTING_DTYPE, ConventionName.EXTREMES)
    assert AllowedAnswers(named, expected, _everywhere).taken(got) == readings


# What standards leave open


def rests(function: str, dtype: str = "float32", **arguments: Any) -> list[bool]:
    """Which elements of a result rest on `special-values`."""
    arrays = {n: np.array(a, "float32") for n, a in arguments.items()}
    limits, function = accuracy(function), function.rpartition(".")[2]
    expectation = expect(function, arrays, dtype, limits)
    return list(concerned(ConventionName.SPECIAL_VALUES, function, arrays, expectation))


def test_the_standards_define_functions_of_special_numbers() -> None:
    assert rests("keras.ops.hypot", x=[np.inf, 1.0], y=[np.nan, 2.0]) == [False, False]
    assert rests("tanh", x=[np.nan, -np.inf]) == [False, False]
    assert rests("equal", "bool", x=[np.nan], y=[np.nan]) == [False]


def test_formulas_orders_of_nan_and_other_domains_stay_open() -> None:
    assert rests("softplus", x=[np.nan, np.inf, 1.0]) == [True, True, False]
    assert rests("sqrt", x=[-1.0, 4.0]) == [True, False]
    assert rests("maximum", x=[np.nan, np.inf], y=[0.0, 0.0]) == [True, False]


def test_a_copy_keeps_special_numbers() -> None:
    assert rests("identity", x=[np.nan, np.inf]) == [False, False]


# Gradients and static shapes


def test_nan_for_a_slope_of_zero_is_no_reading() -> None:
    flat = Slopes(*(np.array([v]) for v in (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    for of_root in (True, False):
        wrong, readings = beside_subgradients(
            np.array([np.nan]), flat, np.array([True]), of_root=of_root
        )
        assert (bool(wrong.any()), readings) == (True, ())


def test_the_gradient_of_a_call_that_changes_its_inputs_is_not_blamed() -> None:
    trial = slope("tanh")
    seen = answers(trial, returned(2 * tanh(trial)))
    (blamed,) = trial.judge(seen).findings
    assert (blamed.kind, blamed.verdict) == (FindingKind.VALUE, Verdict.VIOLATES)
    changing = replace(seen, draws=(replace(seen.draws[0], changed=("x",)), *seen.draws[1:]))
    (other,) = trial.judge(changing).findings
    assert (other.kind, other.verdict) == (FindingKind.UNMADE_INPUT, Verdict.UNSUPPORTED)
    assert other.gives == "is that of a call that changes x"


@pytest.mark.parametrize(
    ("got", "document", "verdict"),
    [
        (NO_SHAPE, "ko-2.2", Verdict.VIOLATES),
        (NO_SHAPE, "ja-2.0", Verdict.DIVERGES),
        ("(None,)", "ko-2.2", Verdict.DIVERGES),
    ],
)
def test_no_static_shape_is_no_tuple(got: str, document: Any, verdict: Verdict) -> None:
    vague = finding(Verdict.DIVERGES, ConventionName.PRECISE_STATIC_SHAPE, got=got)
    (counted,) = with_promised_shapes([vague], document)
    assert counted.verdict is verdict
    assert counted.at == ({document: 430} if verdict is Verdict.VIOLATES else {})


# Messages of evidence


def test_a_message_about_evidence_names_the_elements_of_the_arguments() -> None:
    (task,) = tasks({"keras.ops.isclose"}, TINY, edition="keras-3")
    calls = (trial for trial in task.trials() if isinstance(trial, CallTrial))
    trial = next(t for t in calls if not t.unsettled and t.prepared.shape)
    shape = trial.prepared.shape
    wrong = ~trial.prepared.expectation(0).value.reshape(shape).astype(bool)
    returned = Returned({"result": (Value(wrong, "bool", "ndarray"),)})
    rest = (NotRun("not asked"),) * (len(trial.prepared.draws) - 1)
    outcomes: tuple[Outcome, ...] = (returned, *rest)
    seen = StructureObservation((), (), tuple(map(DrawObservation, outcomes)))
    (finding,) = (f for f in trial.judge(seen).findings if f.aspect is Aspect.VALUE)
    assert re.fullmatch(r"gives \w+ at \[[\d, ]+\] for x = \S+ and y = \S+", finding.gives)
    assert finding.demands in ("True", "False")
