"""What the docstrings of a package hold, as data: names, signatures, sections; no sentences.

`documents/DOCUMENT.yaml` in the folder of an edition lists its functions; a program makes it of the
installed package, as `tools/keras3_document.py` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from conformance.editions import Document, Edition, edition_files
from conformance.specs.data import data_of
from conformance.specs.remembered import remembered

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]


class Docstring(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One function, as its package has it."""

    name: str
    """Its public name: `keras.ops.dot`."""
    signature: str
    """Its parameters, with defaults: `(x1, x2)`."""
    sections: list[str] = field(default_factory=list)
    """The sections of its docstring, in their order; `Summary` is what stands before any."""
    texts: list[Digest] = field(default_factory=list)
    """A digest of the text of each section, in the same order."""
    parameters: list[str] = field(default_factory=list)
    """The parameters that the docstring describes."""
    raises: list[str] = field(default_factory=list)
    """The exceptions that it names."""
    same_as: str = ""
    """The public name under which the same function stands above."""
    examples: list[Digest] = field(default_factory=list)
    """A digest of each result that its examples print, with the lines before it. The function
    `docstring_example` in the mapping of keras.ops makes it; the installed package has the text."""


class InstalledDocstrings(Struct, frozen=True):
    """The docstrings of an installed release, as a worker reports them."""

    release: str
    functions: tuple[Docstring, ...]

    def by_name(self) -> dict[str, Docstring]:
        """The docstrings by public name."""
        return {docstring.name: docstring for docstring in self.functions}


def installed_docstrings(facts: bytes) -> InstalledDocstrings:
    """The docstrings in a worker's JSON.

    Raises:
        ValueError: the text is not such JSON.
    """
    try:
        return msgspec.json.decode(facts, type=InstalledDocstrings)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"the worker's list of docstrings is wrong: {error}") from error


class ExampleErratum(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Examples of a docstring that are wrong themselves, in `documents/DOCUMENT-errata.yaml`."""

    function: str
    examples: list[Digest] = field(default_factory=list)
    """Those that are not run."""
    own_methods: bool = False
    """Whether lines before examples call methods of tensors. A backend's tensors may lack them: a
    failure of such a line is a refusal."""
    fenced: bool = False
    """Whether a script cannot evaluate the examples line by line: they stand in a block without
    `>>>`, or a line with a print is an assignment."""
    why: str


@cache
def load_docstrings(document: Document) -> Mapping[str, Docstring] | None:
    """The functions of a document by name; None if the edition has no list of them."""
    docstrings = _records(document, list[Docstring])
    return None if docstrings is None else {docstring.name: docstring for docstring in docstrings}


def described_release(edition: Edition) -> tuple[Document, Mapping[str, Docstring]] | None:
    """The document of an edition that lists a package's docstrings, such as `keras-3.15.1`, with
    this list; None if no document of the edition does."""
    documents = next(e.documents for e in edition_files() if e.name == edition)
    for document in documents:
        if (docstrings := load_docstrings(document)) is not None:
            return document, docstrings
    return None


@cache
def load_example_errata(document: Document) -> Mapping[str, Sequence[ExampleErratum]]:
    """The errata of examples by function, in the order of the file."""
    errata: dict[str, list[ExampleErratum]] = {}
    for erratum in _records(f"{document}-errata", list[ExampleErratum]) or []:
        errata.setdefault(erratum.function, []).append(erratum)
    return errata


def examples_of(document: Document, docstring: Docstring) -> list[tuple[int, str]]:
    """The number and the digest of each example that is run; the first has the number 1."""
    errata = load_example_errata(document).get(docstring.name, ())
    wrong = {digest for erratum in errata for digest in erratum.examples}
    return [(n, d) for n, d in enumerate(docstring.examples, 1) if d not in wrong]


def calls_own_methods(document: Document, function: str) -> bool:
    """Whether lines before a function's examples call methods of tensors."""
    return any(e.own_methods for e in load_example_errata(document).get(function, ()))


def is_fenced(document: Document, function: str) -> bool:
    """Whether a script cannot evaluate a function's examples line by line."""
    return any(e.fenced for e in load_example_errata(document).get(function, ()))


def _records(name: str, kind: type[Any]) -> Any:
    """The records in `documents/NAME.yaml` of the edition that has it; None if none does."""
    for edition in edition_files():
        text = edition.document_texts().get(file := f"{edition.name}/documents/{name}.yaml")
        if text is not None:
            return remembered({file: text}, kind, partial(data_of, text, file, kind))
    return None


def docstring_sections(document: Document, function: str) -> Sequence[str] | None:
    """The sections of a function's docstring; None if nothing is known of the document."""
    docstrings = load_docstrings(document)
    if docstrings is None:
        return None
    return docstrings[function].sections if function in docstrings else ()
