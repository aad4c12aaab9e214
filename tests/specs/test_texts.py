"""Which texts the documents are, and the texts of a user's folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from conformance.editions import LINED_DOCUMENTS
from conformance.specs import EDITIONS
from conformance.specs.claims.lines import load_lines
from conformance.specs.comparison import BOUND
from conformance.specs.documents import texts
from conformance.specs.documents.texts import TextsError, address, find_texts, load_texts

TEXT = "one\r\n\ttwo\n\nfour\u2028still four\nfive\n"


def test_every_document_is_described_and_every_edition_bound_once() -> None:
    assert tuple(load_texts()) == LINED_DOCUMENTS
    bound = {edition: d for d, record in load_texts().items() for edition in record.editions}
    assert bound == BOUND
    assert set(bound) == set(EDITIONS) - {"keras-3"}


def test_an_address_leads_to_a_line_at_a_commit() -> None:
    url = address("ko-2.2", 1035)
    assert url is not None
    assert url.endswith(
        "/3c1a7328ee5dc91ab805bbe7df31425ef572a93a/sources/backend.md?plain=1#L1035"
    )
    assert address("zh-TW", 1) is None
    assert address("unknown", 1) is None


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """TEXT stands for zh-TW."""
    lines = load_lines()
    sha256 = hashlib.sha256(TEXT.encode()).hexdigest()
    changed = msgspec.structs.replace(lines["zh-TW"], sha256=sha256, lines=5)
    monkeypatch.setattr(texts, "load_lines", lambda: {**lines, "zh-TW": changed})


@pytest.mark.usefixtures("known")
def test_a_text_is_known_by_its_content_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "any name.bin").write_bytes(TEXT.encode())
    (tmp_path / "other.txt").write_bytes(TEXT.encode() + b"more")
    (tmp_path / "folder").mkdir()
    texts = find_texts(tmp_path)
    assert list(texts.lines) == ["zh-TW"]
    assert [texts.line("zh-TW", n) for n in range(7)] == [
        None, "one\r", "\ttwo", "", "four\u2028still four", "five", None,
    ]  # fmt: skip
    assert texts.line("ja-1", 1) is None


def test_a_folder_without_the_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ja-1.txt").write_text("changed", "utf-8")
    with pytest.raises(TextsError, match=r"no file in .* has the SHA-256 of one of the five"):
        find_texts(tmp_path)
    with pytest.raises(TextsError, match="is no folder"):
        find_texts(tmp_path / "missing")
