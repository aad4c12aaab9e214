"""What each line of the five documents is: one letter for each, and no sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Annotated

from msgspec import Meta, Struct

from conformance.editions import LINED_DOCUMENTS, Document
from conformance.specs.data import read_data

CLAIMING: Mapping[str, str] = {
    "s": "a signature",
    "d": "what a function does, or what a setting means",
    "p": "a parameter",
    "r": "a result",
    "e": "an exception",
    "x": "an example",
    "o": "what an example prints",
}
"""Lines that demand something of an implementation."""

SILENT: Mapping[str, str] = {
    ".": "blank",
    "#": "a heading",
    "=": "a line between sections",
    "@": "a link to the source",
    "`": "a fence around code",
    ":": "a label, such as Arguments or Returns",
    "c": "code of the example above, or a remark in it",
    "+": "the claim above, continued",
    "~": "about libraries, files or readers; leads on to what follows",
}
"""Lines that demand nothing, or nothing that another line does not."""
CONTINUED = ("+", "c")
"""Lines that make a claim of their own as soon as something cites them."""


class LineClasses(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lines of one document."""

    document: Document
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    """Of the whole text, so that it is known which text the numbers are of."""
    lines: int
    classes: list[Annotated[str, Meta(max_length=100)]]
    """A letter for each line, 100 in a row."""

    def letters(self) -> Iterator[tuple[int, str]]:
        """Every line with its letter."""
        return enumerate("".join(self.classes), 1)

    def claims(self, line: int) -> bool:
        """Whether a line makes a claim, or does so once it is cited."""
        row, place = divmod(line - 1, 100)
        letter = self.classes[row][place : place + 1] if row < len(self.classes) else ""
        return letter in CLAIMING or letter in CONTINUED

    def claiming(self, cited: Collection[int]) -> Iterator[tuple[int, str]]:
        """Every line that demands something, with what it is in words."""
        for line, letter in self.letters():
            if letter in CLAIMING:
                yield line, CLAIMING[letter]
            elif letter in CONTINUED and line in cited:
                yield line, SILENT[letter]


@cache
def load_lines() -> dict[str, LineClasses]:
    """The classes of the lines of each document, from `claims/lines.yaml`."""
    classes_of_all = read_data("claims/lines.yaml", list[LineClasses])
    by_document = {str(classes.document): classes for classes in classes_of_all}
    return {document: by_document[document] for document in LINED_DOCUMENTS}


def unclassed(classes: LineClasses) -> Iterator[str]:
    """What is wrong with the letters of a document: lines without one, or with an unknown one."""
    letters = dict(classes.letters())
    if len(letters) != classes.lines:
        yield f"has {classes.lines} lines, and {len(letters)} have a class"
    for line, letter in letters.items():
        if letter not in CLAIMING and letter not in SILENT:
            yield f"line {line} is in the class {letter!r}, which is none"
        if letter == "+" and letters.get(line - 1) in (None, "."):
            yield f"line {line} continues a blank line"
