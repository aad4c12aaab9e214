"""Functions in which the suite itself failed: every report says so, and no score counts them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures import read
from conformance.cli.known_failures.baseline import compare as compare_with_baseline
from conformance.cli.run.run import is_empty
from conformance.reporting.detail import function_lines
from conformance.reporting.difference import compare
from conformance.reporting.documented import Documented
from conformance.reporting.formats import FORMATS, format_files
from conformance.reporting.json_results import JsonWriter, read_results
from conformance.reporting.paint import Paint
from conformance.reporting.summary import unreached
from conformance.reporting.targets import target_histories
from conformance.results import ASPECTS, AspectResult, FunctionResult, Results, Verdict
from conformance.results.events import TargetFinished
from conformance.results.scores import Score, score, suite_errors
from tests.reporting.records import function, results

SAYS = "the suite failed while judging an answer: LookupError: a planted fault"


def erring() -> Results:
    """One function that conforms, and one in which the suite failed."""
    lost = [AspectResult(aspect=a, verdict=Verdict.ERROR, cases=0, note=SAYS) for a in ASPECTS]
    functions = [function("dot", Verdict.CONFORMS), FunctionResult("relu", "activations", lost)]
    return results("mine", functions, complete=False, unfinished=["relu"])


def texts(name: str) -> dict[str, str]:
    """The files of a format."""
    files = format_files(name, [erring()], Documented())
    return {path: content.decode("utf-8", "replace") for path, content in files}


def test_no_score_counts_them() -> None:
    points = score(erring().functions)
    assert points == Score(len(ASPECTS), 0, len(ASPECTS), errors=len(ASPECTS))
    assert suite_errors(erring().functions) == ["relu"]
    assert points.figures.endswith(f", {len(ASPECTS)} not judged: an error in the suite")


def test_a_results_file_holds_them(tmp_path: Path) -> None:
    JsonWriter(tmp_path).handle(TargetFinished(erring()))
    (path,) = tmp_path.iterdir()
    assert read_results(path) == erring()


def test_the_end_of_a_run_names_them() -> None:
    assert unreached(erring()) == (
        "mine: not finished; the suite itself failed in 1 function: relu; "
        "the same command with --resume runs the rest"
    )


PLACES = {
    "markdown": ("matrix.md", "### Errors of the suite on mine"),
    "summary": ("summary.md", "? error"),
    "annotations": ("annotations.txt", "relu has no verdict because the suite failed on mine"),
    "badges": ("badges/mine.svg", f", {len(ASPECTS)} not judged"),
    "pictures": ("pictures/matrix.svg", "relu: error"),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_report_names_them(name: str) -> None:
    file, shown = PLACES[name]
    assert shown in texts(name)[file]


@pytest.mark.parametrize("name", ["markdown", "summary", "annotations", "csv", "junit", "results"])
def test_a_report_says_what_happened(name: str) -> None:
    (text,) = texts(name).values()
    plain = text.replace("&#58;", ":").replace("%3A", ":")
    assert "LookupError" in plain
    assert "a planted fault" in plain


@pytest.mark.parametrize("name", FORMATS)
def test_no_report_fails_on_them(name: str) -> None:
    assert texts(name)


def test_the_site_shows_them() -> None:
    pages = texts("html")
    (target,) = (text for path, text in pages.items() if path.startswith("targets/mine"))
    assert "Errors of the suite" in target
    assert SAYS in target
    (page,) = (text for path, text in pages.items() if path.endswith("relu.html"))
    assert "v-error" in page
    assert SAYS in page
    assert 'data-a="' + "E" * len(ASPECTS) in pages["index.html"]
    (style,) = (text for path, text in pages.items() if path.endswith("report.css"))
    assert ".v-error" in style


def test_junit_has_an_error_for_each_aspect() -> None:
    (text,) = texts("junit").values()
    root = ElementTree.fromstring(text)
    cases = {case.get("name"): case for case in root.iter("testcase")}
    lost = cases["relu value"].find("error")
    assert lost is not None
    assert lost.get("message") == SAYS
    assert root.get("errors") == str(len(ASPECTS))
    assert root.get("failures") == "0"


def test_csv_and_scores_have_the_verdict() -> None:
    (table,) = texts("csv").values()
    rows = [row for row in csv.DictReader(io.StringIO(table)) if row["function"] == "relu"]
    assert {(row["verdict"], row["message"]) for row in rows} == {("error", SAYS)}
    (target,) = json.loads(texts("json")["scores.json"])["targets"]
    assert target["score"]["errors"] == len(ASPECTS)
    assert set(target["verdicts"]["relu"].values()) == {"error"}


def shown() -> Iterator[str]:
    paint = Paint(Console(file=io.StringIO(), width=100))
    yield from (line.plain for line in function_lines([erring()], "relu", paint, 100))


def test_show_says_what_happened() -> None:
    text = "\n".join(shown())
    assert SAYS in text
    assert "? error of the suite, not judged" in text


def test_two_targets_do_not_differ_in_what_was_not_judged() -> None:
    whole = results(
        "other", [function("dot", Verdict.CONFORMS), function("relu", Verdict.VIOLATES)]
    )
    comparison = compare(erring(), whole)
    assert comparison.differences == []
    assert comparison.compared == len(ASPECTS)


@pytest.mark.parametrize("verdict", [Verdict.CONFORMS, Verdict.VIOLATES])
def test_a_baseline_compares_only_what_was_judged(verdict: Verdict) -> None:
    whole = results("mine", [function("dot", Verdict.CONFORMS), function("relu", verdict)])
    for then, now in ((whole, erring()), (erring(), whole)):
        comparison = compare_with_baseline(then, now)
        assert comparison.regressions == []
        assert comparison.compared == len(ASPECTS)


def test_no_entry_excuses_them(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(
        '[[expect]]\nfunction = "relu"\naspect = "value"\nverdict = "error"\nreason = "r"\n'
    )
    with pytest.raises(UsageProblem, match="'error' is not a failure"):
        read(known)


def test_a_run_of_them_alone_is_no_empty_one() -> None:
    assert not is_empty(results("mine", erring().functions[1:]))


def test_the_first_page_explains_the_mark() -> None:
    about = next(text for path, text in texts("html").items() if path == "about.html")
    assert "The suite itself failed in this function" in about


def test_histories_keep_them() -> None:
    (history,) = target_histories([erring()])
    assert history.newest.letters("relu") == "E" * len(ASPECTS)
