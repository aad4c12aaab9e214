"""A file that a worker runs before its module is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters.access import open_session
from conformance.adapters.probe import tried
from conformance.adapters.registry import load
from conformance.adapters.session import WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.targets.subjects import subject

MODULE = """
import sys
print("imported")
if sys.order != ["prepared", "started"]:
    raise SystemExit(repr(sys.order))
"""
TABLE = """
[targets.made]
module = "made"
edition = "keras-2.2"
path = "."
startup = ["import sys", "sys.order.append('started')"]
prepare = "before.py"
"""


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    (tmp_path / "made.py").write_text(MODULE)
    (tmp_path / "before.py").write_text("import sys\nsys.order = ['prepared']\n")
    (tmp_path / "conformance.toml").write_text(TABLE)
    return load(tmp_path / "conformance.toml")["made"]


def test_a_worker_runs_it_before_the_lines_of_startup(target: Target) -> None:
    with open_session(target) as session:
        assert session.identity.python


def test_a_file_that_fails_says_why(target: Target) -> None:
    assert target.prepare is not None
    target.prepare.write_text("raise SystemExit('no compiler')")
    with open_session(target) as session, pytest.raises(WorkerStartError, match="no compiler"):
        session.identity  # noqa: B018


def test_the_check_of_an_installation_runs_it_too(target: Target) -> None:
    assert tried(target)[0].problem is None
    assert target.prepare is not None
    target.prepare.write_text("raise SystemExit('no compiler')")
    assert "no compiler" in (tried(target)[0].problem or "")


def test_a_script_does_without(target: Target) -> None:
    assert list(subject(target).prelude.imports) == [*target.startup, *target.script_import]
