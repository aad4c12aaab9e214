"""A file of known failures that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.known_failures.test_known_failures import run


@pytest.mark.parametrize("option", ["--expectations", "--write-expectations"])
def test_a_broken_file_is_an_error_before_the_run_and_stays(tmp_path: Path, option: str) -> None:
    known = tmp_path / "known.toml"
    known.write_text("[[expect]]\nfunktion = 'x'\n")
    status, output = run("correct", option, str(known))
    assert status == 2
    assert f"{known}:2: unknown field 'funktion'" in output
    assert "Traceback" not in output
    assert known.read_text() == "[[expect]]\nfunktion = 'x'\n"
