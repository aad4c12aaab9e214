"""Its import tries to write to every folder of the machine and to a file in each of them.

It writes a line in its home for each place where it could.
"""

import os
from pathlib import Path

from .correct import *  # noqa: F403

REPORT = "writable"
NAME = "written-by-a-worker"
_NO_FILES = ("/proc", "/sys")


def _makes_folder(folder: str) -> bool:
    place = os.path.join(folder, NAME)  # noqa: PTH118 - a hundred thousand times
    try:
        os.mkdir(place)  # noqa: PTH102
    except OSError:
        return False
    os.rmdir(place)  # noqa: PTH106
    return True


def _opens_file(folder: str) -> bool:
    with os.scandir(folder) as entries:
        file = next((e.path for e in entries if e.is_file(follow_symlinks=False)), None)
    if file is None:
        return False
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_NOFOLLOW))
    except OSError:
        return False
    return True


def _writable() -> "list[str]":
    places = []
    for folder, names, _ in os.walk("/"):
        if folder == "/":
            names[:] = [name for name in names if f"/{name}" not in _NO_FILES]
        if _makes_folder(folder) or _opens_file(folder):
            places.append(folder)
    return places


_PLACES = _writable()
Path(os.environ["HOME"], REPORT).write_text("".join(f"{place}\n" for place in _PLACES))
