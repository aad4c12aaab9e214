"""Small errors, one in each of many functions of the reference: the default profile finds all."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results import Aspect, Verdict
from tests.engine.support import Outcome, examine, module

VIOLATIONS = {
    "sum": "value or shape",  # the axis counted from the other end
    "mean": "value",  # divided by one less
    "max": "shape",  # keepdims dropped
    "min": "value",  # the largest
    "softmax": "value",  # along axis 0
    "clip": "value",  # no upper end
    "round": "value",  # half up
    "transpose": "value or shape",  # nothing happens
    "gather": "value",  # one further
    "relu": "value",  # max_value ignored
    "exp": "value",  # a thousandth too large
    "sin": "value",  # float64 computed in float32
    "tanh": "value",  # the sigmoid
    "sign": "value",  # 1 for 0
    "elu": "value",  # alpha ignored
    "logsumexp": "value",  # overflows, which a document rules out
}
DIVERGENCES = {
    "argmax": (Aspect.VALUE, "ties"),  # the last of equal elements
    "one_hot": (Aspect.DTYPE, "result-dtype"),  # integers
    "cos": (Aspect.GRADIENT, "accuracy"),  # the sine is computed in float32
}
EITHER = ("batch_dot",)
"""It sums the other axis of y, which is wrong in few of the cases that the documents settle."""

UNTOUCHED = ("flatten", "expand_dims")


pytestmark = pytest.mark.thorough  # for the one run


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """One run over all mutants."""
    folder = Path(__file__).parent / "mutants"
    functions = [*VIOLATIONS, *DIVERGENCES, *EITHER, *UNTOUCHED]
    return examine(module("mutants", folder), functions, "default")


@pytest.mark.parametrize("function", VIOLATIONS)
def test_a_wrong_answer_violates(outcome: Outcome, function: str) -> None:
    result = outcome.aspect(function, Aspect.VALUE)
    assert result.verdict is Verdict.VIOLATES
    kinds = {f.kind for f in result.failures if f.verdict is Verdict.VIOLATES}
    assert kinds & set(VIOLATIONS[function].split(" or "))
    assert "exception" not in kinds
    assert all(f.citation for f in result.failures if f.verdict is Verdict.VIOLATES)


@pytest.mark.parametrize("function", DIVERGENCES)
def test_what_no_document_settles_diverges(outcome: Outcome, function: str) -> None:
    aspect, convention = DIVERGENCES[function]
    result = outcome.aspect(function, aspect)
    assert result.verdict is Verdict.DIVERGES
    assert convention in {f.convention for f in result.failures}
    assert not any(f.citation for f in result.failures)


@pytest.mark.parametrize("function", EITHER)
def test_a_wrong_answer_is_reported(outcome: Outcome, function: str) -> None:
    result = outcome.aspect(function, Aspect.VALUE)
    assert result.verdict in (Verdict.VIOLATES, Verdict.DIVERGES)
    assert {f.kind for f in result.failures} & {"value", "shape"}


@pytest.mark.parametrize("function", UNTOUCHED)
def test_a_function_without_an_error_conforms(outcome: Outcome, function: str) -> None:
    assert set(outcome.verdicts(function).values()) == {Verdict.CONFORMS}


@pytest.mark.parametrize("function", [*VIOLATIONS, *DIVERGENCES, *EITHER])
def test_presence_and_signature_are_not_blamed(outcome: Outcome, function: str) -> None:
    assert outcome.aspect(function, Aspect.PRESENCE).verdict is Verdict.CONFORMS
    assert outcome.aspect(function, Aspect.SIGNATURE).verdict is Verdict.CONFORMS
