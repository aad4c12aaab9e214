"""The one way in which the suite writes a file that may take the place of another."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

_CANNOT_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
"""What file systems answer that have nothing to wait for."""
_DESCRIPTORS = Path("/proc/self/fd")


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part.

    This holds for a machine that loses its power, too: the content is on the disk before it takes
    the place of the old file. The folder is made if there is none. OSError if it cannot be written;
    then the old file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unnamed = _unnamed(path.parent)
    if unnamed is None or not _write_unnamed(unnamed, path, content):
        _write_named(path, content)


def _unnamed(folder: Path) -> int | None:
    """A new file without a name, of which nothing is left when the process is killed.

    None where the system has none, or no /proc by which it gets its name.
    """
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY) if _DESCRIPTORS.is_dir() else None
    except (AttributeError, OSError):
        return None


def _write_unnamed(unnamed: int, path: Path, content: bytes) -> bool:
    """Fill a file without a name, and put it in the place of `path`; False if it gets no name."""
    temporary = path.parent / f".writing-{uuid4().hex}"
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
    handle, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            _fill(file, content)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _take_the_place(temporary, path)


def _fill(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    # such files are made so that only their owner can read them; reports are for everyone
    os.fchmod(file.fileno(), 0o644)
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
