"""Records that were made of texts once, kept in the user's cache under a hash of these texts.

A process takes a hundredth of the time to read them again. What cannot be read or written is made
anew: the cache changes nothing but the time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TypeVar

import msgspec
import platformdirs

Records = TypeVar("Records")

MOST_FILES = 40
"""The oldest are deleted beyond so many: those of earlier versions."""


def cache_folder() -> Path:
    """The folder of the cache; the environment variable CONFORMANCE_CACHE names another one.

    RuntimeError if that begins with ~NAME, and there is no such user.
    """
    chosen = os.environ.get("CONFORMANCE_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    return platformdirs.user_cache_path("keras-backend-conformance", appauthor=False)


def remembered(
    texts: Mapping[str, str], kind: type[Records], make: Callable[[], Records]
) -> Records:
    """What `make` makes of the texts: from the cache, or made and put there."""
    name = f"{_key(texts, kind)}.msgpack"
    with suppress(OSError, RuntimeError, msgspec.MsgspecError):
        return msgspec.msgpack.decode((cache_folder() / "specs" / name).read_bytes(), type=kind)
    records = make()
    # no room, no right to write, no such user: the next process makes it again
    with suppress(OSError, RuntimeError):
        _keep(cache_folder() / "specs" / name, msgspec.msgpack.encode(records))
    return records


def _key(texts: Mapping[str, str], kind: object) -> str:
    digest = hashlib.sha256(f"{_code()} {msgspec.__version__} {kind}".encode())
    for name, text in sorted(texts.items()):
        digest.update(f"{name} {len(text)}\n{text}".encode())
    return digest.hexdigest()[:40]


@cache
def _code() -> str:
    """A hash of the code that makes records of texts."""
    digest = hashlib.sha256()
    folder = resources.files(__package__)
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".py"):
            digest.update(entry.name.encode() + entry.read_bytes())
    return digest.hexdigest()


def _keep(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    written = Path(name)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
        written.replace(file)
    finally:
        written.unlink(missing_ok=True)
    _forget(file.parent)


def _forget(folder: Path) -> None:
    def age(file: Path) -> float:
        try:
            return file.stat().st_mtime
        except OSError:  # deleted by another process
            return 0.0

    for old in sorted(folder.glob("*.msgpack"), key=age)[:-MOST_FILES]:
        old.unlink(missing_ok=True)
