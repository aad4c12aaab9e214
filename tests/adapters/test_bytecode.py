"""Compiled code is there before a worker that cannot write it, and nowhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance
from conformance.adapters import bytecode


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with one module, on whose folder the suite may write."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "one.py").write_text("x = 1\n")
    yield tmp_path
    bytecode.provide.cache_clear()


def compiled(package: Path) -> list[str]:
    return [file.name.split(".")[0] for file in package.rglob("*.pyc")]


def test_the_folders_are_there() -> None:
    package = Path(conformance.__file__).parent
    assert all((package / folder).is_dir() for folder in bytecode.FOLDERS)


def test_what_changed_is_compiled_again(package: Path) -> None:
    bytecode.provide(package)
    assert compiled(package) == ["one"]
    (file,) = package.rglob("*.pyc")
    before = file.read_bytes()
    (package / "reference" / "one.py").write_text("x = 'another'\n")
    os.utime(package / "reference" / "one.py", (0, 0))  # another time than before, surely
    bytecode.provide.cache_clear()
    bytecode.provide(package)
    assert file.read_bytes() != before


def test_where_an_import_writes_nothing_nothing_is_written(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    bytecode.provide(package)
    assert compiled(package) == []


def test_a_folder_that_cannot_be_written_stays_as_it_is(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    bytecode.provide(package)
    assert compiled(package) == []


def test_a_module_with_an_error_stops_nothing(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (package / "reference" / "other.py").write_text("x =\n")
    bytecode.provide(package)
    assert compiled(package) == ["one"]
    assert capsys.readouterr() == ("", "")
