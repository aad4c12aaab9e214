"""A file or a folder that cannot be written is named, with the cause; status 2."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.cli.files.outputs import why
from conformance.cli.mutate import mutate
from conformance.mutation.records import MutationReport
from conformance.results import Verdict
from tests.cli.show.test_show import put
from tests.reporting.records import function, results

SMALL = ("run", "reference", "-k", "sqrt", "--profile", "smoke", "-j", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with results, and with a file in which nothing else can be written."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "results", results("keras3-numpy", [function("dot", Verdict.CONFORMS)]))
    (tmp_path / "file").touch()
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("migration", "results", "--output", "file/x.md"),
            "file/x.md cannot be written: file is not a folder",
        ),
        (
            ("migration", "--scan", ".", "--output", "file/x.txt"),
            "file/x.txt cannot be written: file is not a folder",
        ),
        (
            ("report", "results", "--format", "csv", "--output", "/proc/x"),
            "/proc/x cannot be written: No such file or directory",
        ),
        (
            (*SMALL, "--write-expectations", "file/known.toml"),
            "--write-expectations file/known.toml: cannot be written: Not a directory",
        ),
        (
            (*SMALL, "--database", "/proc/x"),
            "--database /proc/x: the suite cannot write there: No such file or directory",
        ),
        (
            (*SMALL, "--output", "/dev/full"),
            "--output /dev/full: the suite cannot write there: /dev/full is not a folder",
        ),
        (
            ("mutate", "reference", "-k", "sqrt", "--output", "/proc/x"),
            "--output /proc/x: the suite cannot write there: No such file or directory",
        ),
    ],
)
def test_what_cannot_be_written_is_named_with_the_cause(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "old.py").write_text("from keras import backend as K\nK.abs(1)\n")
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert f"error: {message}\nhint: " in result.output
    assert "Errno" not in result.output


def test_mutants_are_not_made_for_a_folder_that_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> MutationReport:
        raise AssertionError("it was run")

    monkeypatch.setattr(mutate, "_run", run)
    assert call("mutate", "reference", "-k", "sqrt", "--output", "/proc/x").exit_code == 2
    assert call("mutate", "reference", "-k", "sqrt", "--list", "-o", "/proc/x").exit_code == 0


def test_a_file_that_would_take_the_place_of_a_folder_is_named(folder: Path) -> None:
    (folder / "site" / "results.csv").mkdir(parents=True)
    result = call("report", "results", "--format", "csv", "--output", "site")
    assert result.exit_code == 2
    assert "site cannot be written: Is a directory: site/results.csv" in result.output
    assert ".writing-" not in result.output


def test_a_mapping_that_is_not_there_is_named(folder: Path) -> None:
    text = '[targets.m]\nmodule = "json"\nedition = "keras-2.2"\nmapping = "no.toml"\n'
    (folder / "conformance.toml").write_text(text)
    result = call("targets")
    assert result.exit_code == 2
    assert f"mapping: {folder}/no.toml: No such file or directory; name a table" in result.output


def test_an_error_without_a_text_of_the_system_s_is_told() -> None:
    assert why(OSError("odd")) == "odd"
    assert why(OSError(errno.ENOSPC, "No space")) == "No space"
