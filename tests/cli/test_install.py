"""`conformance install`: what is made, what is said, and the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.adapters import environments, registry
from conformance.adapters.environments import Missing, Ready
from conformance.adapters.target_records import Target
from conformance.cli import main
from tests.adapters.fake_packages import BREAKS, fake_target


@pytest.fixture(autouse=True)
def targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Target]:
    """A target that works and one that does not, in place of the shipped ones."""
    fakes = {
        "broken": fake_target(tmp_path / "broken", BREAKS, name="broken"),
        "works": fake_target(tmp_path / "works", name="works"),
    }
    monkeypatch.setattr(registry, "shipped", lambda: fakes)
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    return fakes


def install(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["install", *arguments])


def test_an_unknown_name_is_a_usage_problem_and_makes_nothing(tmp_path: Path) -> None:
    result = install("works", "wroks")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: unknown target 'wroks'; did you mean works?")
    assert not (tmp_path / "home").exists()


def test_one_that_fails_does_not_stop_the_others(targets: dict[str, Target]) -> None:
    result = install("broken", "works")
    assert result.exit_code == 3
    assert "failed broken" in result.stderr
    assert "no engine underneath" in result.stderr
    assert "ready works: fake_backend 1.0" in result.stderr
    assert isinstance(environments.status(targets["works"]), Ready)
    assert isinstance(environments.status(targets["broken"]), Missing)


def test_the_stages_are_told_in_order() -> None:
    lines = install("works").stderr.splitlines()
    stages = [line.split(":")[1].strip() for line in lines if line.startswith("works:")]
    assert stages == ["interpreter", "download", "check"]


def test_what_is_ready_is_left_alone_unless_forced() -> None:
    install("works")
    again = install("works")
    assert (again.exit_code, "download" in again.stderr) == (0, False)
    assert "download" in install("--force", "works").stderr


def test_an_interruption_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **kwargs: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(environments, "install", interrupt)
    result = install("works")
    assert result.exit_code == 130
    assert result.stderr.endswith("interrupted\n")
