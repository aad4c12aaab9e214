"""Read a list of excluded tests: a test id of pytest, or a part of one, in each line."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from msgspec import Struct

from conformance.cli.errors import UsageProblem
from conformance.files import read_bounded

MOST_BYTES = 1 << 20
"""Bytes of a list. Keras's longest list, of 1,000 lines, had 60,000."""
MOST_LINE = 1000
"""Characters of a line; the longest test id of Keras has 150."""
_HINT = "write a test id of pytest, or a part of one, such as NumpyDtypeTest::test_add"


class Entry(Struct, frozen=True):
    """A line that excludes tests."""

    line: int
    """Its number, counted from 1."""
    text: str
    """A test id of pytest, or a part of one."""


def read_entries(file: Path) -> list[Entry]:
    """The lines of a list, without comments and empty lines.

    Raises:
        UsageProblem: the file cannot be read, is too large, has no entry or has a line that is not
            a test id; it names the line.
    """
    try:
        content = read_bounded(file, MOST_BYTES, "name a list of excluded tests")
    except OSError as error:
        raise UsageProblem(f"{file}: {error.strerror or error}", "name a list to read") from error
    lines = enumerate(content.splitlines(), 1)
    entries = [Entry(number, _text(f"{file}:{number}", line)) for number, line in lines]
    if not (entries := [entry for entry in entries if entry.text]):
        raise UsageProblem(f"{file}: the list is empty", _HINT)
    return entries


def _text(place: str, line: bytes) -> str:
    """The line without its comment."""
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{place}: the line is not UTF-8", _HINT) from error
    if len(text) > MOST_LINE:
        raise UsageProblem(f"{place}: the line has more than {MOST_LINE} characters", _HINT)
    if any(unicodedata.category(character) == "Cc" for character in text.replace("\t", " ")):
        raise UsageProblem(f"{place}: the line has a control character", _HINT)
    return "" if text.startswith("#") else text.partition(" # ")[0].strip()
