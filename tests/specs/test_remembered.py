"""What the user's cache holds changes the time that loading takes, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.specs.conventions import Convention
from conformance.specs.data import read_data, shipped_texts
from conformance.specs.load import load
from conformance.specs.remembered import MOST_FILES, remembered

TEXTS = {"a.yaml": "[1, 2]"}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an empty cache."""
    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path))
    return tmp_path / "specs"


def _never() -> list[int]:
    raise AssertionError("it was made again")


def test_what_was_made_once_is_read_again(files: Path) -> None:
    assert remembered(TEXTS, list[int], lambda: [1, 2]) == [1, 2]
    assert len([*files.iterdir()]) == 1
    assert remembered(TEXTS, list[int], _never) == [1, 2]


@pytest.mark.parametrize("other", [{"a.yaml": "[1, 3]"}, {"b.yaml": "[1, 2]"}, {}])
@pytest.mark.usefixtures("files")
def test_other_texts_are_something_else(other: dict[str, str]) -> None:
    remembered(TEXTS, list[int], lambda: [1, 2])
    assert remembered(other, list[int], lambda: [3]) == [3]


@pytest.mark.usefixtures("files")
def test_another_type_is_something_else() -> None:
    remembered(TEXTS, list[int], lambda: [1, 2])
    assert remembered(TEXTS, list[str], lambda: ["1"]) == ["1"]


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x93\x01", b"\xa5three"])
def test_a_damaged_file_is_made_again(files: Path, content: bytes) -> None:
    remembered(TEXTS, list[int], lambda: [1, 2])
    (file,) = files.iterdir()
    file.write_bytes(content)
    assert remembered(TEXTS, list[int], lambda: [1, 2]) == [1, 2]
    assert remembered(TEXTS, list[int], _never) == [1, 2]


def test_without_a_folder_to_write_in_all_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    monkeypatch.setenv("CONFORMANCE_CACHE", str(blocked))
    assert remembered(TEXTS, list[int], lambda: [1, 2]) == [1, 2]


def test_the_oldest_files_go(files: Path) -> None:
    for number in range(MOST_FILES + 5):
        remembered({"a": str(number)}, list[int], list)
    assert len([*files.iterdir()]) == MOST_FILES


@pytest.mark.usefixtures("files")
def test_specs_and_conventions_from_the_cache_are_those_that_were_read() -> None:
    load.cache_clear()
    specs, known = load(), read_data("conventions.yaml", list[Convention])
    load.cache_clear()
    again = load()
    assert {name: again[name] for name in again} == {name: specs[name] for name in specs}
    assert [*map(again.theme, again)] == [*map(specs.theme, specs)]
    assert read_data("conventions.yaml", list[Convention]) == known


@pytest.mark.usefixtures("files")
def test_a_process_that_finds_the_specs_does_not_check_them() -> None:
    load.cache_clear()
    load()
    asked = (
        "import sys; from conformance.specs.load import load; load(); "
        "print('conformance.specs.check' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_all_shipped_files_are_looked_at() -> None:
    assert {"conventions.yaml", "activations.yaml", "rules.yaml"} <= {*shipped_texts()}
