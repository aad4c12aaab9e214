"""The pages of the five documents are those that the data gives, and say what is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.files.documents import documents as known
from conformance.editions import LINED_DOCUMENTS
from conformance.specs.errata import load_conflicts
from conformance.specs.extraction import load_extraction
from tools import documents


def test_the_pages_are_current() -> None:
    pages = dict(documents.pages())
    there = {file.name: file.read_text("utf-8") for file in documents.FOLDER.iterdir()}
    assert there == pages, "python -m tools.documents"


def test_the_glosses_are_current() -> None:
    assert documents.GLOSSES.read_text("utf-8") == documents.glosses_text(), (
        "python -m tools.documents"
    )


@pytest.mark.parametrize("name", LINED_DOCUMENTS)
def test_a_page_has_every_entry_and_every_fault(name: str) -> None:
    text = known()[name]
    page = documents.page(text)
    for entry in load_extraction()[name].entries:
        assert f"| {entry.signature[0]} | `{entry.signature[1]}` |" in page
    for conflict in load_conflicts().values():
        assert (f"\n| {conflict.number} |" in page) == (name in conflict.at)
    assert text.sha256 in page


def test_entries_follow_each_other_to_the_last_line() -> None:
    rows = [line for line in documents.page(known()["zh-TW"]).splitlines() if " to " in line]
    spans = [row.split(" | ")[1].split(" to ") for row in rows if row.startswith("| `")]
    assert [int(first) for first, _ in spans[1:]] == [int(last) + 1 for _, last in spans[:-1]]
    assert spans[-1][1] == "1431"


def test_the_tool_writes_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FOLDER", tmp_path)
    assert CliRunner().invoke(documents.main).output.count("written") == 6
    (tmp_path / "ja-1.md").write_text("other", "utf-8")
    assert CliRunner().invoke(documents.main).output == f"{tmp_path / 'ja-1.md'}: written\n"
