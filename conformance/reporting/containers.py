"""The files that hold results: `TARGET.json`, and compressed by gzip `TARGET.json.gz`."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from conformance.files import TooLargeError, bounded

PLAIN, COMPRESSED = ".json", ".json.gz"
LARGEST = 1 << 26
"""Bytes of JSON in a file, compressed or not: seven times the largest of the suite's own."""
MOST_VALUES = 1 << 22
"""Values in the JSON; each takes up to a hundred bytes of memory, besides its length."""
REMEDY = "run fewer functions at a time (-k, --shard): `conformance report` merges the files"


class DamagedContainerError(ValueError):
    """The file is not whole gzip data; the message says in what."""


def content_of(path: Path) -> bytes:
    """The JSON in a file, compressed or not, which its first bytes say.

    Raises:
        DamagedContainerError: the content is not whole gzip data.
        OSError: the file cannot be read.
        TooLargeError: it holds more than this machine should hold in its memory.
    """
    content = _decompressed(path)
    if values_in(content) > MOST_VALUES:
        raise TooManyValuesError(path)
    return content


def values_in(content: bytes) -> int:
    """How many values JSON has at most, found without decoding it."""
    return sum(map(content.count, (b",", b"[", b"{")))


class TooManyValuesError(TooLargeError):
    """A file holds more values than the suite reads."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, LARGEST, REMEDY)
        self.problem = f"it holds more than {MOST_VALUES:,} values"
        self.strerror = f"{self.problem}; {REMEDY}"


def _decompressed(path: Path) -> bytes:
    with path.open("rb") as file:
        magic = file.read(2)
        file.seek(0)
        if magic != b"\x1f\x8b":
            return bounded(file, path, LARGEST, REMEDY)
        try:
            with gzip.GzipFile(fileobj=file) as opened:
                return bounded(opened, path, LARGEST, REMEDY)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DamagedContainerError(f"this is not whole gzip data ({error})") from None


def compressed(content: bytes) -> bytes:
    """The bytes of a compressed file, without a name and a date. Therefore equal content has equal
    bytes."""
    return gzip.compress(content, 9, mtime=0)


def json_files(folder: Path) -> list[Path]:
    """The files in a folder that may hold results, by name."""
    return sorted(file for ending in (PLAIN, COMPRESSED) for file in folder.glob(f"*{ending}"))


def existing(file: Path) -> Path | None:
    """`TARGET.json`, or `TARGET.json.gz` beside where it would lie; None if there is neither."""
    return next(iter(all_existing(file)), None)


def all_existing(file: Path) -> list[Path]:
    """`TARGET.json` and `TARGET.json.gz`, those that there are."""
    packed = file.with_name(file.name + COMPRESSED.removeprefix(PLAIN))
    return [existing for existing in (file, packed) if existing.is_file()]
