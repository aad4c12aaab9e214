"""Targets of one's own in the commands: found, run, and a wrong file told in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main

FAKES = Path(__file__).parents[1] / "adapters" / "fakes"
TARGET = f"""
[targets.mine]
module = "fakes.correct"
edition = "keras-2.2"
path = "{FAKES}"
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_five_lines_are_enough(place: Path) -> None:
    (place / "conformance.toml").write_text(TARGET, encoding="utf-8")
    listed = json.loads(invoke("targets", "--json").stdout)
    assert listed[-1]["name"] == "mine"
    assert listed[-1]["ready"]
    early = invoke("show", "softmax", "--target", "mine")
    assert early.exit_code == 2
    assert "conformance run mine --output reports" in early.output
    options = ("--profile", "smoke", "--output", "reports", "-k", "softmax")
    result = invoke("run", "mine", *options)
    assert result.exit_code == 0, result.output
    shown = invoke("show", "softmax", "--target", "mine")
    assert shown.exit_code == 0, shown.output
    assert "mine" in shown.output


def test_a_file_may_be_named(place: Path) -> None:
    (place / "elsewhere.toml").write_text(TARGET, encoding="utf-8")
    listed = json.loads(invoke("targets", "--json", "--config", "elsewhere.toml").stdout)
    assert listed[-1]["name"] == "mine"
    assert "mine" not in invoke("targets").output


def test_a_target_that_needs_nothing_made_is_checked_by_install(place: Path) -> None:
    (place / "conformance.toml").write_text(TARGET, encoding="utf-8")
    result = invoke("install", "mine")
    assert result.exit_code == 0, result.output
    assert "ready mine" in result.output


def test_a_module_that_is_not_there_is_status_3(place: Path) -> None:
    (place / "conformance.toml").write_text(TARGET.replace("correct", "nowhere"), encoding="utf-8")
    for command in (("install", "mine"), ("run", "mine", "-k", "softmax")):
        result = invoke(*command)
        assert result.exit_code == 3, result.output
        assert "fakes.nowhere" in result.output


@pytest.mark.parametrize("command", [("targets",), ("install", "mine"), ("run", "mine")])
def test_a_wrong_file_is_status_2_and_names_line_or_field(
    place: Path, command: tuple[str, ...]
) -> None:
    file = place / "conformance.toml"
    file.write_text("[targets.mine]\nmodule = \n", encoding="utf-8")
    result = invoke(*command)
    assert result.exit_code == 2
    assert str(file) in result.output
    assert "line 2" in result.output
    file.write_text(TARGET + 'familly = "eager"\n', encoding="utf-8")
    assert "did you mean `family`" in invoke(*command).output


def test_an_adapter_that_is_not_there_is_named(place: Path) -> None:
    text = TARGET + 'adapter = "no-such-entry-point"\n'
    (place / "conformance.toml").write_text(text, encoding="utf-8")
    result = invoke("run", "mine", "-k", "softmax", "--profile", "smoke")
    assert result.exit_code == 3
    assert "no-such-entry-point" in result.output
