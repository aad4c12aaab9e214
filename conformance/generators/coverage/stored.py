"""Covering arrays that come with the suite, because finding them takes most of the time of a plan.

Of each structure the choices are stored of which it is made again. They are those of the profiles
`default` and `smoke` with seed 0; a plan of another profile or seed is found when it is asked for.
An array is found anew, too, once the code that finds it has changed: `python -m tools.arrays`
stores it then.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec

import conformance
from conformance.editions import Edition, edition_files

FOLDER = resources.files(__package__) / "arrays"
MAKING = (
    "dtypes.py",
    "editions/__init__.py",
    "editions/files.py",
    "generators",
    "program/calls.py",
    "program/codec.py",
    "program/layouts.py",
    "program/model.py",
    "specs",
)
"""The modules and packages that decide what a covering array is."""
SOURCES = (".py", ".yaml")
BESIDE = ("documents", "claims", "schema")
"""Folders that no structure depends on."""
APART = (
    "accuracy.yaml",
    "conventions.yaml",
    "errata.yaml",
    "examples.yaml",
    "releases.yaml",
    "stored.py",
)
"""Files that no structure depends on."""

Choices = tuple[int, ...]


class StoredArray(msgspec.Struct, frozen=True):
    """The structures of one function, each as the choices that make it."""

    seed: int
    rows: tuple[Choices, ...]
    """What the plan of `default` adds, until everything is shown."""
    few: tuple[Choices, ...] = ()
    """The first, of small tensors: the plan of `smoke`."""


class StoredArrays(msgspec.Struct, frozen=True):
    """Those of an edition, with a hash of the code that found them."""

    code: str
    arrays: Mapping[str, StoredArray]


def stored_array(function: str, edition: Edition, seed: int) -> StoredArray | None:
    """The choices of a function's structures; None if none are stored for this seed."""
    found = _stored(edition).get(function)
    return found if found is not None and found.seed == seed else None


def file_name(edition: Edition) -> str:
    """The file of an edition's arrays."""
    return f"{edition}.msgpack.zlib"


def encoded(arrays: Mapping[str, StoredArray], edition: Edition) -> bytes:
    """The content of such a file: the same for the same arrays."""
    return zlib.compress(msgspec.msgpack.encode(StoredArrays(code(edition), arrays)), 9)


def decoded(content: bytes) -> StoredArrays:
    """The arrays in such a file.

    Raises:
        ValueError: the file is damaged.
    """
    try:
        return msgspec.msgpack.decode(zlib.decompress(content), type=StoredArrays)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError(f"this is no file of covering arrays: {error}") from error


@cache
def _stored(edition: Edition) -> Mapping[str, StoredArray]:
    """What is stored of an edition, unless other code found it."""
    try:
        found = decoded((FOLDER / file_name(edition)).read_bytes())
    except (OSError, ValueError):
        return {}
    return found.arrays if found.code == code(edition) else {}


@cache
def code(edition: Edition) -> str:
    """A hash of the code and the data that decide what a covering array of an edition is."""
    digest = hashlib.sha256()
    package = resources.files(conformance)
    for name in MAKING:
        for path, content in _contents(package / name, name):
            digest.update(f"{path} {len(content)}\n".encode() + content)
    (own,) = (one for one in edition_files() if one.name == edition)
    for name, text in {"settings": own.settings, **own.spec_texts()}.items():
        digest.update(f"{name} {len(text)}\n{text}".encode())
    return digest.hexdigest()[:40]


def _contents(entry: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """The sources at a path, and below it, in the order of their names."""
    if entry.is_file() and entry.name.endswith(SOURCES) and entry.name not in APART:
        yield path, entry.read_bytes()
    elif entry.is_dir() and entry.name not in BESIDE:
        for inner in sorted(entry.iterdir(), key=lambda one: one.name):
            yield from _contents(inner, f"{path}/{inner.name}")
