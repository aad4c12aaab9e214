"""The files that hold results: `TARGET.json`, and compressed by gzip `TARGET.json.gz`."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

PLAIN, COMPRESSED = ".json", ".json.gz"
LARGEST = 1 << 30
"""Bytes that a compressed file may become: what claims more is no results file."""


class DamagedContainerError(ValueError):
    """The file is not whole gzip data; the message says in what."""


def content_of(path: Path) -> bytes:
    """The JSON in a file, compressed or not, which its first bytes say.

    DamagedContainerError where it cannot be made out, OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        if file.read(2) != b"\x1f\x8b":
            file.seek(0)
            return file.read()
        file.seek(0)
        try:
            with gzip.GzipFile(fileobj=file) as opened:
                content = opened.read(LARGEST + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DamagedContainerError(f"this is not whole gzip data ({error})") from None
    if len(content) > LARGEST:
        raise DamagedContainerError(f"it would have more than {LARGEST >> 20} MiB")
    return content


def compressed(content: bytes) -> bytes:
    """The bytes of a compressed file: without a name and a date, so that equal content has equal
    ones."""
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
    return [found for found in (file, packed) if found.is_file()]
