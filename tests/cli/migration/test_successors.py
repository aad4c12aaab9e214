"""A successor in the commands: its changes are shown, and fail only where somebody asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.reporting.json_results import read_results
from conformance.results import Failure, Verdict
from tests.engine import successors

SELECTED = ("-k", "exp and not (expand or sum)", "--profile", "smoke", "--no-database")
ENTRY = """[[expect]]
function = "exp"
aspect = "value"
verdict = "{verdict}"
reason = "known"
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    successors.write(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def run(*arguments: str) -> Result:
    return invoke("run", "mine", *SELECTED, *arguments)


def change(folder: Path) -> Failure:
    assert run("--output", str(folder)).exit_code == 0
    results = read_results(folder / "mine.json")
    failures = [f for x in results.functions for a in x.aspects for f in a.failures]
    (failure,) = [f for f in failures if f.verdict is Verdict.CHANGED]
    return failure


def test_a_run_lists_changes_and_ends_with_0() -> None:
    result = run()
    assert result.exit_code == 0, result.output
    assert "≠ 1 changed" in result.output
    assert "≠ exp  value" in result.output
    assert "✗" not in result.output.partition("Failures")[2]


@pytest.mark.parametrize(
    ("words", "status"),
    [("violation", 0), ("divergence", 0), ("change", 1), ("never", 0)],
)
def test_changes_fail_on_request_alone(words: str, status: int) -> None:
    assert run("--fail-on", words).exit_code == status


def test_a_known_violation_that_is_a_change_is_stale_and_told(place: Path) -> None:
    (place / "known.toml").write_text(ENTRY.format(verdict="violates"))
    result = run("--expectations", "known.toml")
    assert result.exit_code == 1
    assert "stale, delete these lines: " in result.output
    assert 'to keep the entry, write verdict = "changed"' in result.output


@pytest.mark.parametrize("fail_on", ["violation", "change"])
def test_a_known_change_is_met(fail_on: str, place: Path) -> None:
    (place / "known.toml").write_text(ENTRY.format(verdict="changed"))
    result = run("--expectations", "known.toml", "--fail-on", fail_on)
    assert result.exit_code == 0, result.output
    assert "1 of 1 entries met, 0 stale" in result.output


def test_changes_are_written_down_where_they_fail(place: Path) -> None:
    run("--write-expectations", "known.toml", "--fail-on", "change")
    text = (place / "known.toml").read_text()
    assert 'verdict = "changed"' in text
    assert "cases = {" in text


def test_what_conformed_and_is_changed_is_a_regression(place: Path) -> None:
    table = place / "calls.toml"
    changed = table.read_text()
    table.write_text(changed.replace("numpy.exp(x) + 1", "numpy.exp(x)"))
    run("--output", "before")
    table.write_text(changed)
    result = run("--baseline", "before")
    assert result.exit_code == 1
    assert "exp value: conforms → changed" in result.output
    run("--output", "after")
    assert run("--baseline", "after").exit_code == 0


def test_a_replayed_change_ends_with_0(place: Path) -> None:
    failure = change(place / "reports")
    result = invoke("replay", failure.id, "--results", "reports", "--target", "mine")
    assert result.exit_code == 0, result.output
    assert "still changed" in result.output
    assert "still failing" not in result.output


def test_show_names_line_row_and_call(place: Path) -> None:
    change(place / "reports")
    shown = invoke("show", "exp", "--all").output
    assert "demanded by ko-2.2:1527" in shown
    assert "replaced (calls.toml: exp) by numpy.exp(x) + 1" in shown


def test_try_marks_another_answer_of_a_successor() -> None:
    output = invoke("try", "K.exp(K.constant([0.0]))", "mine").output
    assert "≠ mine  float64" in output


def test_diff_of_two_runs_of_which_one_was_judged_as_promising(place: Path) -> None:
    run("--output", "after")
    successors.write(place, successor=False)
    run("--output", "before")
    output = invoke("diff", "before/mine.json", "after/mine.json").output
    assert "✗" in output
    assert "≠" in output


def test_export_leaves_changes_out_unless_all_are_asked_for(place: Path) -> None:
    change(place / "reports")
    assert invoke("export", "--pytest", "test_all.py", "reports").exit_code == 2
    assert invoke("export", "--all", "--pytest", "test_all.py", "reports").exit_code == 0
