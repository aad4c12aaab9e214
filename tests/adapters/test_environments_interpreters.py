"""Interpreters are found in all the usual places, and used only if they run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.adapters import interpreters
from conformance.adapters.interpreters import InterpreterNotFoundError


@pytest.fixture
def pyenv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pyenv without versions; no interpreter on PATH, and none of uv."""
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    monkeypatch.setattr(interpreters, "_uv_folder", lambda: tmp_path / "none")
    return tmp_path


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def says(version: str, name: str = "cpython") -> str:
    return f"echo {name} {version}"


def test_the_newest_under_pyenv_is_taken(pyenv: Path) -> None:
    for version in ("3.6.9", "3.6.15", "3.6.2"):
        script(pyenv / "versions" / version / "bin" / "python3.6", says(version))
    assert interpreters.find(["3.6"]) == pyenv / "versions" / "3.6.15" / "bin" / "python3.6"


def test_a_shim_that_fails_is_passed_over(pyenv: Path) -> None:
    script(pyenv / "shims" / "python3.6", "echo pyenv: command not found >&2; exit 127")
    with pytest.raises(InterpreterNotFoundError):
        interpreters.find(["3.6"])


@pytest.mark.parametrize("answer", [says("3.7.1"), says("3.6.9", "pypy"), "echo"])
def test_a_wrong_answer_is_not_believed(pyenv: Path, answer: str) -> None:
    script(pyenv / "versions" / "x" / "bin" / "python3.6", answer)
    with pytest.raises(InterpreterNotFoundError):
        interpreters.find(["3.6"])


def test_the_first_version_that_is_there_serves(pyenv: Path) -> None:
    there = script(pyenv / "versions" / "3.7.1" / "bin" / "python3.7", says("3.7.1"))
    assert interpreters.find(["3.6", "3.7"]) == there


def test_a_path_may_be_given() -> None:
    assert interpreters.find([sys.executable]) == Path(sys.executable)


@pytest.mark.parametrize(
    ("demand", "reason", "hint"),
    [
        ("3.6", "CPython 3.6 is not installed", "pyenv install 3.6.15"),
        ("3.8", "CPython 3.8 is not installed", "uv python install 3.8"),
        (
            "/no/python",
            "/no/python is not a CPython interpreter that runs: No such file or directory",
            "give the path of",
        ),
    ],
)
@pytest.mark.usefixtures("pyenv")
def test_an_absent_one_comes_with_its_cure(demand: str, reason: str, hint: str) -> None:
    with pytest.raises(InterpreterNotFoundError) as caught:
        interpreters.find([demand])
    assert caught.value.reason == reason
    assert caught.value.hint.startswith(hint)


def test_a_relative_path_is_one_in_the_folder_of_the_user(tmp_path: Path) -> None:
    assert interpreters.located(".venv/bin/python", tmp_path) == f"{tmp_path}/.venv/bin/python"


def test_a_tilde_is_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert interpreters.located("~/python", tmp_path) == f"{tmp_path}/home/python"


def test_a_link_stays_because_it_selects_the_virtual_environment(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    assert interpreters.located("./python", tmp_path) == f"{tmp_path}/python"


def test_versions_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "3.11").touch()
    assert interpreters.located("3.11", tmp_path) == "3.11"


def test_the_name_of_a_program_is_looked_up_on_the_path(pyenv: Path, tmp_path: Path) -> None:
    program = script(pyenv / "shims" / "python-mine", says("3.12.1"))
    demand = interpreters.located("python-mine", tmp_path / "elsewhere")
    assert interpreters.find([demand]) == program


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("echo first >&2; echo the last line >&2; exit 1", "the last line"),
        ("exit 7", "it ends with status 7"),
    ],
)
def test_the_error_says_why_a_path_does_not_serve(tmp_path: Path, body: str, fault: str) -> None:
    demand = str(script(tmp_path / "python", body))
    with pytest.raises(InterpreterNotFoundError, match=f"that runs: {fault}"):
        interpreters.find([demand])
