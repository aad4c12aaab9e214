"""What the docstrings of a package hold, as data: names, signatures, sections; no sentences.

`documents/DOCUMENT.yaml` in the folder of an edition lists its functions; a program makes it of the
installed package, as `tools/keras3_document.py` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct, field

from conformance.editions import Document, edition_files
from conformance.specs.data import data_of
from conformance.specs.remembered import remembered


class Docstring(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One function, as its package has it."""

    name: str
    """Its public name: `keras.ops.dot`."""
    signature: str
    """Its parameters, with defaults: `(x1, x2)`."""
    sections: list[str] = field(default_factory=list)
    """The sections of its docstring, in their order; `Summary` is what stands before any."""
    parameters: list[str] = field(default_factory=list)
    """The parameters that the docstring describes."""
    raises: list[str] = field(default_factory=list)
    """The exceptions that it names."""
    same_as: str = ""
    """The public name under which the same function stands above."""


@cache
def load_docstrings(document: Document) -> Mapping[str, Docstring] | None:
    """The functions of a document by name; None if the edition has no list of them."""
    for edition in edition_files():
        for name, text in edition.document_texts().items():
            if name == f"{edition.name}/documents/{document}.yaml":
                return {one.name: one for one in _read(name, text)}
    return None


def _read(name: str, text: str) -> list[Docstring]:
    kind = list[Docstring]
    return remembered({name: text}, kind, lambda: data_of(text, name, kind))


def docstring_sections(document: Document, function: str) -> Sequence[str] | None:
    """The sections of a function's docstring; None if nothing is known of the document."""
    listed = load_docstrings(document)
    if listed is None:
        return None
    return listed[function].sections if function in listed else ()
