"""What a successor changes, in every format: neither kept nor a fault, with document and row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from conformance.reporting import csv_table, github, junit, markdown, scores
from conformance.reporting.detail import function_lines
from conformance.reporting.difference import compare, terminal_lines
from conformance.reporting.json_results import encode, json_schema, read_results
from conformance.reporting.matrix import column, marks_of, matrix
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.pictures.badge import endpoint
from conformance.reporting.pictures.heatmap import heatmap
from conformance.reporting.pictures.svg import name
from conformance.reporting.summary import score_line, shared_failures
from conformance.reporting.targets import target_histories
from conformance.results import ASPECTS, Verdict
from conformance.results.scores import CHANGES, DEVIATIONS, FAULTS
from tests.reporting.html.test_html import site
from tests.reporting.records import ROW, function, results

CITED = "ko-2.2:1053; keras3.toml: dot"
CHANGED = results(
    "keras3-numpy", [function("dot", Verdict.CHANGED), function("exp", Verdict.CONFORMS)]
)
DEMANDED = 2 * len(ASPECTS)


def plain(lines: Iterable[object]) -> str:
    return "\n".join(str(line) for line in lines)


def test_a_change_is_no_fault() -> None:
    assert Verdict.CHANGED in DEVIATIONS
    assert not {*CHANGES} & {*FAULTS}


def test_the_terminal_counts_and_lists_changes() -> None:
    paint = Paint(make_console())
    line = str(score_line(CHANGED.functions, paint))
    assert (
        line == f"{DEMANDED - 1} of {DEMANDED} aspects follow the documents (96.2 %), ≠ 1 changed"
    )
    (shared,) = shared_failures([column(CHANGED)], ["numpy"])
    text = str(shared.line(paint))
    assert text.startswith("≠ dot  value  gives (2,); expected (2, 1) ")
    assert CITED in text
    assert "≠ changed: a successor's call differs, which is not a fault" in plain(
        matrix([column(CHANGED)], paint, 100)
    )
    assert "≠ 12/13" in plain(matrix([column(CHANGED)], paint, 100))


def test_show_names_the_call_that_replaces_the_function() -> None:
    shown = plain(function_lines([CHANGED], "dot", Paint(make_console()), 100))
    assert "demanded by ko-2.2:1053" in shown
    assert f"replaced (keras3.toml: dot) by {ROW.call}" in shown


def test_the_legend_has_changes_only_where_there_are_some() -> None:
    conforming = results("keras-2.2.4-theano", [function("exp", Verdict.CONFORMS)])
    assert Verdict.CHANGED not in marks_of([column(conforming)])
    assert Verdict.CHANGED in marks_of([column(conforming), column(CHANGED)])


def test_markdown_has_a_row_and_a_section_of_changes() -> None:
    page = markdown.render([CHANGED])
    assert f"| **changed** | 1/{DEMANDED} |" in page
    assert "| `dot` | ≠ M 12/13 |" in page
    assert "* ≠ M: changed: a successor's call differs, which is not a fault" in page
    assert "### Changes of keras3-numpy" in page
    assert f"(`f1a2`, {CITED}, 3 of 10 cases)" in page
    assert "Violations" not in page


def test_the_job_summary_has_a_column_of_changes_where_there_are_some() -> None:
    page = github.render_summary([CHANGED]).decode()
    assert "| ≠ changed |" in page
    assert "### keras3-numpy: 1 changes of 1 causes" in page
    violating = results("t", [function("exp", Verdict.VIOLATES)])
    assert "changed" not in github.render_summary([violating]).decode()


def test_junit_skips_what_is_changed() -> None:
    root = ElementTree.fromstring(junit.render([CHANGED]))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    (case,) = [c for c in root.iter("testcase") if c.find("skipped") is not None]
    skipped = case.find("skipped")
    assert skipped is not None
    assert CITED in str(skipped.get("message"))


def test_an_annotation_of_a_change_is_a_notice() -> None:
    commands = github.render_annotations([CHANGED]).decode().splitlines()
    assert all(command.startswith("::notice ") for command in commands)
    counted, changed = commands
    assert "; 1 differ from K" in counted
    assert changed.startswith("::notice title=dot differs from K on keras3-numpy::")
    assert CITED in changed


def test_notices_are_no_more_than_are_shown() -> None:
    many = [results(f"t{i}", [function("dot", Verdict.CHANGED)]) for i in range(8)]
    commands = github.render_annotations(many).decode().splitlines()
    assert len(commands) == github.MOST_ANNOTATIONS
    assert commands[-1].startswith("::notice title=more changes::7 more causes, in dot (7)")
    assert len(github.render_annotations(many * 2).decode().splitlines()) == github.MOST_ANNOTATIONS


def test_csv_has_the_line_and_the_row() -> None:
    content = csv_table.render([CHANGED]).decode()
    (row,) = [r for r in csv.DictReader(io.StringIO(content)) if r["verdict"] == "changed"]
    assert (row["standing"], row["citation"]) == ("changed", CITED)


def test_scores_count_changes_beside_what_is_kept_and_missing() -> None:
    content = json.loads(scores.render([CHANGED]))
    jsonschema.validate(content, scores.json_schema())
    points = content["targets"][0]["score"]
    assert (points["kept"], points["missing"], points["changed"]) == (DEMANDED - 1, 0, 1)


def test_results_hold_the_row_as_their_schema_says(tmp_path: Path) -> None:
    content = encode(CHANGED)
    jsonschema.validate(json.loads(content), json_schema())
    (tmp_path / "results.json").write_bytes(content)
    held = read_results(tmp_path / "results.json")
    (failure,) = [f for a in held.functions[0].aspects for f in a.failures]
    assert (failure.replacement, failure.cited) == (ROW, CITED)


def test_a_badge_names_changes() -> None:
    (history,) = target_histories([CHANGED])
    message = json.loads(endpoint(history.newest))["message"]
    assert message == f"96.2 % of {DEMANDED}, 1 changed"


def test_a_picture_has_the_colour_sign_and_legend_of_changes() -> None:
    (history,) = target_histories([CHANGED])
    root = heatmap([history.newest])
    cells = [e for e in root.iter("rect") if e.get("class") == name(Verdict.CHANGED)]
    assert len(cells) == 2, "the cell, and the legend"
    assert len([e for e in root.iter("path") if "on-changed" in str(e.get("class"))]) == 2
    assert "changed" in [e.text for e in root.iter("text")]


def test_the_site_has_cell_bar_filter_and_sections_of_changes(tmp_path: Path) -> None:
    pages = site(tmp_path, [CHANGED])
    index = pages["index.html"]
    changed = [c for c in index.all("td") if "v-changed" in c.get("class", "").split()]
    assert [c["data-a"][2] for c in changed] == ["M"]
    assert index.all("rect", **{"class": "v-changed"})
    assert index.all("span", **{"class": "swatch v-changed"})
    assert index.all("span", **{"class": "mark v-changed"})
    options = (tmp_path / "index.html").read_text("utf-8")
    assert '<option value="changed">≠ changed</option>' in options
    assert "Changes" in pages["targets/keras3-numpy.html"].text
    assert f"replaced (keras3.toml: dot) by {ROW.call}" in pages["functions/dot.html"].text


@pytest.mark.parametrize("other", [Verdict.CONFORMS, Verdict.VIOLATES])
def test_diff_tells_a_change_from_the_rest(other: Verdict) -> None:
    before = results("keras-2.2.4-theano", [function("dot", other)])
    lines = plain(terminal_lines(compare(before, CHANGED), Paint(make_console()), verbose=False))
    assert "≠ keras3-numpy" in lines
