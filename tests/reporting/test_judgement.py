"""What JUnit's file, annotations and CSV make of known failures, lost aspects and stale entries."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest

from conformance.reporting import csv_table, github, junit
from conformance.reporting.judgement import AspectJudgement, GateJudgement, StaleEntry
from conformance.results import Aspect, Failure, FunctionResult, Results, Verdict
from tests.reporting.records import HOSTILE, aspect_result, failure, results
from tests.reporting.test_formats import JUNIT

OLD = failure(id="a" * 12, message="gives 1; expected 2")
NEW = failure(id="b" * 12, message="gives 3; expected 4")
STALE = StaleEntry(
    file="ci/known.toml", line=6, entry="exp value violates", says="delete these lines"
)
REASON = AspectJudgement(known=[OLD], reason="see issue 7")


def of_dot(verdict: Verdict = Verdict.VIOLATES, *failures: Failure) -> Results:
    aspect = aspect_result(Aspect.VALUE, verdict, *failures)
    return results("mine", [FunctionResult("dot", "linear algebra", [aspect])])


def judged(aspect: AspectJudgement, *stale: StaleEntry) -> GateJudgement:
    return GateJudgement(aspects={("mine", "dot", Aspect.VALUE): aspect}, stale=stale)


def suites(content_of_target: Results, judgement: GateJudgement) -> list[ElementTree.Element]:
    content = junit.render([content_of_target], judgement).decode()
    JUNIT.validate(content)
    return list(ElementTree.fromstring(content))


def case(content: Results, aspect: AspectJudgement) -> ElementTree.Element:
    (only,) = suites(content, judged(aspect))[0].iter("testcase")
    return only


def errors(content: Results, judgement: GateJudgement) -> list[str]:
    lines = github.render_annotations([content], judgement).decode().splitlines()
    return [line for line in lines if line.startswith("::error ")]


def test_junit_skips_what_is_known_with_its_reason() -> None:
    (skipped,) = case(of_dot(Verdict.VIOLATES, OLD), REASON)
    assert (skipped.tag, skipped.get("message")) == ("skipped", "known: see issue 7")
    assert "gives 1; expected 2" in (skipped.text or "")
    suite = suites(of_dot(Verdict.VIOLATES, OLD), judged(REASON))[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")


def test_junit_fails_for_what_is_unexpected_beside_what_is_known() -> None:
    aspect = AspectJudgement(known=[OLD], reason="see issue 7", unexpected=[NEW], fails=True)
    failed, output = case(of_dot(Verdict.VIOLATES, OLD, NEW), aspect)
    assert (failed.tag, failed.get("message")) == ("failure", "gives 3; expected 4 (ko-2.2:1053)")
    assert "gives 1" not in (failed.text or "")
    assert (output.text or "").endswith(" (known: see issue 7)")


def test_a_crash_is_an_error_and_what_fail_on_names_a_failure() -> None:
    crash = failure(Verdict.CRASHED)
    aspect = AspectJudgement(unexpected=[crash], fails=True)
    assert case(of_dot(Verdict.CRASHED, crash), aspect)[0].tag == "error"
    other = failure(Verdict.DIVERGES)
    aspect = AspectJudgement(unexpected=[other], fails=True)
    assert [child.tag for child in case(of_dot(Verdict.DIVERGES, other), aspect)] == ["failure"]


def test_a_lost_function_says_what_it_was() -> None:
    aspect = AspectJudgement(fails=True, was=Verdict.CONFORMS)
    (failed,) = case(of_dot(Verdict.UNSUPPORTED), aspect)
    assert (failed.tag, failed.get("message")) == ("failure", "was conforms: unsupported")
    (line,) = errors(of_dot(Verdict.UNSUPPORTED), judged(aspect))
    assert line == ("::error title=dot is unsupported on mine::unsupported. It was: conforms")


def test_stale_entries_have_a_suite_of_their_own_and_an_annotation_at_their_line() -> None:
    content, judgement = of_dot(Verdict.CONFORMS), judged(AspectJudgement(), STALE)
    mine, file = suites(content, judgement)
    assert mine.get("failures") == "0"
    assert (file.get("name"), file.get("tests"), file.get("failures")) == ("known.toml", "1", "1")
    assert file[1][0].get("message") == "delete these lines"
    assert errors(content, judgement) == [
        "::error file=ci/known.toml,line=6,title=stale%3A exp value violates::delete these lines"
    ]


def test_annotations_name_only_what_is_unexpected() -> None:
    content = of_dot(Verdict.VIOLATES, OLD, NEW)
    assert len(errors(content, judged(AspectJudgement(unexpected=[NEW], fails=True)))) == 1
    assert errors(content, judged(REASON)) == []


def test_there_are_no_more_annotations_than_are_shown() -> None:
    many = [failure(id=f"{n:012}", kind=f"kind {n}") for n in range(20)]
    content = of_dot(Verdict.VIOLATES, *many)
    judgement = judged(AspectJudgement(unexpected=many, fails=True), *[STALE] * 9)
    lines = errors(content, judgement)
    assert len(lines) == github.MOST_ANNOTATIONS
    assert "6 more entries are stale: exp value violates; " in lines[-1]
    assert "15 more causes, in dot (15)" in lines[github.MOST_ANNOTATIONS - github.MOST_STALE - 1]


def test_the_table_says_what_is_known_and_why() -> None:
    content_of_target = of_dot(Verdict.VIOLATES, OLD)
    for aspect, expected in ((REASON, ("known", "see issue 7")), (AspectJudgement(), ("", ""))):
        content = csv_table.render([content_of_target], judged(aspect)).decode()
        (row,) = csv.DictReader(io.StringIO(content))
        assert (row["judged"], row["reason"]) == expected
    assert "reason" not in csv_table.render([content_of_target]).decode()


@pytest.mark.parametrize("text", HOSTILE)
def test_reasons_and_names_of_files_harm_no_reader(text: str) -> None:
    stale = StaleEntry(file=text, line=1, entry=text, says=text)
    aspect = AspectJudgement(known=[OLD], reason=text or "known")
    content = of_dot(Verdict.VIOLATES, OLD)
    suites(content, judged(aspect, stale))
    assert len(errors(content, judged(aspect, stale))) == 1
