"""Where two targets differ, from results made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.reporting.difference import (
    Comparison,
    compare,
    encode,
    encode_schema,
    markdown,
    remarks,
    terminal_lines,
)
from conformance.reporting.paint import Paint, make_console
from conformance.results import (
    Aspect,
    AspectResult,
    Failure,
    FunctionResult,
    Results,
    Verdict,
    model,
)
from tests.reporting.records import HOSTILE, failure, results

SCHEMA = Path(model.__file__).parent / "schema" / "difference-1.schema.json"


def target_with(name: str, verdict: Verdict, *failures: Failure, cases: int = 10) -> Results:
    aspect = AspectResult(
        aspect=Aspect.VALUE, verdict=verdict, cases=cases, failures=list(failures)
    )
    return results(name, [FunctionResult("dot", "linear algebra", [aspect])])


def words(comparison: Comparison, *, verbose: bool = False) -> str:
    lines = terminal_lines(comparison, Paint(make_console()), verbose=verbose)
    return "\n".join(line.plain for line in lines)


RIGHT = target_with("right", Verdict.CONFORMS, cases=12)
WRONG = target_with("wrong", Verdict.VIOLATES, failure())


def test_the_smallest_case_of_the_one_that_fails_is_shown_beside_the_other() -> None:
    text = words(compare(RIGHT, WRONG))
    assert "1 of 1 aspects that were judged on both differ, in 1 function" in text
    assert "wrong: gives (2,); expected (2, 1) (ko-2.2:1053)  f1a2" in text
    assert "right conforms on 12 cases" in text
    assert "--failure ID --script" in text


def test_the_script_stands_in_every_format() -> None:
    comparison = compare(WRONG, RIGHT)
    assert "print(K.eval(x))" in words(comparison, verbose=True)
    assert "print(K.eval(x))" in markdown(comparison)
    assert b"print(K.eval(x))" in encode(comparison)


def test_a_failure_that_both_have_is_no_difference() -> None:
    assert compare(WRONG, target_with("also wrong", Verdict.VIOLATES, failure())).differences == []


def test_another_answer_in_the_same_case_is_one() -> None:
    program: dict[str, Any] = {"inputs": [], "steps": [], "outputs": []}
    two = failure(program=program, got="2", message="gives 2")
    three = failure(program=program, got="3", message="gives 3")
    comparison = compare(
        target_with("a", Verdict.VIOLATES, two), target_with("b", Verdict.VIOLATES, three)
    )
    text = words(comparison)
    assert "a: gives 2" in text
    assert "b, same case: gives 3" in text
    assert text.count("gives 3") == 1


def reads(name: str, verdict: Verdict, *readings: str, convention: str | None = None) -> Results:
    taken = failure(Verdict.DIVERGES, convention=convention or "layout", readings=list(readings))
    return target_with(name, verdict, taken)


def test_another_reading_of_one_failure_is_a_difference() -> None:
    a, b = (reads(name, Verdict.DIVERGES, f"layout: {name}") for name in ("th", "odd"))
    comparison = compare(a, b)
    assert len(comparison.differences) == 1
    (difference,) = comparison.conventions
    assert (difference.convention, difference.a, difference.b) == ("layout", ["th"], ["odd"])
    assert difference.functions == ["dot"]
    assert "≈ layout: th takes th, odd takes odd; in dot" in words(comparison)
    assert "| `layout` | takes th | takes odd | `dot` |" in markdown(comparison)


def test_the_same_reading_is_no_difference() -> None:
    a, b = (reads(name, Verdict.DIVERGES, "layout: th") for name in ("one", "two"))
    comparison = compare(a, b)
    assert (comparison.differences, comparison.conventions) == ([], [])
    assert "readings" not in words(comparison)


def test_who_conforms_takes_the_own_reading_of_the_suite() -> None:
    comparison = compare(RIGHT, reads("other", Verdict.DIVERGES, "layout: th"))
    line = "≈ layout: right takes the suite's own reading, other takes th; in dot"
    assert line in words(comparison)


def test_the_reading_of_who_does_otherwise_is_not_guessed() -> None:
    comparison = compare(WRONG, reads("other", Verdict.DIVERGES, "layout: th"))
    assert comparison.conventions == []


def test_a_file_without_readings_is_compared_by_convention() -> None:
    comparison = compare(RIGHT, reads("old", Verdict.DIVERGES, convention="empty, layout"))
    assert [convention.convention for convention in comparison.conventions] == ["empty", "layout"]
    assert "old takes another reading" in words(comparison)


def test_editions_are_compared_by_the_sort_of_failure() -> None:
    old = failure(id="another", kind="shape")
    other = target_with("old", Verdict.VIOLATES, old)
    target = {**json.loads(encode(compare(other, other)))["a"]["target"], "edition": "keras-1"}
    other = Results(
        target=model.TargetInfo(**target),
        run=other.run,
        summary=other.summary,
        functions=other.functions,
    )
    comparison = compare(WRONG, other)
    assert comparison.differences == []
    assert any("the editions differ" in remark for remark in remarks(comparison))


def test_what_was_not_judged_on_both_is_said_and_not_counted() -> None:
    empty = results("empty", [])
    comparison = compare(WRONG, empty)
    assert comparison.compared == 0
    assert comparison.only_in_a == ["dot"]
    assert "judged only on wrong: dot" in words(comparison)


def test_functions_and_aspects_can_be_selected() -> None:
    assert compare(RIGHT, WRONG, select=lambda name: name != "dot").compared == 0
    assert compare(RIGHT, WRONG, aspects=[Aspect.DTYPE]).compared == 0


def test_the_json_obeys_its_published_schema() -> None:
    assert SCHEMA.read_bytes() == encode_schema(), "python -m tools.schemas writes it"
    data = json.loads(encode(compare(RIGHT, WRONG)))
    jsonschema.validate(data, json.loads(SCHEMA.read_bytes()), jsonschema.Draft202012Validator)
    assert data["schema"] == "conformance-difference/1"


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_text_of_an_implementation_does_no_harm(text: str) -> None:
    comparison = compare(RIGHT, target_with(text, Verdict.VIOLATES, failure(message=text)))
    page = markdown(comparison)
    assert "<script>alert" not in page
    assert "\x1b" not in page + words(comparison)
    json.loads(encode(comparison))
