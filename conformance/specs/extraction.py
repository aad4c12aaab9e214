"""What the documents hold, as data: names, signatures, exceptions and their lines; no sentences.

`documents/DOCUMENT.yaml` lists the entries of a document in its order; `documents/explained.yaml`
the places where a spec differs from them for a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from conformance.editions import LINED_DOCUMENTS, Document
from conformance.specs.data import read_data
from conformance.specs.model import Spec
from conformance.specs.records import Line

Kind = Literal[
    "count",
    "entry",
    "signature",
    "correction",
    "heading",
    "name",
    "edition",
    "parameter",
    "exception",
    "line",
    "conflict",
    "claim",
    "stale",
]
"""What a difference between specs and documents is about."""


class DocumentEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One function as one document has it. All numbers are 1-based lines."""

    signature: tuple[Line, str]
    """As printed, with `keras.backend.` where it stands there."""
    heading: tuple[Line, str] | None = None
    """As printed; None where the document has lost it."""
    parameters: list[tuple[str, Line]] = field(default_factory=list)
    """The parameters that are described, by the names printed; one may come twice."""
    returns: Line | None = None
    """The line where the paragraph about the result begins, if there is one."""
    raises: list[tuple[str, Line]] = field(default_factory=list)
    """The exceptions that are named."""
    examples: list[Line] = field(default_factory=list)
    """Where its examples begin."""

    @property
    def start(self) -> int:
        """The first line of the entry."""
        return (self.heading or self.signature)[0]

    @property
    def text(self) -> str:
        """The signature without its prefix."""
        return self.signature[1].removeprefix("keras.backend.")


class Explanation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a difference is no mistake of the specs: `erratum` or `because` says it."""

    kind: Kind
    document: Document
    line: Line
    names: Annotated[list[str], Meta(min_length=1)]
    """What the difference is about: parameters, a heading, a function."""
    erratum: Annotated[str, Meta(pattern="^C[0-9]{3}$")] | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """The entries of one document, and where each begins and ends."""

    entries: tuple[DocumentEntry, ...]

    def at(self, line: int) -> DocumentEntry | None:
        """The entry that holds a line; None in the introduction."""
        before = [entry for entry in self.entries if entry.start <= line]
        return before[-1] if before else None

    def signed(self, line: int) -> DocumentEntry | None:
        """The entry whose signature is printed on a line."""
        return next((e for e in self.entries if e.signature[0] == line), None)


Extraction = Mapping[str, Pages]
"""The pages of each document."""


@cache
def load_extraction() -> Extraction:
    """What ships with the suite: 104, 104, 144, 138 and 149 entries."""
    return {
        d: Pages(tuple(read_data(f"documents/{d}.yaml", list[DocumentEntry])))
        for d in LINED_DOCUMENTS
    }


def parameter_line(spec: Spec, document: Document, parameter: str) -> Line | None:
    """Where a document describes a parameter of a function; None where it does not."""
    signature = spec.signatures.get(document) if document in LINED_DOCUMENTS else None
    entry = signature and load_extraction()[document].signed(signature.line)
    described = entry.parameters if entry else []
    return next((line for name, line in described if name == parameter), None)


@cache
def load_explanations() -> tuple[Explanation, ...]:
    """The differences that are explained."""
    return tuple(read_data("documents/explained.yaml", list[Explanation]))
