"""The text of a Python module, and edits of a part of it that leave the rest byte for byte."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import accumulate

SHOWN = 200
"""Characters of a changed part that one line of a report shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A part of a text, in bytes, and what takes its place."""

    operator: str
    start: int
    end: int
    after: str


@dataclass(slots=True)
class SourceText:
    """A module's source, with the places of its nodes in bytes."""

    source: bytes
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        lengths = map(len, self.source.splitlines(keepends=True))
        self._starts = [0, *accumulate(lengths)]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where the node begins and ends."""
        begin, end = getattr(node, "lineno"), getattr(node, "end_lineno")  # noqa: B009
        return (
            self._starts[begin - 1] + getattr(node, "col_offset"),  # noqa: B009
            self._starts[end - 1] + getattr(node, "end_col_offset"),  # noqa: B009
        )

    def line(self, place: int) -> int:
        """The line of a place, counted from 1."""
        return sum(start <= place for start in self._starts)

    def around(self, edit: Edit) -> tuple[str, str, str]:
        """The lines that the edit touches: what is before it, what it replaces, what is after."""
        first = self._starts[self.line(edit.start) - 1]
        last = self._starts[min(self.line(edit.end), len(self._starts) - 1)]
        parts = ((first, edit.start), (edit.start, edit.end), (edit.end, last))
        head, old, tail = (self.source[a:b].decode("utf-8") for a, b in parts)
        return head, old, tail

    def edited(self, edit: Edit) -> bytes:
        """The whole text with the edit made."""
        return self.source[: edit.start] + edit.after.encode("utf-8") + self.source[edit.end :]


def in_a_line(text: str, most: int = SHOWN) -> str:
    """The text with its line breaks and indents as single spaces, cut in the middle if long."""
    joined = " ".join(text.split())
    half = (most - 3) // 2
    return joined if len(joined) <= most else f"{joined[:half]} … {joined[-half:]}"
