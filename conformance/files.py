"""The one way in which the suite writes a file that may take the place of another."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

_CANNOT_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
"""What file systems answer that have nothing to wait for."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part.

    This holds for a machine that loses its power, too: the content is on the disk before it takes
    the place of the old file. The folder is made if there is none. OSError if it cannot be written;
    then the old file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            _sync(file.fileno())
        # mkstemp makes files that only their owner can read; reports are for everyone
        temporary.chmod(0o644)
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
