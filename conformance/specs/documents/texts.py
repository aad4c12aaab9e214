"""Which texts the five documents are, and the texts themselves where a user has them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from msgspec import Struct

from conformance.editions import LINED_DOCUMENTS, Document, Edition
from conformance.files import read_bounded
from conformance.specs.claims.lines import load_lines
from conformance.specs.data import read_data

_LARGEST = 1_000_000
"""Bytes of a file that may be one of the texts; the longest has 73,688."""


class TextRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One document, as `texts.yaml` describes it."""

    document: Document
    title: str
    language: str
    form: str
    keras: str
    """The release that it describes."""
    because: str
    """What shows that it is this release."""
    editions: list[Edition]
    """The editions that it binds."""
    bytes: int
    origin: str
    """What is known of where it comes from."""
    repository: str | None = None
    """Where the text can be had, if that is known: in `commit`, at `path`."""
    commit: str | None = None
    path: str | None = None

    @property
    def sha256(self) -> str:
        """Of the whole text."""
        return load_lines()[self.document].sha256

    @property
    def lines(self) -> int:
        """How many lines it has, counted from 1; the last need not end with a line feed."""
        return load_lines()[self.document].lines

    def address(self, line: int | None = None) -> str | None:
        """Where the text, or a line of it, can be read; None if no public copy is known."""
        if self.repository is None:
            return None
        place = "" if line is None else f"?plain=1#L{line}"
        return f"{self.repository}/blob/{self.commit}/{self.path}{place}"


@cache
def load_texts() -> Mapping[str, TextRecord]:
    """What is known of each document, by its name."""
    records = {t.document: t for t in read_data("documents/texts.yaml", list[TextRecord])}
    return {document: records[document] for document in LINED_DOCUMENTS}


def address(document: str, line: int) -> str | None:
    """Where a line of a document can be read; None if no public copy of it is known."""
    text = load_texts().get(document)
    return None if text is None else text.address(line)


class TextsError(ValueError):
    """A folder has none of the documents."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that a user has, each as its lines."""

    lines: Mapping[str, tuple[str, ...]]

    def line(self, document: str, number: int) -> str | None:
        """A line, counted from 1; None if there is no such text, or if it has no such line."""
        lines = self.lines.get(document, ())
        return lines[number - 1] if 0 < number <= len(lines) else None


def _content(file: Path) -> bytes:
    """The content of a file that may be one of the texts; empty for any other."""
    try:
        return read_bounded(file, _LARGEST, "") if file.is_file() else b""
    except OSError:
        return b""


def find_texts(folder: Path) -> Texts:
    """The documents among the files of a folder, whatever they are called: by their SHA-256.

    Raises:
        TextsError: the folder is missing, or has no document.
    """
    if not folder.is_dir():
        raise TextsError(f"{folder} is no folder")
    records = {record.sha256: record for record in load_texts().values()}
    texts: dict[str, tuple[str, ...]] = {}
    for file in sorted(folder.iterdir()):
        content = _content(file)
        record = records.get(hashlib.sha256(content).hexdigest())
        if record is not None:
            lines = content.decode("utf-8").split("\n")
            texts[record.document] = tuple(lines[: record.lines])
    if not texts:
        raise TextsError(f"no file in {folder} has the SHA-256 of one of the five documents")
    return Texts(texts)
