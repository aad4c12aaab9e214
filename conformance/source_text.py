"""A text from elsewhere in Python source: as data, whatever its characters.

A script holds texts of backends: versions, names, messages of exceptions. If you run the script,
only the statements of the suite must run. Each text of a backend, a file or a user therefore passes
one of two functions, which share one rule. They write an escape for each character that could end a
line, hide or reorder text, or that UTF-8 lacks.

    comment(text)   lines of a comment
    inside(text)    a part of a literal, between quotes of either kind

A literal of a whole text is its `repr` (or `ascii`), for which Python has the same rule. A name
that is not a literal has to satisfy `is_dotted`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from keyword import iskeyword

WIDTH = 98
"""Columns of the words of a comment."""
_ENCODING = re.compile("(coding)([:=])")
"""The word by which a comment in the first two lines of a file names its encoding (PEP 263). In
UTF-7 or `unicode_escape` the rest of the comment could be code."""


def comment(text: str, width: int = WIDTH) -> Iterator[str]:
    """The text as lines that each begin with `#`; its own line ends are kept."""
    for line in text.splitlines() or [""]:
        safe = _ENCODING.sub(r"\1 \2", _printable(line))
        yield from (f"# {part}".rstrip() for part in textwrap.wrap(safe, width) or [""])


def inside(text: str) -> str:
    """The text as a literal has it between its quotes: Python reads the same text again."""
    safe = _printable(text.replace("\\", "\\\\"))
    safe = _ENCODING.sub(lambda match: rf"{match[1]}\x{ord(match[2]):x}", safe)
    return safe.replace("'", r"\x27").replace('"', r"\x22")


def is_dotted(name: str) -> bool:
    """Whether source can hold the name as one of Python's own: identifiers with dots between."""
    return all(part.isidentifier() and not iskeyword(part) for part in name.split("."))


def _printable(text: str) -> str:
    """The text with an escape for each character that is not printable."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
