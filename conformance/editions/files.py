"""The folders of editions, and the file `edition.toml` in each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from conformance.files import MOST_YAML, read_bounded, read_toml

VARIABLE = "CONFORMANCE_EDITIONS"
FILE = "edition.toml"
NAME = re.compile(r"[A-Za-z0-9]+([.-][A-Za-z0-9]+)*")


Input = Literal["variable", "constant", "placeholder", "placeholder_none", "array"]
INPUTS: tuple[Input, ...] = get_args(Input)
OpenInput = Literal["variable", "array", "python"]


class EditionError(ValueError):
    """A folder of an edition is wrong; the message names the file, and what to write instead."""

    for_users: ClassVar[bool] = True
    exit_status: ClassVar[int] = 2


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """`edition.toml`."""

    order: Annotated[float, Meta(gt=0)]
    """Its place among the editions: a later one has a higher number."""
    documents: Annotated[list[str], Meta(min_length=1)]
    """What it is of; the first binds the implementations of the edition."""
    cited_by: Literal["line", "section"] = "line"
    """Whether claims cite lines of a text, or sections of the docstring of a function."""
    inputs: Annotated[tuple[Input, ...], Meta(min_length=1)] = INPUTS
    """How inputs of calls are made."""
    open_inputs: dict[OpenInput, str] = {}
    """How people make inputs besides, with the convention that such a call rests on."""
    compiled: bool = False
    """Whether calls are compiled, too, which a mapping says how to do."""
    excludes: bool = False
    """Whether values that the rules of specs exclude are passed, which must be refused."""
    differentiated: bool = False
    """Whether gradients are taken by each backend's own means, which a mapping says how to do."""
    promotes: bool = False
    """Whether calls mix dtypes, including integers with floats."""
    symbols: str = ""
    """Where it says that a symbolic tensor has the shape and dtype of what is computed."""
    tried: tuple[str, ...] = ()
    """The dtypes that each function of floating numbers is tried with, whatever its spec names."""


class EditionFiles(Struct, frozen=True):
    """One edition, and where its files are."""

    name: str
    order: float
    documents: tuple[str, ...]
    cited_by: Literal["line", "section"]
    inputs: tuple[Input, ...]
    open_inputs: dict[OpenInput, str]
    compiled: bool
    excludes: bool
    differentiated: bool
    promotes: bool
    symbols: str
    tried: tuple[str, ...]
    folder: Traversable

    @property
    def settings(self) -> str:
        """The text of its `edition.toml`."""
        return read_toml(self.folder / FILE).decode("utf-8")

    def spec_texts(self) -> dict[str, str]:
        """The texts of its own spec files, by name; none if it shares those of older editions."""
        return self._texts("specs")

    def document_texts(self) -> dict[str, str]:
        """The texts of the lists of what its documents hold, by name."""
        return self._texts("documents")

    def _texts(self, part: str) -> dict[str, str]:
        inside = self.folder / part
        if not inside.is_dir():
            return {}
        files = sorted((e for e in inside.iterdir() if e.name.endswith(".yaml")), key=_name)
        return {f"{self.name}/{part}/{e.name}": _yaml(e) for e in files}


def found_editions() -> dict[str, EditionFiles]:
    """Every edition by name, the oldest first.

    Raises:
        EditionError: a folder is wrong, or repeats a name.
    """
    editions: dict[str, EditionFiles] = {}
    owners: dict[str, str] = {}
    for edition in sorted(map(_read, _folders()), key=lambda e: (e.order, e.name)):
        if edition.name in editions:
            raise EditionError(
                f"{edition.folder}: there is an edition {edition.name}; rename the folder"
            )
        for document in edition.documents:
            if document in owners:
                known = f"the edition {owners[document]} has a document {document!r}"
                raise EditionError(
                    f"{edition.folder / FILE}: documents: {known}; choose another name"
                )
            owners[document] = edition.name
        editions[edition.name] = edition
    return editions


def _folders() -> Iterator[Traversable]:
    own = resources.files(__package__)
    yield from sorted((e for e in own.iterdir() if (e / FILE).is_file()), key=_name)
    for text in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        folder = Path(text).expanduser().absolute()
        if not (folder / FILE).is_file():
            raise EditionError(f"{VARIABLE}: {folder} has no file {FILE}; name an edition's folder")
        yield folder


def _read(folder: Traversable) -> EditionFiles:
    path = folder / FILE
    try:
        file = msgspec.toml.decode(read_toml(path), type=_File)
    except (OSError, ValueError, RecursionError) as error:
        raise EditionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    _check_names(path, [folder.name, *file.documents])
    return EditionFiles(
        name=folder.name,
        order=file.order,
        documents=tuple(file.documents),
        cited_by=file.cited_by,
        inputs=file.inputs,
        open_inputs=file.open_inputs,
        compiled=file.compiled,
        excludes=file.excludes,
        differentiated=file.differentiated,
        promotes=file.promotes,
        symbols=file.symbols,
        tried=file.tried,
        folder=folder,
    )


def _check_names(path: Traversable, names: Iterable[str]) -> None:
    for name in names:
        if NAME.fullmatch(name) is None:
            how = "letters and digits, with dots and hyphens between them"
            raise EditionError(f"{path}: {name!r} is no name of an edition or document: {how}")


def _yaml(entry: Traversable) -> str:
    try:
        return read_bounded(entry, MOST_YAML, "split it into several files").decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EditionError(f"{entry}: {getattr(error, 'strerror', None) or error}") from error


def _name(entry: Traversable) -> str:
    return entry.name
