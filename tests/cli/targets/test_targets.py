"""`conformance targets`, and the group of commands it belongs to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import conformance
from conformance.adapters import registry
from conformance.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path))


def test_each_target_has_a_row_with_its_cure() -> None:
    result = CliRunner().invoke(main, ["targets"])
    assert result.exit_code == 0
    for target in registry.shipped().values():
        assert target.name in result.output
        assert target.implementation in result.output
    assert "\x1b" not in result.output
    assert all(line == line.rstrip() for line in result.output.splitlines())


def test_json_tells_ready_from_missing() -> None:
    result = CliRunner().invoke(main, ["targets", "--json"])
    entries = {entry["name"]: entry for entry in json.loads(result.stdout)}
    assert list(entries) == list(registry.shipped())
    assert entries["reference"]["ready"] is True
    assert entries["reference"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert entries["tf_keras"]["ready"] is False
    assert entries["tf_keras"]["hint"]


def test_listing_and_help_import_no_command_that_is_not_used() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from conformance.cli import main\n"
        "for arguments in (['--help'], ['targets', '--json']):\n"
        "    assert CliRunner().invoke(main, arguments).exit_code == 0\n"
        "print([m for m in ('hypothesis', 'numpy', 'conformance.engine') if m in sys.modules])\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "[]\n"


def test_help_lists_the_commands_and_the_exit_statuses() -> None:
    text = CliRunner().invoke(main, ["-h"]).output
    for word in ("targets", "install", "run", "show", "Exit status"):
        assert word in text


def test_the_version_is_the_package_s() -> None:
    assert conformance.__version__ in CliRunner().invoke(main, ["--version"]).output


def test_an_unknown_command_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["tragets"])
    assert result.exit_code == 2
    assert "tragets" in result.stderr


def test_a_name_narrows_the_list_and_own_targets_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = '[targets.zz-mine]\nmodule = "json"\nedition = "keras-2.2"\n'
    (tmp_path / "conformance.toml").write_text(own, encoding="utf-8")
    head, first, *_ = CliRunner().invoke(main, ["targets"]).output.splitlines()
    assert head.startswith("target")
    assert first.startswith("zz-mine")
    result = CliRunner().invoke(main, ["targets", "reference"])
    assert [line.split()[0] for line in result.output.splitlines()] == ["target", "reference"]
    unknown = CliRunner().invoke(main, ["targets", "refrence"])
    assert unknown.exit_code == 2
    assert "did you mean reference" in unknown.output
