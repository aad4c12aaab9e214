"""Find a CPython of a given version: under pyenv, among those of uv, and on PATH.

Every candidate is run to find its version: a pyenv shim that is not activated only prints an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import uv

_ASK = "import sys; print(sys.implementation.name, '%d.%d.%d' % sys.version_info[:3])"
_UV_OFFERS_FROM = (3, 8)
_LOOKING = threading.Lock()
"""`sysconfig`, which uv asks, answers None to a thread while another one fills its table."""
_LAST_RELEASES = {"3.6": "3.6.15", "3.7": "3.7.17"}


class InterpreterNotFoundError(Exception):
    """There is no such interpreter; `hint` is the command that gets one."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason}; {hint}")
        self.reason = reason
        self.hint = hint


def find(wanted: Sequence[str]) -> Path:
    """An interpreter for the first of these that is found: versions ("3.6") or paths.

    Raises `InterpreterNotFoundError`.
    """
    for each in wanted:
        for path in _candidates(each):
            if _serves(path, each):
                return path
    raise InterpreterNotFoundError(_absence(wanted), cure(wanted[0]))


def cure(wanted: str) -> str:
    """The command that gets this interpreter."""
    if is_path(wanted):
        return "give the path of a CPython interpreter"
    if tuple(map(int, wanted.split("."))) < _UV_OFFERS_FROM:
        return f"pyenv install {_LAST_RELEASES.get(wanted, wanted)}"
    return f"uv python install {wanted}"


@cache
def version_of(path: Path) -> str | None:
    """The version ("3.6.15") of a CPython interpreter; None for anything else."""
    try:
        answer = subprocess.run(
            [path, "-I", "-S", "-c", _ASK], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    name, _, version = answer.stdout.strip().partition(" ")
    return version if name == "cpython" else None


def uv_program() -> str:
    """The uv executable: the one of the package `uv`, else the one on PATH."""
    try:
        with _LOOKING:
            return uv.find_uv_bin()
    except FileNotFoundError:
        return shutil.which("uv") or "uv"


def is_path(wanted: str) -> bool:
    """Whether this names an interpreter by its path or its program, and not by a version."""
    return not re.fullmatch(r"\d+\.\d+", wanted)


def located(wanted: str, folder: Path) -> str:
    """What a user wrote in `folder`, as it can be used in any other folder.

    A version stays as it is, and so does the name of a program that is not in the folder: PATH has
    it. A path becomes absolute, and `~` the user's home. Links stay, because the link inside a
    virtual environment is what selects it.
    """
    if not wanted or not is_path(wanted):
        return wanted
    path = _expanded(wanted)
    if path.parts[0].startswith("~"):
        return wanted
    place = folder.absolute() / path
    return str(place) if os.sep in wanted or place.is_file() else wanted


def _expanded(wanted: str) -> Path:
    try:
        return Path(wanted).expanduser()
    except RuntimeError:  # ~name, and there is no such user
        return Path(wanted)


def _absence(wanted: Sequence[str]) -> str:
    if is_path(wanted[0]):
        return f"{wanted[0]} is not a CPython interpreter that runs: {_fault(wanted[0])}"
    return f"CPython {' or '.join(wanted)} is not installed"


def _fault(wanted: str) -> str:
    """Why this path or program does not serve: the last line that it prints, if it starts."""
    place = next(_candidates(wanted))
    if os.sep not in str(place):
        return "no program of this name is on PATH"
    try:
        answer = subprocess.run(
            [place, "-I", "-S", "-c", _ASK], capture_output=True, text=True, timeout=30, check=False
        )
    except OSError as error:
        return error.strerror or str(error)
    except (ValueError, subprocess.SubprocessError) as error:
        return str(error)
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    return lines[-1] if lines else f"it ends with status {answer.returncode}"


def _serves(path: Path, wanted: str) -> bool:
    version = version_of(path)
    return version is not None and (is_path(wanted) or version.startswith(f"{wanted}."))


def _candidates(wanted: str) -> Iterator[Path]:
    if is_path(wanted):
        place = shutil.which(wanted) if os.sep not in wanted else None
        yield _expanded(place or wanted)
        return
    if "{}.{}".format(*sys.version_info) == wanted:
        yield Path(sys.executable)
    yield from _newest_first(_pyenv_root().glob(f"versions/*/bin/python{wanted}"))
    yield from _newest_first(_uv_folder().glob(f"cpython-{wanted}.*/bin/python{wanted}"))
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if (path := Path(folder, f"python{wanted}")).is_file():
            yield path


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda p: [int(n) for n in re.findall(r"\d+", str(p))], reverse=True)


def _pyenv_root() -> Path:
    return Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")


@cache
def _uv_folder() -> Path:
    try:
        answer = subprocess.run(
            [uv_program(), "python", "dir"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return Path("/nonexistent")
    return Path(answer.stdout.strip())
