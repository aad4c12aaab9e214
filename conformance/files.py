"""The one way in which the suite writes a file that may take the place of another.

It also has the one way in which the suite reads a file that somebody else may have written.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import BinaryIO, Protocol
from uuid import uuid4

_CANNOT_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
"""The errors of file systems that cannot wait for a disk."""
_BESIDE = ".writing-"
"""How the names of files begin that are not in their places yet."""
_DESCRIPTORS = Path("/proc/self/fd")
_FOR_EVERYONE = 0o666
"""The permissions of a new file, before the umask of its user removes some."""
MOST_TOML = 1 << 22
"""Bytes of a TOML file: 60,000 known failures, which take 3 s to read."""
MOST_YAML = 1 << 22
"""Bytes of a YAML file: 30 times the largest of the suite's own."""
MOST_SOURCE = 1 << 24
"""Bytes of a Python file, or of a file of requirements."""
_DEEP_KEY = re.compile(
    rb"""(?<![\w-])(?:(?:[\w-]++|"[^"\\\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}"""
)
"""A dotted key of so many parts that Python's parser takes long for it: time grows with the square
of their number, and 16,000 take 7 s."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class TooLargeError(OSError):
    """A file holds more than the suite reads; `strerror` says how much, and what to do."""

    def __init__(self, path: object, most: int, remedy: str) -> None:
        self.remedy = remedy
        self.problem = f"it holds more than {most >> 20} MiB"
        super().__init__(errno.EFBIG, f"{self.problem}; {remedy}", str(path))


def read_bounded(path: Path | Traversable, most: int, remedy: str) -> bytes:
    """The content of a file. OSError if it cannot be read, `TooLargeError` if it has more bytes
    than `most`, of which no more are read."""
    with path.open("rb") as file:
        return bounded(file, path, most, remedy)


def bounded(file: _Readable, path: object, most: int, remedy: str) -> bytes:
    """The rest of an open file, as by `read_bounded`; the file may decompress its content.

    Raises:
        TooLargeError: the file is longer than `most` bytes.
    """
    content = file.read(most + 1)
    if len(content) > most:
        raise TooLargeError(path, most, remedy)
    return content


def read_toml(path: Path | Traversable) -> bytes:
    """The content of a TOML file that can be parsed in seconds.

    Raises:
        OSError: the file cannot be read.
        ValueError: a key has more than 64 parts.
    """
    content = read_bounded(path, MOST_TOML, "split it into several files")
    if _DEEP_KEY.search(content):
        raise ValueError("a key has more than 64 parts; write tables")
    return content


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part.

    This also holds if the machine loses its power: the content is on the disk before it replaces
    the old file. A missing folder is made. OSError if the file cannot be written; then the old file
    is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unnamed = _unnamed(path.parent)
    if unnamed is None or not _write_unnamed(unnamed, path, content):
        _write_named(path, content)


def write_together(files: Iterable[tuple[Path, bytes]], folder: Path) -> list[Path]:
    """Write these files below `folder`.

    Each is written under another name first. They take their places once all are on the disk.

    Raises:
        OSError: a file cannot be written; then all old files are as they were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_BESIDE, dir=folder, ignore_cleanup_errors=True) as new:
        placed = [(path, _filled(Path(new, str(n)), text)) for n, (path, text) in enumerate(files)]
        for path in dict.fromkeys(path.parent for path, _ in placed):
            path.mkdir(parents=True, exist_ok=True)
        for path, temporary in placed:
            if path.is_dir():  # before the first file takes its place
                raise IsADirectoryError(
                    errno.EISDIR, os.strerror(errno.EISDIR), str(temporary), None, str(path)
                )
        for path, temporary in placed:
            temporary.replace(path)
    return [path for path, _ in placed]


def _filled(temporary: Path, content: bytes) -> Path:
    with temporary.open("wb") as file:
        _fill(file, content)
    return temporary


def _unnamed(folder: Path) -> int | None:
    """A new file without a name; nothing remains of it when the process is killed.

    None where the system has none, or no /proc by which it gets its name.
    """
    if not (hasattr(os, "O_TMPFILE") and _DESCRIPTORS.is_dir()):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, _FOR_EVERYONE)
    except OSError:
        return None


def _write_unnamed(unnamed: int, path: Path, content: bytes) -> bool:
    """Fill a file without a name, and put it in place of `path`; False if it gets no name."""
    temporary = _beside(path)
    with os.fdopen(unnamed, "wb") as file:
        _fill(file, content)
        try:
            # with a descriptor os.link follows the link to the file, and else it does not
            os.link(_DESCRIPTORS / str(unnamed), temporary, src_dir_fd=unnamed)
        except OSError:
            return False
        _take_the_place(temporary, path)
    return True


def _write_named(path: Path, content: bytes) -> None:
    temporary = _beside(path)
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _FOR_EVERYONE)
    try:
        with os.fdopen(handle, "wb") as file:
            _fill(file, content)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _take_the_place(temporary, path)


def _beside(path: Path) -> Path:
    """The name of a file that is to take the place of another, which nobody can foresee."""
    return path.parent / f"{_BESIDE}{uuid4().hex}"


def _fill(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    _sync(file.fileno())


def _take_the_place(temporary: Path, path: Path) -> None:
    try:
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
