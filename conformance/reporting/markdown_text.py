"""Foreign text on Markdown pages: on one line, in code style, or in a block it cannot leave."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.reporting.safe_text import clean, clean_block


def joined(lines: Iterable[str]) -> str:
    """The lines as a page."""
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """The text on one line, meaning nothing to Markdown, HTML or a table.

    Character references are text wherever they stand, so they are safe in a table cell too, where
    a backslash before a pipe is read in two ways.
    """
    return _MEANT.sub(_references, clean(text))


# an underscore between letters is not emphasis, and names are easier to read with theirs
_MEANT = re.compile(r"^(?:[-+=]|\d+[.)])|(?<!\w)_|_(?!\w)|(?<=_)_|[^\w\s.,;:()=+/%'\"?-]")


def _references(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(c)};" if c.isascii() else c for c in match[0])


def code(text: str) -> str:
    """A name in code style if it is an ordinary name, else as text."""
    shown = clean(text)
    return f"`{shown}`" if re.fullmatch(r"[\w.+-]+", shown, re.ASCII) else escape(shown)


def span(text: str) -> str:
    """The text on one line as code, with any backticks in it."""
    shown = clean(text).strip() or " "
    edge, ticks = " " if "`" in (shown[0], shown[-1]) else "", _ticks(shown)
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def _ticks(text: str, least: int = 1) -> str:
    """A fence of at least `least` backticks, longer than any in the text."""
    return "`" * max(least, 1 + max(map(len, re.findall(r"`+", text)), default=0))


def fenced(text: str, language: str = "python") -> list[str]:
    """A code block that the text cannot leave, whatever backticks are in it."""
    body = clean_block(text).rstrip("\n")
    fence = _ticks(body, 3)
    return [f"{fence}{language}", *body.split("\n"), fence]
