"""What a convention allows, and what no reading of it does; twins before a dtype is blamed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.session import CallLimits
from conformance.engine import PROFILES
from conformance.engine.judging.readings import combinations, of_anything, of_nothing, of_refusal
from conformance.oracle import expect
from conformance.oracle.freedom import FREEDOMS, allowed, concerned
from conformance.oracle.variants import FLUSHED, VARIANTS
from conformance.results import Aspect, AspectResult, Verdict
from conformance.specs import load, load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.model import Accuracy
from tests.engine.support import Outcome, examine, module, tasks

EVERY_DTYPE = replace(PROFILES["smoke"], structures=20)
"""With enough structures to meet every dtype of a function."""
LIMITS = CallLimits(structure=20.0, draw=2.0)
SPOILED_BY_ONE_NAN = "def tanh(x): return right.tanh(x) + 0.0 * right.sum(x)"
ZERO_ROOTS = "def sqrt(x): return right.sqrt(right.maximum(x, 0.0))"
WRONG_IN_HALF = """
def softmax(x, axis=-1):
    return right.softmax(x, axis) * (2.0 if right.dtype(x) == 'float16' else 1.0)
"""
NO_DOUBLES = """
def exp(x):
    if right.dtype(x) == 'float64':
        raise TypeError('no doubles')
    return right.exp(x)
"""
NO_SCALARS = """
def softplus(x):
    if right.ndim(x) == 0:
        raise TypeError('no scalars')
    return right.softplus(x)
"""
WRONG_SCALARS = """
def softplus(x):
    return right.softplus(x) * (2.0 if right.ndim(x) == 0 else 1.0)
"""
NO_PLACEHOLDERS = """
def placeholder(*args, **kwargs):
    raise RuntimeError('no placeholders')
"""


def run(tmp_path: Path, source: str, *functions: str) -> Outcome:
    """The reference, but for what the source defines."""
    head = "from conformance import reference as right\nfrom conformance.reference import *\n"
    (tmp_path / "altered.py").write_text(head + source, encoding="utf-8")
    return examine(module("altered", tmp_path, LIMITS), functions, EVERY_DTYPE)


def value(outcome: Outcome, function: str) -> AspectResult:
    return outcome.aspect(function, Aspect.VALUE)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "function"),
    [(SPOILED_BY_ONE_NAN, "tanh"), (WRONG_IN_HALF, "softmax"), (WRONG_SCALARS, "softplus")],
)
def test_what_no_reading_allows_violates(tmp_path: Path, source: str, function: str) -> None:
    judged = value(run(tmp_path, source, function), function)
    assert judged.verdict is Verdict.VIOLATES
    assert all(f.citation for f in judged.failures if f.verdict is Verdict.VIOLATES)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "function", "convention"),
    [(ZERO_ROOTS, "sqrt", "special-values"), (NO_SCALARS, "softplus", "scalar")],
)
def test_another_reading_diverges_by_its_convention(
    tmp_path: Path, source: str, function: str, convention: str
) -> None:
    judged = value(run(tmp_path, source, function), function)
    assert judged.verdict is Verdict.DIVERGES
    assert convention in {f.convention for f in judged.failures}


def test_a_dtype_that_no_document_names_may_be_refused(tmp_path: Path) -> None:
    judged = value(run(tmp_path, NO_DOUBLES, "exp"), "exp")
    assert judged.verdict is Verdict.CONFORMS
    assert {(f.verdict, f.convention) for f in judged.failures} == {
        (Verdict.UNSUPPORTED, "input-dtype")
    }


def test_a_dtype_is_not_blamed_for_what_fails_without_it(tmp_path: Path) -> None:
    (task,) = tasks(["exp"], EVERY_DTYPE)
    drawn = [prepared.structure for prepared in task.prepared()]
    settled = {s.program.inputs[0].shape for s in drawn if s.settled}
    unsettled = [s for s in drawn if not s.settled and {*s.unsettled} <= {"input-dtype"}]
    known = [s for s in unsettled if None not in (s.program.inputs[0].static_shape or ())]
    shapes = [s.program.inputs[0].shape for s in known]
    other = next(shape for shape in shapes if shape not in settled)
    source = f"""
def exp(x):
    if right.int_shape(x) in ({other!r}, (None,) * {len(other)}):
        raise TypeError('not this one')
    return right.exp(x)
"""
    judged = value(run(tmp_path, source, "exp"), "exp")
    assert judged.verdict is Verdict.VIOLATES


@pytest.mark.thorough
def test_what_cannot_be_fed_is_made_as_variables(tmp_path: Path) -> None:
    outcome = run(tmp_path, NO_PLACEHOLDERS + WRONG_IN_HALF, "softmax", "tanh")
    assert value(outcome, "tanh").verdict is Verdict.CONFORMS
    assert value(outcome, "tanh").note == value(run(tmp_path, "", "tanh"), "tanh").note
    assert value(outcome, "softmax").verdict is Verdict.VIOLATES


# The parts


def test_allowances_name_what_allows_an_answer() -> None:
    named = (ConventionName.SCALAR, ConventionName.SUBNORMAL)
    refused = of_refusal(named)
    assert (refused.conventions, refused.readings) == (("scalar",), ("scalar: refused",))
    assert refused.verdict is Verdict.DIVERGES
    wrong = of_nothing(named)
    assert wrong.verdict is Verdict.VIOLATES
    assert wrong.open_points == ("scalar", "subnormal")
    assert of_anything([ConventionName.ACCURACY]).readings == ("accuracy: inaccurate",)


def test_fewer_other_readings_are_tried_first() -> None:
    tried = combinations((ConventionName.SUBNORMAL, ConventionName.SPECIAL_VALUES))
    assert tried[0] == ()
    assert [*map(len, tried)] == sorted(map(len, tried))


def test_what_says_each_answer_is_tried_before_a_wider_bound() -> None:
    both = (ConventionName.SUBNORMAL, ConventionName.KERNEL_ORIENTATION)
    alone = [readings[0] for readings in combinations(both) if len(readings) == 1]
    assert alone[0] == (ConventionName.KERNEL_ORIENTATION, "flipped")
    assert alone[-1] == FLUSHED


def test_every_reading_that_is_computed_has_code_and_the_reverse() -> None:
    known = load_conventions()
    free = {(c.name, r.name) for c in known.values() for r in c.readings if r.free}
    computed = {(c.name, r.name) for c in known.values() for r in c.variants}
    assert {*VARIANTS} <= computed
    assert {*FREEDOMS} <= free


X = np.array([[1.0, np.nan], [2.0, 3.0]], "float32")


def accuracy(function: str) -> Accuracy:
    stated = load()[function].accuracy
    assert stated is not None
    return stated


def test_one_nan_is_no_licence_for_other_rows() -> None:
    arguments = {"x": X, "axis": 1, "keepdims": False}
    expectation = expect("sum", arguments, "float32", accuracy("sum"))
    mask = concerned(ConventionName.SPECIAL_VALUES, "sum", arguments, expectation)
    assert mask.tolist() == [True, False]


@pytest.mark.parametrize(
    ("function", "x", "concerns"),
    [
        ("sign", [np.inf, np.nan, 2.0], [True, True, False]),
        ("any", [[np.nan], [2.0]], [True, False]),
        ("any", [[np.nan, 2.0], [0.0, 0.0]], [False, False]),
        ("all", [[np.nan, 2.0], [0.0, 0.0]], [True, False]),
        ("ones_like", [np.nan, np.inf], [False, False]),
    ],
)
def test_what_the_sign_or_the_truth_of_a_special_number_decides_rests_on_it(
    function: str, x: list[object], concerns: list[bool]
) -> None:
    array = np.array(x, "float32")
    arguments = {"x": array, "axis": 1, "keepdims": False} if array.ndim == 2 else {"x": array}
    expectation = expect(function, arguments, "float32", accuracy(function))
    mask = concerned(ConventionName.SPECIAL_VALUES, function, arguments, expectation)
    assert mask.tolist() == concerns


def test_infinity_that_is_hidden_by_a_zero_concerns_what_it_is_multiplied_by() -> None:
    x, y = np.array([[0.0, 1.0]], "float32"), np.array([[np.inf], [1.0]], "float32")
    arguments = {"x": x, "y": y}
    expectation = expect("dot", arguments, "float32", accuracy("dot"))
    assert concerned(ConventionName.SPECIAL_VALUES, "dot", arguments, expectation).all()


def test_an_overflow_is_infinite_nan_or_large() -> None:
    got = np.array([np.inf, np.nan, 3e38, 46.9], "float32")
    expectation = expect("cos", {"x": np.arange(4, dtype="float32")}, "float32", accuracy("cos"))
    matches = allowed((ConventionName.EXTREMES, "overflow"), got, expectation)
    assert matches.tolist() == [True, True, True, False]
    small = np.array([0.0, 1e-40, 1e-30, 1.0], "float32")
    matches = allowed((ConventionName.EXTREMES, "underflow"), small, expectation)
    assert matches.tolist() == [True, True, False, False]
