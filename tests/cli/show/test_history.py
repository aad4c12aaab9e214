"""The history of a function that `conformance show` prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.history.files import write_past
from conformance.cli.show.history import history_lines
from conformance.results import Verdict
from tests.history.cases import NAME, past

RUNS = [past("3.4", Verdict.CONFORMS), past("3.5", Verdict.VIOLATES)]


def test_a_line_has_the_span_and_the_failing_aspects() -> None:
    assert list(history_lines({"mine": RUNS}, NAME)) == [
        "mine, keras 3.4 to 3.5: value fails since 3.5"
    ]
    assert list(history_lines({"mine": RUNS[:1]}, NAME)) == ["mine, keras 3.4 to 3.4: never failed"]
    assert list(history_lines({"mine": RUNS}, "keras.ops.sum")) == []


def test_show_prints_the_stored_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for run in RUNS:
        write_past(Path("reports/history"), run)
    result = CliRunner().invoke(main, ["show", NAME])
    assert result.exit_code == 0, result.output
    assert "History\n  mine, keras 3.4 to 3.5: value fails since 3.5\n" in result.output
