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


def find(interpreters: Sequence[str]) -> Path:
    """An interpreter for the first of these that is found: versions ("3.6") or paths.

    Raises:
        InterpreterNotFoundError: none of them exists.
    """
    for each in interpreters:
        for path in _candidates(each):
            if _serves(path, each):
                return path
    raise InterpreterNotFoundError(_absence(interpreters), cure(interpreters[0]))


def cure(interpreter: str) -> str:
    """The command that gets this interpreter."""
    if is_path(interpreter):
        return "give the path of a CPython interpreter"
    if tuple(map(int, interpreter.split("."))) < _UV_OFFERS_FROM:
        return f"pyenv install {_LAST_RELEASES.get(interpreter, interpreter)}"
    return f"uv python install {interpreter}"


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
    """The uv executable: that of the package `uv`, else that on PATH."""
    try:
        with _LOOKING:
            return uv.find_uv_bin()
    except FileNotFoundError:
        return shutil.which("uv") or "uv"


def is_path(interpreter: str) -> bool:
    """Whether this names an interpreter by its path or its program, and not by a version."""
    return not re.fullmatch(r"\d+\.\d+", interpreter)


def located(interpreter: str, folder: Path) -> str:
    """The interpreter that a user named in `folder`, in a form for any other folder.

    A version stays as it is, and so does the name of a program that is not in the folder: PATH has
    it. A path becomes absolute, and `~` the user's home. Links stay, because the link inside a
    virtual environment is what selects it.
    """
    if not interpreter or not is_path(interpreter):
        return interpreter
    path = _expanded(interpreter)
    if path.parts[0].startswith("~"):
        return interpreter
    place = folder.absolute() / path
    return str(place) if os.sep in interpreter or place.is_file() else interpreter


def _expanded(interpreter: str) -> Path:
    try:
        return Path(interpreter).expanduser()
    except RuntimeError:  # ~name, and there is no such user
        return Path(interpreter)


def _absence(interpreters: Sequence[str]) -> str:
    if is_path(interpreters[0]):
        return (
            f"{interpreters[0]} is not a CPython interpreter that runs: {_fault(interpreters[0])}"
        )
    return f"CPython {' or '.join(interpreters)} is not installed"


def _fault(interpreter: str) -> str:
    """Why this path or program does not serve: the last line that it prints, if it starts."""
    place = next(_candidates(interpreter))
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


def _serves(path: Path, interpreter: str) -> bool:
    version = version_of(path)
    return version is not None and (is_path(interpreter) or version.startswith(f"{interpreter}."))


def _candidates(interpreter: str) -> Iterator[Path]:
    if is_path(interpreter):
        place = shutil.which(interpreter) if os.sep not in interpreter else None
        yield _expanded(place or interpreter)
        return
    if "{}.{}".format(*sys.version_info) == interpreter:
        yield Path(sys.executable)
    yield from _newest_first(_pyenv_root().glob(f"versions/*/bin/python{interpreter}"))
    yield from _newest_first(_uv_folder().glob(f"cpython-{interpreter}.*/bin/python{interpreter}"))
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if (path := Path(folder, f"python{interpreter}")).is_file():
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
