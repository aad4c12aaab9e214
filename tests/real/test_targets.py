"""The suite finds what was looked up, by hand, in released implementations."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results import Aspect, AspectResult, Results, Verdict
from conformance.specs import load
from tests.real.conftest import Examine, run
from tests.real.scripts import Answer, answer, shows

TENSORFLOW, THEANO, CNTK = (f"keras-2.2.4-{name}" for name in ("tensorflow", "theano", "cntk"))
TF_KERAS = "tf_keras"

SELECTION = {
    TENSORFLOW: "softmax or batch_dot or (sum and not cumsum) or conv2d or map_fn or ctc_decode",
    THEANO: "softmax or logsumexp or relu",  # it compiles C for every new sort of operand
    CNTK: "softmax or batch_dot",
    TF_KERAS: "softmax or reverse or (sum and not cumsum)",
}

ABSENT = {
    TENSORFLOW: set[str](),
    THEANO: {
        "clear_session",
        "ctc_decode",
        "ctc_label_dense_to_sparse",
        "manual_variable_initialization",
    },
    CNTK: {
        "arange",
        "ctc_batch_cost",
        "ctc_decode",
        "ctc_label_dense_to_sparse",
        "cumprod",
        "cumsum",
        "foldl",
        "foldr",
        "manual_variable_initialization",
        "map_fn",
        "reset_uids",
        "stack",
        "to_dense",
        "update_sub",
    },
    TF_KERAS: {
        "conv3d_transpose",
        "identity",
        "is_placeholder",
        "is_tensor",
        "logsumexp",
        "separable_conv1d",
        "slice",
    },
}
OFFERED = [name for name, spec in load().items() if "keras-2.2" in spec.editions]
VALUES = [
    (TENSORFLOW, "softmax", Verdict.CONFORMS),
    (TENSORFLOW, "sum", Verdict.CONFORMS),
    (TENSORFLOW, "logsumexp", Verdict.CONFORMS),
    (TENSORFLOW, "batch_dot", Verdict.VIOLATES),
    (THEANO, "softmax", Verdict.CONFORMS),
    (THEANO, "relu", Verdict.DIVERGES),
    (CNTK, "softmax", Verdict.VIOLATES),
    (CNTK, "batch_dot", Verdict.VIOLATES),
    (TF_KERAS, "sum", Verdict.CONFORMS),
    (TF_KERAS, "softmax", Verdict.UNSUPPORTED),  # of rank 1, in its own words
]


def result(results: Results, function: str, aspect: Aspect) -> AspectResult:
    """The only result of an aspect."""
    (tested,) = (f for f in results.functions if f.function == function)
    (only,) = (a for a in tested.aspects if a.aspect is aspect)
    return only


@pytest.mark.parametrize("target", ABSENT)
def test_exactly_the_absent_functions_are_said_to_be_absent(target: str, tmp_path: Path) -> None:
    results = run(target, tmp_path, "--aspect", "presence")
    verdicts = {
        f.function: result(results, f.function, Aspect.PRESENCE).verdict for f in results.functions
    }
    expected = {
        name: Verdict.UNSUPPORTED if name in ABSENT[target] else Verdict.CONFORMS
        for name in OFFERED
    }
    assert verdicts == expected


@pytest.mark.parametrize(("target", "function", "verdict"), VALUES)
def test_values(target: str, function: str, verdict: Verdict, examine: Examine) -> None:
    aspect = result(examine(target, SELECTION[target]), function, Aspect.VALUE)
    assert (aspect.verdict, aspect.cases >= 10) == (verdict, True), aspect.failures


@pytest.mark.parametrize(
    ("target", "function", "verdict"),
    [
        (TENSORFLOW, "map_fn", Verdict.CONFORMS),
        (TENSORFLOW, "ctc_decode", Verdict.VIOLATES),
        (THEANO, "logsumexp", Verdict.DIVERGES),  # wrong static shapes leave few of its inputs
    ],
)
def test_values_of_few_cases(
    target: str, function: str, verdict: Verdict, examine: Examine
) -> None:
    aspect = result(examine(target, SELECTION[target]), function, Aspect.VALUE)
    assert aspect.cases
    assert aspect.verdict is verdict, aspect.failures


@pytest.mark.parametrize("target", ABSENT)
def test_violations_cite_a_document_and_divergences_a_convention(
    target: str, examine: Examine
) -> None:
    failures = [
        x
        for f in examine(target, SELECTION[target]).functions
        for a in f.aspects
        for x in a.failures
    ]
    assert all((x.citation is not None) == (x.verdict is Verdict.VIOLATES) for x in failures)
    assert all(x.convention for x in failures if x.verdict is Verdict.DIVERGES)
    assert failures


@pytest.mark.parametrize(
    ("target", "function"),
    [
        (TENSORFLOW, "batch_dot"),
        (CNTK, "softmax"),
        (TF_KERAS, "reverse"),
        (THEANO, "logsumexp"),
    ],
)
def test_a_failure_is_reproduced_by_its_script_without_the_suite(
    target: str, function: str, examine: Examine, tmp_path: Path
) -> None:
    aspect = result(examine(target, SELECTION[target]), function, Aspect.VALUE)
    failures = [x for x in aspect.failures if x.verdict is not Verdict.UNSUPPORTED]
    assert failures
    for failure in failures:
        assert failure.script is not None
        answered = answer(target, failure.script, tmp_path)
        assert shows(answered, failure), (failure.message, answered)


@pytest.mark.parametrize("target", [TENSORFLOW])
def test_another_answer_would_not_pass_for_the_failure(target: str, examine: Examine) -> None:
    (failure, *_) = result(examine(target, SELECTION[target]), "batch_dot", Aspect.VALUE).failures
    assert not shows(Answer(1, "", "AssertionError: (7, 7)\n"), failure)
    assert not shows(Answer(0, "", "AssertionError: (2, 1)\n"), failure)


@pytest.mark.parametrize("target", [TENSORFLOW, TF_KERAS])
def test_the_same_seed_gives_the_same_results(
    target: str, examine: Examine, tmp_path: Path
) -> None:
    again = run(target, tmp_path, "-k", SELECTION[target])
    assert again.functions == examine(target, SELECTION[target]).functions
