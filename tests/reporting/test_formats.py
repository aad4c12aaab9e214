"""Every format but HTML: held to its schema, and to what it must say."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
from msgspec.structs import replace

from conformance.reporting import csv_table, github, junit, scores
from conformance.reporting.documented import Documented
from conformance.reporting.formats import FORMATS, FormatWriter, format_files
from conformance.reporting.markdown import MarkdownWriter
from conformance.reporting.safe_text import clean, slug
from conformance.reporting.targets import target_histories
from conformance.reporting.writer import Writer
from conformance.results import (
    Aspect,
    AspectResult,
    Citation,
    Failure,
    FunctionResult,
    Results,
    Spent,
    Verdict,
)
from conformance.results.events import Event, RunFinished, RunStarted, TargetFinished
from tests.reporting.records import (
    HOSTILE,
    JUDGED,
    aspect_result,
    ended,
    every_verdict,
    failure,
    function,
    hostile,
    results,
)
from tests.reporting.test_markdown import inline, parsed, table_rows

SCHEMAS = Path(__file__).parent / "schemas"
JUNIT = xmlschema.XMLSchema(SCHEMAS / "junit.xsd")
SHIELDS = json.loads((SCHEMAS / "shields.schema.json").read_text())
ATTACKS = [hostile(text) for text in HOSTILE]


def suite(contents: list[Results]) -> ElementTree.Element:
    content = junit.render(contents).decode()
    JUNIT.validate(content)
    return ElementTree.fromstring(content)


def files(name: str, contents: list[Results]) -> dict[str, bytes]:
    return dict(format_files(name, contents, Documented()))


@pytest.mark.parametrize(
    ("verdict", "tag"),
    [
        (Verdict.VIOLATES, "failure"),
        (Verdict.CRASHED, "error"),
        (Verdict.TIMED_OUT, "error"),
        (Verdict.UNSUPPORTED, "skipped"),
    ],
)
def test_junit_says_what_came_of_an_aspect(verdict: Verdict, tag: str) -> None:
    root = suite([results("mine", [function("dot", verdict)])])
    (case,) = [c for c in root.iter("testcase") if c.find(tag) is not None]
    assert case.attrib == {
        "classname": "mine.linear_algebra.dot",
        "name": "dot value",
    }
    counted = {"failure": "failures", "error": "errors", "skipped": "skipped"}[tag]
    assert root[0].get(counted) == "1"


def test_junit_passes_what_conforms_or_diverges_and_tells_the_divergence() -> None:
    (case,) = suite([results("m", [_single(Verdict.DIVERGES)])]).iter("testcase")
    assert [child.tag for child in case] == ["system-out"]
    text = case[0].text or ""
    assert text.startswith("diverges: gives (2,)")
    assert text.endswith(" (reading: ties)")
    (case,) = suite([results("m", [_single(Verdict.CONFORMS)])]).iter("testcase")
    assert len(case) == 0


def test_what_is_refused_beside_a_divergence_is_skipped_by_junit() -> None:
    failures = [
        failure(Verdict.DIVERGES),
        failure(Verdict.UNSUPPORTED, message="refuses", convention=None),
    ]
    aspect = aspect_result(Aspect.VALUE, Verdict.DIVERGES, *failures)
    (case,) = suite([results("m", [FunctionResult("dot", "t", [aspect])])]).iter("testcase")
    assert [child.tag for child in case] == ["skipped", "system-out"]
    assert case[0].get("message") == "refuses"


def test_junit_has_no_case_for_what_is_not_demanded() -> None:
    assert not list(suite([results("m", [_single(Verdict.NOT_APPLICABLE)])]).iter("testcase"))


def test_junit_has_times_and_names_without_dots_of_their_own() -> None:
    content = results("keras-2.2.4-x", [function("dot", Verdict.CONFORMS)])
    run = replace(content.run, spent={"dot": Spent(cases=3, seconds=2.6)}, seconds=4.5)
    root = suite([replace(content, run=run)])
    cases = list(root.iter("testcase"))
    assert {case.get("classname") for case in cases} == {"keras-2_2_4-x.linear_algebra.dot"}
    assert sum(float(case.get("time", "")) for case in cases) == pytest.approx(2.6, abs=0.01)
    assert root[0].get("time") == "4.500"


def test_csv_has_the_ids_of_failures() -> None:
    failures = [failure(Verdict.DIVERGES, id="d1"), failure(Verdict.VIOLATES, id="v1")]
    aspect = aspect_result(Aspect.VALUE, Verdict.VIOLATES, *failures)
    content = csv_table.render([results("m", [FunctionResult("dot", "t", [aspect])])]).decode()
    (row,) = csv.DictReader(io.StringIO(content))
    assert (row["failure"], row["failure_ids"]) == ("v1", "d1 v1")


def test_annotations_are_plain_english() -> None:
    bad = [
        FunctionResult(name, "t", [aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(id="v1"))])
        for name in ("dot", "sum")
    ]
    died = aspect_result(Aspect.VALUE, Verdict.CRASHED, failure(Verdict.CRASHED, id="c1"))
    lines = github.render_annotations(
        [results("mine", [*bad, FunctionResult("exp", "t", [died])])]
    ).decode()
    first, second, notice = lines.splitlines()
    assert first.startswith("::error title=dot%2C sum contradict a document on mine::gives (2,)")
    assert first.endswith(
        "1 more failure with this cause: sum. Run it again: conformance replay v1 --target mine"
    )
    assert second.startswith("::error title=exp ends the process on mine::")
    assert notice.startswith("::notice title=0.0 %25 of the aspects of mine follow the documents::")
    assert "2 contradict a document; 1 end the process" in notice


def test_junit_counts_add_up() -> None:
    root = suite([every_verdict("a"), every_verdict("b")])
    cases = list(root.iter("testcase"))
    assert int(root.get("tests", "")) == len(cases)
    assert int(root.get("failures", "")) == len(list(root.iter("failure"))) == 2
    assert int(root.get("errors", "")) == len(list(root.iter("error"))) == 4


def test_junit_says_where_the_cited_line_can_be_read() -> None:
    text = suite([every_verdict("mine")]).findtext(".//failure") or ""
    assert re.search(r"^ko-2\.2:1053: https://github\.com/\S+\?plain=1#L1053$", text, re.MULTILINE)
    unknown = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(citation=Citation("ko-9", 3)))
    content = results("mine", [FunctionResult("dot", "linear algebra", [unknown])])
    assert "https://" not in (suite([content]).findtext(".//failure") or "")


def test_junit_shows_the_script() -> None:
    (element,) = suite([results("m", [_single(Verdict.VIOLATES)])]).iter("failure")
    assert "from keras import backend as K" in (element.text or "")


def test_junit_holds_hostile_text_as_text() -> None:
    root = suite(ATTACKS)
    assert {s.get("name") for s in root} == {clean(text) for text in HOSTILE}


def test_csv_has_a_line_for_each_verdict_and_its_gravest_failure() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_table.render([every_verdict()]).decode())))
    assert tuple(rows[0]) == csv_table.COLUMNS
    assert len(rows) == sum(len(f.aspects) for f in every_verdict().functions)
    (worst,) = [r for r in rows if r["verdict"] == "violates"]
    assert (worst["function"], worst["aspect"]) == ("f_violates", "value")
    assert worst["citation"] == "ko-2.2:1053"


def test_csv_has_the_standing_and_all_readings_of_an_aspect() -> None:
    taken = [
        failure(Verdict.DIVERGES, convention="ties", readings=["ties: first"]),
        failure(Verdict.DIVERGES, convention="empty"),
    ]
    aspect = aspect_result(Aspect.VALUE, Verdict.DIVERGES, *taken)
    content = csv_table.render([results("m", [FunctionResult("dot", "t", [aspect])])]).decode()
    (row,) = csv.DictReader(io.StringIO(content))
    assert (row["verdict"], row["standing"]) == ("diverges", "conforms")
    assert row["readings"] == "empty, ties: first"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "a,b\n=c"])
def test_csv_has_no_formula(text: str) -> None:
    rows = list(csv.reader(io.StringIO(csv_table.render([hostile(text)]).decode())))
    assert {len(row) for row in rows} == {len(csv_table.COLUMNS)}
    assert not [cell for row in rows for cell in row if cell.startswith(tuple("=+-@"))]


def test_csv_of_hostile_results_keeps_its_lines() -> None:
    rows = list(csv.reader(io.StringIO(csv_table.render(ATTACKS).decode())))
    assert len(rows) == 1 + 2 * len(HOSTILE)


def test_scores_are_as_their_schema_says() -> None:
    content = json.loads(scores.render([every_verdict(), *ATTACKS]))
    jsonschema.validate(content, scores.json_schema())
    target = content["targets"][0]
    points = {
        "conforming": 73,
        "kept": 74,
        "missing": 1,
        "demanded": 78,
        "changed": 0,
        "errors": 0,
    }
    assert target["score"] == points
    assert target["verdicts"]["f_violates"]["value"] == "violates"
    assert target["themes"] == {"linear algebra": points}
    assert target["readings"] == {"f_diverges": {"value": ["ties"]}}


def test_the_published_schema_of_scores_is_that_of_the_records() -> None:
    folder = resources.files("conformance.reporting").joinpath("schema")
    assert folder.joinpath("scores-1.schema.json").read_bytes() == scores.encode_schema()


def test_scores_of_a_part_are_not_complete() -> None:
    content = json.loads(scores.render([results("m", [], selection="dot")]))
    assert content["targets"][0]["complete"] is False


@pytest.mark.parametrize("line", [*HOSTILE, "::error::x", "a%0Ab", "x\n::stop-commands::y"])
def test_an_annotation_is_one_command(line: str) -> None:
    content = github.render_annotations([hostile(line)]).decode()
    commands = content.splitlines()
    assert len(commands) == 2
    for command in commands:
        assert re.fullmatch(r"::(error|notice) title=[^,:]*::.*", command), command


def test_annotations_are_no_more_than_are_shown() -> None:
    functions = [
        FunctionResult(f"f{i}", "t", [aspect_result(Aspect.VALUE, Verdict.VIOLATES, _kind(i))])
        for i in range(30)
    ]
    errors = [
        line
        for line in github.render_annotations([results("m", functions)]).decode().splitlines()
        if line.startswith("::error")
    ]
    assert len(errors) == github.MOST_ANNOTATIONS
    assert "21 more causes" in errors[-1]
    assert all(re.search(rf"\bf{i}\b", errors[-1]) for i in range(9, 30))


def test_a_summary_has_the_scores_and_the_causes() -> None:
    page = github.render_summary([every_verdict("mine")]).decode()
    rows = table_rows(parsed(page))
    assert rows[1][0] == "mine"
    assert rows[1][1:3] == ["94.9 % of 78", "1.3 %"]
    assert dict(zip(rows[0], rows[1], strict=True))["≈ other readings"] == "1"
    assert "mine: 3 failures" in page
    assert "```python" in page


def test_a_summary_of_hostile_results_has_no_element_of_theirs() -> None:
    tokens = parsed(github.render_summary(ATTACKS).decode())
    raw = [t.content for t in (*tokens, *inline(tokens)) if t.type.startswith("html")]
    allowed = {"<details><summary>script</summary>", "</details>"}
    assert {line.strip() for content in raw for line in content.splitlines()} <= allowed
    assert len(table_rows(tokens)) == 1 + len(HOSTILE)


def test_a_summary_stays_under_what_github_takes() -> None:
    long = failure(script="x = 1\n" * 20_000)
    functions = [FunctionResult("f", "t", [aspect_result(Aspect.VALUE, Verdict.VIOLATES, long)])]
    contents = [results(f"t{i}", functions) for i in range(12)]
    page = github.render_summary(contents)
    assert len(page) < github.LARGEST
    assert "The failures do not fit here" in page.decode()
    assert all(f"`t{i}`" in page.decode() for i in range(12))


def test_badges_are_what_shields_takes_and_the_same_picture() -> None:
    for name, content in files("badges", [every_verdict(), *ATTACKS]).items():
        if name.endswith(".json"):
            jsonschema.validate(json.loads(content), SHIELDS)
        else:
            ElementTree.fromstring(content)
    badge = json.loads(files("badges", [every_verdict("mine")])["badges/mine.json"])
    assert badge["message"] == "94.9 % of 78, 1 missing"
    assert (
        "94.9 % of 78, 1 missing"
        in files("badges", [every_verdict("mine")])["badges/mine.svg"].decode()
    )


def test_the_badge_of_a_part_says_so() -> None:
    contents = [results("m", [function("dot", Verdict.CONFORMS)], selection="dot")]
    assert json.loads(files("badges", contents)["badges/m.json"])["message"].endswith(", a part")


def test_pictures_hold_nothing_that_runs() -> None:
    for name, content in files("pictures", [every_verdict(), *ATTACKS]).items():
        for element in ElementTree.fromstring(content).iter():
            assert element.tag.rpartition("}")[2] in {
                *("svg", "title", "style", "g", "rect", "text", "path", "line", "circle"),
                *("polyline",),
            }, name
            assert not [a for a in element.attrib if a.startswith("on") or a.endswith("href")]


def test_the_heat_map_has_a_cell_for_each_function_and_target() -> None:
    content = files("pictures", [every_verdict("a"), every_verdict("b")])["pictures/matrix.svg"]
    root = ElementTree.fromstring(content)
    cells = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")][1:]
    assert cells.count("f_violates: violates") == 2
    assert len(cells) == 2 * len(JUDGED)


def test_a_history_is_drawn_where_there_is_one() -> None:
    new = replace(every_verdict(), run=replace(every_verdict().run, started="2024-07-01T00:00:00Z"))
    assert "pictures/history.svg" not in files("pictures", [new])
    content = files("pictures", [every_verdict(), new])["pictures/history.svg"].decode()
    assert content.count("<circle") == 2
    assert "2024-05-06" in content
    assert "2024-07-01" in content
    later = replace(new, run=replace(new.run, started="2024-07-01T13:14:00Z"))
    assert "2024-07-01 13:14" in files("pictures", [new, later])["pictures/history.svg"].decode()


def test_the_newest_results_of_a_target_count() -> None:
    new = replace(
        results("m", [function("dot", Verdict.CONFORMS)]),
        run=replace(every_verdict().run, started="2024-07-01T00:00:00Z"),
    )
    for contents in ([every_verdict("m"), new], [new, every_verdict("m")]):
        (line,) = target_histories(contents)
        assert line.newest.results is new
        assert len(line.older) == 1
        assert len(json.loads(files("json", contents)["scores.json"])["targets"]) == 1
    (line,) = target_histories([new, every_verdict("m"), new])
    assert len(line.older) == 1


def test_a_name_in_two_editions_is_two_targets() -> None:
    old = every_verdict("m")
    old = replace(old, target=replace(old.target, edition="keras-1"))
    keys = [line.newest.key for line in target_histories([every_verdict("m"), old])]
    assert len(set(keys)) == 2


@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("html",)])
def test_the_same_results_give_the_same_bytes(name: str) -> None:
    assert files(name, [every_verdict()]) == files(name, [every_verdict()])


@pytest.mark.parametrize("name", FORMATS)
def test_a_writer_writes_when_the_run_is_over(name: str, tmp_path: Path) -> None:
    writer = FormatWriter(name, tmp_path, Documented())
    writer.handle(TargetFinished(every_verdict()))
    assert not list(tmp_path.iterdir())
    writer.handle(RunFinished(1.0, False))
    writer.close()
    written = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert written == set(files(name, [every_verdict()]))


@pytest.mark.parametrize(
    "text", [*HOSTILE, "..", "a/../b", "A", "a..b", ".a", "a.", "é", "a" * 300]
)
def test_a_slug_is_a_plain_name(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*", slug(text))
    assert len(slug(text)) <= 80


def test_slugs_of_different_names_differ() -> None:
    names = [*HOSTILE, "a b", "a-b", "A-b", "a.b", "a..b"]
    assert len({slug(n) for n in names}) == len(set(names))


def _single(verdict: Verdict) -> FunctionResult:
    failures = [failure(verdict)] if verdict in (Verdict.VIOLATES, Verdict.DIVERGES) else []
    made_here = AspectResult(aspect=Aspect.VALUE, verdict=verdict, cases=3, failures=failures)
    return FunctionResult("dot", "linear algebra", [made_here])


def _kind(number: int) -> Failure:
    return failure(kind=f"kind {chr(ord('a') + number % 26)}{'x' * (number // 26)}")


def test_targets_come_in_the_order_in_which_they_were_asked_for(tmp_path: Path) -> None:
    first, second = (results(name, every_verdict().functions) for name in ("alpha", "omega"))
    events: list[Event] = [
        RunStarted({"alpha": 1, "omega": 1}),
        TargetFinished(second),
        TargetFinished(first),
        RunFinished(1.0, interrupted=False),
    ]
    writers: list[Writer] = [MarkdownWriter(tmp_path), FormatWriter("csv", tmp_path, Documented())]
    for writer in writers:
        for event in events:
            writer.handle(event)
    for name in ("matrix.md", "results.csv"):
        text = (tmp_path / name).read_text("utf-8")
        assert 0 < text.index("alpha") < text.index("omega")


@pytest.mark.parametrize("name", list(FORMATS))
def test_what_was_not_run_is_said_and_is_not_green(name: str) -> None:
    content = b"".join(content for _, content in format_files(name, [ended()], Documented()))
    content = gzip.decompress(content) if name == "compressed" else content
    if name not in ("annotations", "badges"):
        assert b"not run" in content or b"v-not-run" in content
    assert b"100.0 %" not in content
    assert b"100%" not in content or name == "html"
