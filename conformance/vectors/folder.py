"""A folder of vectors: `index.json`, and for each edition two files for each function."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

import msgspec

import conformance
from conformance.editions import known_edition
from conformance.files import read_bounded, write_atomically
from conformance.vectors.calls import CallTask
from conformance.vectors.export import function_vectors
from conformance.vectors.records import (
    INDEX_SCHEMA,
    SCHEMA,
    FileEntry,
    FunctionEntry,
    FunctionVectors,
    VectorsIndex,
    encode,
)
from conformance.vectors.safetensors import StoredTensor, TensorsError
from conformance.vectors.safetensors import decode as decode_tensors
from conformance.vectors.safetensors import encode as encode_tensors

R = TypeVar("R", FunctionVectors, VectorsIndex)

INDEX = "index.json"
_MOST = 1 << 30
"""Bytes of a file that is read."""
_AGAIN = "make the vectors again with `conformance vectors --output DIR`"


class VectorsError(ValueError):
    """A folder of vectors cannot be used; the message has the file, the problem and the cure."""

    for_users: ClassVar[bool] = True
    exit_status: ClassVar[int] = 2

    def __init__(self, place: object, problem: str, hint: str = _AGAIN) -> None:
        self.problem = f"{place}: {problem}"
        super().__init__(f"{self.problem}; {hint}")


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files of one function."""

    edition: str
    function: str
    entry: FunctionEntry
    files: Mapping[str, FileEntry]


def write_function(folder: Path, task: CallTask) -> WrittenFiles | None:
    """Write the two files of a function; None if no call of it is planned.

    Raises:
        OSError: the folder cannot be written.
    """
    path = f"{task.edition}/{task.spec.name}"
    record, tensors = function_vectors(task, f"{task.spec.name}.safetensors")
    if not record.calls:
        return None
    contents = {f"{path}.json": encode(record), f"{path}.safetensors": encode_tensors(tensors)}
    for name, content in contents.items():
        write_atomically(folder / name, content)
    count = sum(len(call.vectors) for call in record.calls)
    return WrittenFiles(
        task.edition,
        task.spec.name,
        FunctionEntry(file=f"{path}.json", vectors=count),
        {name: _entry(content) for name, content in contents.items()},
    )


def _entry(content: bytes) -> FileEntry:
    return FileEntry(sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def write_index(
    folder: Path, profile: str, seed: int, functions: Iterable[WrittenFiles]
) -> VectorsIndex:
    """Write the index, and remove files of vectors that an older index has and this one lacks.

    Raises:
        OSError: the folder cannot be written.
    """
    old = read_index(folder).files if (folder / INDEX).exists() else {}
    editions: dict[str, dict[str, FunctionEntry]] = {}
    files: dict[str, FileEntry] = {}
    for written in functions:
        editions.setdefault(written.edition, {})[written.function] = written.entry
        files.update(written.files)
    index = VectorsIndex(
        suite_version=conformance.__version__,
        profile=profile,
        seed=seed,
        vectors=sum(e.vectors for entries in editions.values() for e in entries.values()),
        editions=editions,
        files=dict(sorted(files.items())),
    )
    write_atomically(folder / INDEX, encode(index))
    for name in old.keys() - files.keys():
        _inside(folder, name).unlink(missing_ok=True)
    return index


def read_index(folder: Path) -> VectorsIndex:
    """The index of a folder.

    Raises:
        VectorsError: the folder has none, or it is damaged or of another version.
    """
    path = folder / INDEX
    index = _decoded(path, _read(path), VectorsIndex)
    if index.schema != INDEX_SCHEMA:
        raise VectorsError(path, f"its schema is {index.schema}, and not {INDEX_SCHEMA}")
    for edition in index.editions:
        if known_edition(edition) is None:
            raise VectorsError(path, f"this version of the suite has no edition {edition!r}")
    return index


def read_function(
    folder: Path, index: VectorsIndex, edition: str, function: str
) -> tuple[FunctionVectors, Mapping[str, StoredTensor]]:
    """The vectors and tensors of a function, with the checksums of the index.

    Raises:
        VectorsError: a file is missing, damaged or changed.
    """
    name = index.editions[edition][function].file
    record = _decoded(folder / name, _checked(folder, index, name), FunctionVectors)
    if (record.schema, record.edition, record.function) != (SCHEMA, edition, function):
        raise VectorsError(folder / name, f"these are not the vectors of {function} in {edition}")
    tensors = f"{name.rpartition('/')[0]}/{record.tensors}"
    try:
        return record, decode_tensors(_checked(folder, index, tensors))
    except TensorsError as error:
        raise VectorsError(folder / tensors, str(error)) from error


def _checked(folder: Path, index: VectorsIndex, name: str) -> bytes:
    """The content of a file that the index lists."""
    path, entry = _inside(folder, name), index.files.get(name)
    if entry is None:
        raise VectorsError(path, f"{INDEX} does not list it")
    content = _read(path)
    if _entry(content) != entry:
        raise VectorsError(path, f"its checksum is not that in {INDEX}: the file was changed")
    return content


def _inside(folder: Path, name: str) -> Path:
    """A file of the folder.

    Raises:
        VectorsError: the name leads out of the folder.
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise VectorsError(folder / INDEX, f"the file {name!r} is outside of the folder")
    return path


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, _MOST, "make fewer vectors")
    except OSError as error:
        raise VectorsError(path, error.strerror or str(error)) from error


def _decoded(path: Path, content: bytes, record: type[R]) -> R:
    try:
        return msgspec.json.decode(content, type=record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise VectorsError(path, f"this is not a file of vectors: {error}") from error
