"""Safe text for one console: marks, colours and the characters that its encoding has."""

from __future__ import annotations

import sys

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from conformance.reporting.marks import MARKS
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import Verdict

PIPED_WIDTH = 100
"""Columns where no terminal says how many there are."""


def make_console(*, stderr: bool = False) -> Console:
    """A console that does what reports need: no guessing of markup, emoji or numbers."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = PIPED_WIDTH
    return console


class Paint:
    """Makes text that a console can show.

    Every text from an implementation passes through here. Control characters go, markup is not
    read, and characters that the encoding lacks are written as escapes.
    """

    def __init__(self, console: Console) -> None:
        self.encoding = console.encoding or sys.getdefaultencoding()
        self.ascii = not self._can("".join(mark.symbol for mark in MARKS.values()) + "…")
        self.ellipsis = ".." if self.ascii else "…"

    def _can(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def plain(self, text: str) -> str:
        """The text on one line."""
        return self._encodable(clean(text))

    def block(self, text: str) -> str:
        """The text with its line ends."""
        return self._encodable(clean_block(text))

    def _encodable(self, text: str) -> str:
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def text(self, text: str, style: str = "", indent: int = 0) -> Text:
        """The text on one line, in a style, after some spaces."""
        return Text(" " * indent + self.plain(text), style)

    def symbol(self, verdict: Verdict) -> str:
        """The verdict's mark, one character wide."""
        mark = MARKS[verdict]
        return mark.ascii if self.ascii else mark.symbol

    def mark(self, verdict: Verdict, after: str = "") -> Text:
        """The verdict's mark, and what follows it, in the verdict's colour."""
        colour = MARKS[verdict].colour
        return Text(f"{self.symbol(verdict)} {self.plain(after)}".rstrip(), colour)

    def with_reading(self, cell: Text) -> Text:
        """The cell with the quiet mark of another reading."""
        return Text.assemble(cell, " ", self.mark(Verdict.DIVERGES))

    def crop(self, text: str, width: int) -> str:
        """The text on one line of at most `width` columns; what is cut off shows."""
        line = self.plain(text)
        if cell_len(line) <= width:
            return line
        return set_cell_size(line, max(width - len(self.ellipsis), 0)) + self.ellipsis[:width]
