"""Find system libraries, and link them under the names that old packages look for."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from conformance.adapters.target_records import SharedLibrary

_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/usr/lib/*-linux-gnu*")


@cache
def find(name: str) -> Path | None:
    """The file of a shared library such as "libmpi.so.40"; None if the system has none."""
    return next((path for path in _candidates(name) if path.is_file()), None)


def link(libraries: tuple[SharedLibrary, ...], folder: Path) -> None:
    """Make `folder` hold a link to each library under the name that packages ask for.

    A library that the system lacks is skipped: `status` reports it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for library in libraries:
        if (source := find(library.found_as)) is not None:
            _link(folder / library.name, source)


def _link(place: Path, source: Path) -> None:
    if place.is_symlink() and place.readlink() == source:
        return
    place.unlink(missing_ok=True)
    with suppress(FileExistsError):  # another process made it in between
        place.symlink_to(source)


def _candidates(name: str) -> Iterator[Path]:
    """Paths to try: those in the linker's cache, then the usual folders."""
    yield from _cached(name)
    for pattern in _FOLDERS:
        yield from Path("/").glob(f"{pattern.lstrip('/')}/{name}")


def _cached(name: str) -> list[Path]:
    program = shutil.which("ldconfig") or "/sbin/ldconfig"
    try:
        answer = subprocess.run(
            [program, "-p"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    lines = (line.strip().partition(" ") for line in answer.stdout.splitlines())
    return [Path(rest.rpartition("=> ")[2]) for start, _, rest in lines if start == name]
