from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from conformance.files import TooLargeError
from conformance.reporting import containers
from conformance.reporting.containers import (
    compressed,
    content_of,
    existing,
    json_files,
)
from conformance.reporting.documented import Documented
from conformance.reporting.formats import format_files, write
from conformance.reporting.json_results import ResultsError, read_results
from tests.reporting.records import every_verdict

MINE = every_verdict("mine")


def packed(folder: Path) -> Path:
    (file,) = write(folder, format_files("compressed", [MINE], Documented()))
    return file


def test_results_are_the_same_compressed_or_not(tmp_path: Path) -> None:
    (plain,) = write(tmp_path, format_files("results", [MINE], Documented()))
    file = packed(tmp_path)
    assert file.name == "mine.json.gz"
    assert read_results(file) == read_results(plain) == MINE
    assert content_of(file) == plain.read_bytes()
    assert len(file.read_bytes()) * 4 < len(plain.read_bytes())
    assert json_files(tmp_path) == [plain, file]


def test_equal_results_are_equal_files_whenever_they_are_written() -> None:
    assert compressed(b"x") == compressed(b"x")
    assert compressed(b"x")[4:8] == bytes(4), "the time"


def test_a_file_without_an_ending_is_read_by_its_first_bytes(tmp_path: Path) -> None:
    file = packed(tmp_path)
    assert read_results(file.rename(tmp_path / "any")) == MINE


@pytest.mark.parametrize("size", [3, 40, -4])
def test_a_part_of_a_compressed_file_is_refused(tmp_path: Path, size: int) -> None:
    file = packed(tmp_path)
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(ResultsError, match="not whole gzip data") as caught:
        read_results(file)
    assert caught.value.file == file
    assert "copy the file again" in caught.value.hint


def test_damaged_bytes_are_refused(tmp_path: Path) -> None:
    content = bytearray(packed(tmp_path).read_bytes())
    for place in range(10, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        (tmp_path / "mine.json.gz").write_bytes(damaged)
        with pytest.raises(ResultsError):
            read_results(tmp_path / "mine.json.gz")


def test_what_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "LARGEST", 1 << 20)
    file = tmp_path / "bomb.json.gz"
    file.write_bytes(gzip.compress(bytes((1 << 20) + 1)))
    with pytest.raises(TooLargeError, match="more than 1 MiB"):
        content_of(file)


def test_the_plain_file_of_a_target_comes_before_the_compressed_one(tmp_path: Path) -> None:
    plain = tmp_path / "mine.json"
    assert existing(plain) is None
    file = packed(tmp_path)
    assert existing(plain) == file
    plain.touch()
    assert existing(plain) == plain
