"""Remove the folder of a worker, whatever the implementation has left in it."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Iterator


def remove(folder: str) -> None:
    """Remove a folder with all that is in it, however deep and whatever its permissions.

    Follows no links, and removes a link that is in the folder's own place. A folder inside is moved
    up before it is emptied: so no path is longer than two names, and nothing calls itself.
    """
    with contextlib.suppress(OSError):
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            os.unlink(folder)
            return
        top = _opened(folder, None)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(folder)


def _empty(top: int) -> None:
    """Remove all that is in the folder behind the descriptor, as far as that is possible."""
    remaining: set[str] = set()
    count = itertools.count()
    while left := [name for name in os.listdir(top) if name not in remaining]:
        for name in left:
            try:
                _remove_one(name, top, count)
            except OSError:
                remaining.add(name)


def _remove_one(name: str, top: int, count: Iterator[int]) -> None:
    """Remove a file, or a folder whose own folders are moved to `top`."""
    if not stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
        os.unlink(name, dir_fd=top)
        return
    inside = _opened(name, top)
    try:
        for inner in os.listdir(inside):
            if stat.S_ISDIR(os.lstat(inner, dir_fd=inside).st_mode):
                os.close(_opened(inner, inside))
                os.rename(inner, _unused(top, count), src_dir_fd=inside, dst_dir_fd=top)
            else:
                os.unlink(inner, dir_fd=inside)
    finally:
        os.close(inside)
    os.rmdir(name, dir_fd=top)


def _opened(name: str, inside: int | None) -> int:
    """A descriptor of a folder, which is made readable and writable; OSError for a link."""
    path_only = getattr(os, "O_PATH", None)
    if path_only is not None:  # which needs no permission, and cannot be exchanged for a link
        place = os.open(name, path_only | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=inside)
        try:
            os.chmod(f"/proc/self/fd/{place}", stat.S_IRWXU)
        finally:
            os.close(place)
    elif os.chmod in os.supports_follow_symlinks and os.chmod in os.supports_dir_fd:
        os.chmod(name, stat.S_IRWXU, dir_fd=inside, follow_symlinks=False)
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=inside)


def _unused(top: int, count: Iterator[int]) -> str:
    """A name that nothing in the folder has."""
    while True:
        name = f"removed-{next(count)}"
        try:
            os.lstat(name, dir_fd=top)
        except FileNotFoundError:
            return name
