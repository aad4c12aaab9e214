"""The published records of code mutants: each survivor has been looked at, each page is current."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from conformance.mutation.code import page, records
from conformance.mutation.code.editing import OPERATOR_NAMES
from conformance.mutation.code.page import code_page, interval, kinds, score
from conformance.mutation.code.records import (
    KINDS,
    ClassificationError,
    Classified,
    CodeMutationReport,
    JudgedCodeMutant,
    Notice,
    OtherTests,
    classes,
    code_count,
    code_counts,
    compared,
    notices,
    other_tests_file,
    read_other_tests,
)

FOLDER = Path(__file__).parents[2] / "reports" / "mutation"
PUBLISHED = sorted(FOLDER.glob("*.code-mutation.json"))
SCHEMA = Path(page.__file__).parents[1] / "schema" / "code-mutation-1.schema.json"


def mutant(name: str, notice: Notice | None = None) -> JudgedCodeMutant:
    return JudgedCodeMutant(
        id=name,
        file="backend.py",
        line=3,
        function="relu",
        operator="comparison",
        before="return x < 0",
        after="return (x <= 0)",
        outcome="survived" if notice is None else "killed",
        notice=notice,
    )


def report(*judged: JudgedCodeMutant) -> CodeMutationReport:
    return CodeMutationReport(
        target="tiny",
        edition="keras-2.2",
        implementation="a tiny backend",
        suite_version="1.0",
        profile="default",
        minimised=False,
        seed=0,
        started="2000-01-01T00:00:00+00:00",
        seconds=120.0,
        population=100,
        sample=len(judged),
        sources={},
        summary=code_count("all", judged),
        operators=code_counts(judged, "operator"),
        functions=code_counts(judged, "function"),
        noticed=notices(judged),
        mutants=list(judged),
    )


FOUR = report(mutant("a", Notice(how="stale")), mutant("b"), mutant("c"), mutant("d"))
KNOWN = {
    "b": Classified(target="tiny", mutants=["b"], kind="equivalent", reason="at 0 both are 0"),
    "c": Classified(target="tiny", mutants=["c"], kind="missing case", reason="no x is 0"),
}


def test_a_page_counts_what_nobody_looked_at() -> None:
    page = code_page(FOUR, KNOWN)
    assert "| 4 | 1 | 3 | 1 | 0 | 0 | 1 | 1 | 25.0 % | 33.3 % |" in page
    assert "## Survivors: not looked at (1)" in page
    assert "at 0 both are 0" in page
    assert "a random sample of 4 of 100 mutants, seed 0" in page


def test_equivalent_changes_are_left_out_of_the_second_score_only() -> None:
    assert kinds(FOUR, KNOWN)["not looked at"] == 1
    assert FOUR.summary.score == 0.25
    assert score(FOUR, KNOWN) == pytest.approx(1 / 3)


def test_a_sample_has_an_interval() -> None:
    assert interval(42, 50) == pytest.approx((0.7149, 0.9166), abs=2e-4)  # SciPy's binomtest
    assert interval(0, 0) == (0.0, 1.0)
    assert interval(50, 50)[1] == pytest.approx(1.0)
    assert "between 6.1 % and 79.2 %" in " ".join(code_page(FOUR, KNOWN).split())


def test_other_tests_are_compared_on_what_they_were_given() -> None:
    other = OtherTests(
        about="Tests",
        passing=["one"],
        failing=["two"],
        noticed={"a": [], "b": ["one"], "c": []},
    )
    comparison = compared(FOUR, other)
    assert (comparison.both, comparison.gate_only, comparison.tests_only, comparison.neither) == (
        [],
        ["a"],
        ["b"],
        ["c"],
    )
    page = code_page(FOUR, KNOWN, other)
    assert "| the gate notices | 0 | 1 |" in page
    assert "* `b` relu: only by `one`" in page


def test_a_report_keeps_to_its_schema() -> None:
    assert SCHEMA.read_bytes() == page.encode_schema(), "python -m tools.schemas writes it"
    jsonschema.validate(json.loads(page.encode(FOUR)), json.loads(SCHEMA.read_text("utf-8")))
    assert msgspec.json.decode(page.encode(FOUR), type=CodeMutationReport) == FOUR


@pytest.mark.parametrize("text", ["survivor = 3", "[", '[[survivor]]\ntarget = "a"'])
def test_a_list_of_survivors_that_cannot_be_read_says_what_to_write(text: str) -> None:
    with pytest.raises(ClassificationError, match="missing case, missing reading, shared identity"):
        records.load_classified(text)


def test_a_survivor_without_an_entry_is_told() -> None:
    assert records.unclassified(set(KNOWN), FOUR.survivors) == ["d"]


@pytest.fixture(params=PUBLISHED, ids=lambda file: file.name)
def published(request: pytest.FixtureRequest) -> CodeMutationReport:
    return page.read_report(request.param)


def test_there_are_published_reports() -> None:
    assert PUBLISHED


def test_every_published_survivor_was_looked_at(published: CodeMutationReport) -> None:
    known = classes(records.load_classified(), published.target)
    assert records.unclassified(set(known), published.survivors) == []


def test_every_entry_is_of_a_survivor(published: CodeMutationReport) -> None:
    survivors = {survivor.id for survivor in published.survivors}
    known = classes(records.load_classified(), published.target)
    assert set(known) == survivors


def test_a_published_page_says_what_its_record_says(published: CodeMutationReport) -> None:
    known = classes(records.load_classified(), published.target)
    other = read_other_tests(other_tests_file(FOLDER, published.target))
    page = FOLDER / f"{published.target}.code-mutation.md"
    assert page.read_text("utf-8") == code_page(published, known, other)
    assert {mutant.operator for mutant in published.mutants} <= set(OPERATOR_NAMES)


def test_no_mutant_is_named_twice_and_every_entry_has_a_reason() -> None:
    entries = records.load_classified()
    named = [(e.target, name) for e in entries for name in e.mutants]
    assert len(named) == len(set(named))
    assert all(e.reason.strip() and e.kind in KINDS for e in entries)
    assert {e.target for e in entries} <= {page.read_report(f).target for f in PUBLISHED}
