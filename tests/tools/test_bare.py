"""`tools/bare.py`: commands as on a machine that has Python and little else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import bare

ROOT = Path(__file__).parents[2]


def test_the_readme_has_two_commands() -> None:
    run, test = bare.readme_commands(ROOT / "README.md")
    assert run.endswith("conformance run")
    assert test.endswith("pytest")


def test_a_page_without_them_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("python3 -m venv .venv\n", "utf-8")
    with pytest.raises(SystemExit, match="expected two lines"):
        bare.readme_commands(page)


@pytest.mark.parametrize("program", ["g++", "uv", "pyenv", "git", "chromium", "node"])
def test_what_a_minimal_image_lacks_cannot_be_run(tmp_path: Path, program: str) -> None:
    environment = bare.environment(tmp_path, narrow=False)
    answer = _shell(f"command -v {program}", environment)
    assert answer.returncode != 0


def test_python_runs_and_open_mpi_is_not_listed(tmp_path: Path) -> None:
    environment = bare.environment(tmp_path, narrow=False)
    code = "import venv, sys; print(sys.version_info >= (3, 11))"
    assert _shell(f"python3 -c '{code}'", environment).stdout == "True\n"
    assert "libmpi" not in _shell("ldconfig -p", environment).stdout


def test_variables_of_the_user_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example")
    environment = bare.environment(tmp_path, narrow=True)
    assert "KERAS_BACKEND" not in environment
    assert environment["PIP_INDEX_URL"] == "https://index.example"
    assert environment["LANG"] == "C"
    assert environment["HOME"] == str(tmp_path / "home")


def test_a_narrow_terminal_has_forty_columns(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = "import os; print(*(os.get_terminal_size(stream).columns for stream in range(3)))"
    words = ["python3", "-c", code]
    environment = bare.environment(tmp_path, narrow=True)
    assert bare.on_a_terminal(words, tmp_path, environment) == 0
    assert "40 40 40" in capfd.readouterr().out


def test_the_status_of_a_command_on_a_terminal_comes_through(tmp_path: Path) -> None:
    environment = bare.environment(tmp_path, narrow=True)
    assert bare.on_a_terminal(["python3", "-c", "raise SystemExit(7)"], tmp_path, environment) == 7


def _shell(command: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
