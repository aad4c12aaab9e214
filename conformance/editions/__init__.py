"""The editions of the API: the versions of it that an implementation can claim to offer.

An edition is a folder with a file `edition.toml`, which names its documents; its specs are in the
folder `specs` beside it. This package has the editions of the suite. The environment variable
CONFORMANCE_EDITIONS lists the folders of others (docs/editions.md). The types here have the names
of all editions and documents, and refuse a file that names another one.

No other list of them stands in the suite; only `conformance.reference`, which imports nothing of
it, has one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from conformance.editions.files import EditionError, EditionFiles, found_editions

__all__ = [
    "DOCUMENTS",
    "EDITIONS",
    "LINED_DOCUMENTS",
    "Document",
    "Edition",
    "EditionError",
    "EditionFiles",
    "compiles",
    "differentiates",
    "edition_files",
    "inputs_of",
    "known_edition",
    "open_inputs_of",
]

_FOUND = found_editions()

EDITIONS: tuple[str, ...] = tuple(_FOUND)
"""The oldest first."""
DOCUMENTS: tuple[str, ...] = tuple(d for edition in _FOUND.values() for d in edition.documents)
"""Those of the oldest edition first; the first of an edition binds its implementations."""
LINED_DOCUMENTS: tuple[str, ...] = tuple(
    d for edition in _FOUND.values() if edition.cited_by == "line" for d in edition.documents
)
"""Documents that are texts, whose lines are cited; of others it is the sections of docstrings."""

if TYPE_CHECKING:
    Edition: TypeAlias = str
    Document: TypeAlias = str
else:
    Edition = Literal[EDITIONS]
    Document = Literal[DOCUMENTS]


def edition_files() -> tuple[EditionFiles, ...]:
    """The files of each edition, the oldest edition first."""
    return tuple(_FOUND.values())


def inputs_of(edition: Edition) -> tuple[str, ...]:
    """How the inputs of calls are made in an edition: `variable`, `constant` and so on."""
    return _FOUND[edition].inputs


def open_inputs_of(edition: Edition) -> Mapping[str, str]:
    """How people make inputs though the document does not say that it works, with the convention
    that a call with such an input rests on."""
    return _FOUND[edition].open_inputs  # type: ignore[return-value]


def promotes(edition: Edition) -> bool:
    """Whether an edition mixes dtypes in a call, including integers with floats."""
    return _FOUND[edition].promotes


def tried_in(edition: Edition) -> tuple[str, ...]:
    """The dtypes that each function of floating numbers is tried with in an edition, whatever its
    spec names."""
    return _FOUND[edition].tried


def symbols_of(edition: Edition) -> str:
    """Where the document says that a symbolic tensor has the shape and dtype of what is computed;
    empty if it does not."""
    return _FOUND[edition].symbols


def compiles(edition: Edition) -> bool:
    """Whether the suite also compiles calls of an edition."""
    return _FOUND[edition].compiled


def excludes(edition: Edition) -> bool:
    """Whether values that the rules of specs exclude are passed, which must be refused."""
    return _FOUND[edition].excludes


def differentiates(edition: Edition) -> bool:
    """Whether gradients in an edition are taken by each backend's own means: its document has no
    function that takes them."""
    return _FOUND[edition].differentiated


def known_edition(name: str) -> Edition | None:
    """The edition of this name; None for one that a file of another version of the suite names."""
    return next((edition for edition in EDITIONS if edition == name), None)
