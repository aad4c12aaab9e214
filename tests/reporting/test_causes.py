from __future__ import annotations

from typing import Any

import pytest

from conformance.reporting.causes import cause, causes, is_one_cause, named, shared
from conformance.reporting.listing import ListedFailure
from conformance.results import Aspect, FindingKind, SuspectLine, Verdict
from tests.reporting.records import aspect_result, failure


def listed_failure(
    message: str, verdict: Verdict = Verdict.VIOLATES, **changes: object
) -> ListedFailure:
    entry = failure(verdict, message=message, **changes)
    return ListedFailure("dot", aspect_result(Aspect.VALUE, verdict, entry), entry)


@pytest.mark.parametrize(
    ("messages", "title"),
    [
        (
            [
                "dot(x, y) with x float32 (1,) raises ValueError: axis 3 is not in [0, 1]; "
                "expected a result of shape (1,) (ko-2.2:981)",
                "dot(x, y) with x float32 (1,) raises ValueError: axis 3 is not in [0, 1] "
                "where ko-2.2:981 demands a result of shape (1,)",
                "sum(x, 7) raises ValueError: axis 7 is not in [0] in place of a result",
            ],
            "raises ValueError: axis … is not in …",
        ),
        (
            [
                "f(x) raises TypeError in function([x], [y]): no argument 'shape'",
                "g(x) raises TypeError: no argument 'shape' where by convention (empty) it is ()",
                "h(x) raises TypeError: no argument 'shape'; expected by convention (empty): ()",
            ],
            "raises TypeError: no argument 'shape'",
        ),
        (
            [
                "example 1 of exp needs the helper docstring_example, which runs examples of "
                "docstrings: docs/keras3.md; expected the printed result",
                "example 2 of dot needs the helper docstring_example, which runs examples of "
                "docstrings: docs/keras3.md",
            ],
            "needs the helper docstring_example, which runs examples of docstrings: docs/keras3.md",
        ),
        (
            ["f(x) needs keras.layers.Input, which the target lacks; expected 1"],
            "needs keras.layers.Input, which the target lacks",
        ),
        (["exp(x) ends the process (signal 8) where ko-2.2:1 demands x"], "ends the process"),
        (["dot(x) gives (2,) where ko-2.2:981 demands ()"], "value: the result has another shape"),
    ],
)
def test_what_failures_have_in_common(messages: list[str], title: str) -> None:
    assert {cause(listed_failure(message)).removesuffix(" (signal 8)") for message in messages} == {
        title
    }


def test_a_divergence_is_told_by_its_reading_or_its_convention() -> None:
    assert cause(listed_failure("gives 1", Verdict.DIVERGES, convention="ties")) == "ties"
    named = listed_failure("gives 1", Verdict.DIVERGES, convention="ties", readings=["ties: first"])
    assert cause(named) == "ties: first"


def test_exceptions_from_one_line_of_the_implementation_have_one_cause() -> None:
    place = "keras/src/ops/nn.py:12, in relu"
    messages = [
        "relu(x) raises ValueError: no rank 7; expected x",
        "elu(x) raises ValueError in f: 3",
    ]
    failures = [listed_failure(message, place=place) for message in messages]
    assert [c.says for c in causes(failures)] == [f"raises ValueError at {place}"]
    assert all(map(is_one_cause, failures))
    elsewhere = listed_failure(
        "relu(x) raises ValueError: no", place="keras/src/ops/nn.py:40, in elu"
    )
    assert len(causes([*failures, elsewhere])) == 2


def test_a_type_without_a_message_is_no_cause_of_several_functions() -> None:
    messages = ["raises ValueError when computed; expected 1", "raises ValueError; expected 1"]
    for message in messages:
        several = [listed_failure(message), listed_failure(message)._replace(function="sum")]
        assert len(causes(several)) == 2
        assert len(causes([several[0], several[0]])) == 1


def test_exceptions_of_other_types_are_other_causes() -> None:
    failures = [listed_failure("f raises ValueError: no"), listed_failure("f raises TypeError: no")]
    assert [len(c.failures) for c in causes(failures)] == [1, 1]


def test_the_gravest_causes_come_first_then_the_most_frequent() -> None:
    common = [listed_failure("x", Verdict.DIVERGES, convention="ties") for _ in range(3)]
    many = [ListedFailure(f"f{i}", c.aspect, c.failure) for i, c in enumerate(common)]
    rare = listed_failure("x", Verdict.DIVERGES, convention="empty")
    ordered = causes([rare, *many, listed_failure("gives 1")])
    assert [c.says for c in ordered] == ["value: the result has another shape", "ties", "empty"]
    assert ordered[1].functions == ["f0", "f1", "f2"]


def test_long_lists_are_cut_and_counted() -> None:
    assert shared(["a", "b"]) == "a, b"
    assert shared(list("abcdefgh"), 3) == "a, b, c and 5 more"


def test_an_aspect_without_a_failure_has_a_cause() -> None:
    bare = aspect_result(Aspect.VALUE, Verdict.UNSUPPORTED)
    assert cause(ListedFailure("dot", bare, None)) == "value: not checked"


def test_every_function_is_named_with_the_number_of_its_failures() -> None:
    first = listed_failure("gives 1")
    failures = [ListedFailure(name, first.aspect, first.failure) for name in ("dot", "sum", "dot")]
    assert named(failures) == "dot (2), sum"
    assert named([]) == ""


def test_an_exception_or_a_signal_is_a_cause_and_a_wrong_answer_is_not() -> None:
    assert is_one_cause(listed_failure("f(x) raises ValueError: no; expected 1"))
    assert is_one_cause(listed_failure("f(x) ends the process (signal 8); expected 1"))
    assert not is_one_cause(listed_failure("f(x) gives 2 at [0]; expected 1"))


def suspected(place: str, kind: str = "value", **changes: Any) -> ListedFailure:
    line = SuspectLine(place=place, score=1.0)
    return listed_failure("f(x) gives 2; expected 1", kind=kind, suspect_lines=[line], **changes)


def test_wrong_answers_with_one_suspect_line_have_one_cause() -> None:
    here, there = "keras/src/ops/nn.py:12, in relu", "keras/src/backend/numpy/nn.py:3, in relu"
    ordered = causes([suspected(here), suspected(here), suspected(there)])
    assert [len(c.failures) for c in ordered] == [2, 1]
    assert ordered[0].says == f"value: the result has other values, at {here}"
    assert all(is_one_cause(c.failures[0]) for c in ordered)


@pytest.mark.parametrize(
    ("place", "marked"),
    [
        ("keras/src/ops/nn.py:12, in relu", True),
        ("keras/src/backend/common/dtypes.py:3, in result_type", True),
        ("keras/src/backend/torch/nn.py:3, in relu", False),
        ("my_keras/src/ops/nn.py:3, in relu", False),
    ],
)
def test_a_cause_in_the_code_that_all_backends_share_is_marked(place: str, marked: bool) -> None:
    raised = listed_failure("f(x) raises ValueError: no; expected 1", place=place)
    for entry in (suspected(place), raised):
        (only,) = causes([entry])
        assert only.front_end is marked
        assert only.title == ("front end: " if marked else "") + only.says


def test_a_wrong_dtype_is_one_cause_for_all_functions_whatever_the_line() -> None:
    pair: dict[str, Any] = {
        "kind": FindingKind.CLAIMED_DTYPE,
        "expected": "float64",
        "got": "float32",
    }
    failures = [suspected(f"keras/src/ops/nn.py:{n}, in f", **pair) for n in range(3)]
    other = listed_failure("f(x) is int32", **{**pair, "expected": "int64", "got": "int32"})
    assert [(c.says, len(c.failures)) for c in causes([*failures, other])] == [
        ("value: float32 is reported in place of float64", 3),
        ("value: int32 is reported in place of int64", 1),
    ]


def test_numbers_with_32_bits_are_one_cause_whatever_the_line() -> None:
    message = "f(x) gives inf at [0], as in 32 bits; expected 4e+38"
    lines = [SuspectLine(place="keras/src/ops/nn.py:3, in relu", score=1.0)]
    several = [listed_failure(message), listed_failure(message, suspect_lines=lines)]
    (cause_of_all,) = causes(several)
    assert cause_of_all.title == "float64 is computed with 32 bits"
    assert all(map(is_one_cause, several))


def test_the_text_of_a_line_is_clean() -> None:
    (cause_of_it,) = causes([suspected("a\x1b[2J.py:1, in f")])
    assert "\x1b" not in cause_of_it.says
