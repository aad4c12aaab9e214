"""What a worker process of a target is started with: the interpreter and every variable."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import conformance
from conformance.adapters import interpreters, layout, libraries
from conformance.adapters.target_records import Target
from conformance.adapters.target_texts import placeholders

# A worker sees these variables of the host and no others.
_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT")

# One thread each: several workers share the machine, and sums keep one order of addition.
_COMMON = {
    "CUDA_VISIBLE_DEVICES": "",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONNOUSERSITE": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
}


class PlaceholderError(LookupError):
    """What a placeholder stands for is not in the target's environment."""


def interpreter(target: Target) -> Path:
    """The interpreter of the target's worker.

    Raises `interpreters.InterpreterNotFoundError` for a target that names one without a virtual
    environment, if there is none.
    """
    if target.venv is not None:
        return layout.venv_python(layout.venv_folder(target.venv))
    if target.python is not None:
        return interpreters.find([target.python])
    return Path(sys.executable)


def launch_environment(
    target: Target, number: int = 0, *, sandboxed: bool = False
) -> dict[str, str]:
    """All environment variables of a process of the target; folders that they name are made.

    Only a process that is `sandboxed` gets the folders that those in the sandbox write to. Raises
    `PlaceholderError` if the target's environment is not complete, `layout.HomeError` if a folder
    cannot be made.
    """
    with layout.in_home():
        return _variables(layout.OwnFolders(target, number, sandboxed))


def _variables(own: layout.OwnFolders) -> dict[str, str]:
    target = own.target
    filled = {name: fill(text, own) for name, text in target.environment.items()}
    for folder in (own.home, own.cache):
        folder.mkdir(parents=True, exist_ok=True)
    if target.libraries:
        libraries.link(target.libraries, layout.links_folder(target))
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {"LANG": "C.UTF-8"} | inherited | _COMMON | {"HOME": str(own.home)} | filled


def fill(text: str, own: layout.OwnFolders) -> str:
    """The text with its placeholders filled in. Raises `PlaceholderError`."""
    places = _places(own)
    return text.format_map({name: places[name]() for name in placeholders(text)})


def _places(own: layout.OwnFolders) -> dict[str, Callable[[], Path | str]]:
    target = own.target
    return {
        "home": lambda: own.home,
        "cache": lambda: own.cache,
        "compiled": lambda: _created(own.compiled),
        "links": lambda: layout.links_folder(target),
        "site_packages": lambda: _site_packages(target),
        "openblas_dir": lambda: _openblas(target).parent,
        "openblas_lib": lambda: _openblas(target).name,
        "edition": lambda: target.edition,
        "suite": lambda: Path(conformance.__file__).parent.parent,
    }


def _created(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _site_packages(target: Target) -> Path:
    if target.venv is None:
        raise PlaceholderError(f"{target.name} has no virtual environment")
    folder = layout.venv_folder(target.venv)
    for pattern in ("lib/python*/site-packages", "Lib/site-packages"):
        for packages in folder.glob(pattern):
            return packages
    raise PlaceholderError(f"{folder} has no site-packages")


def _openblas(target: Target) -> Path:
    """The OpenBLAS inside NumPy's wheel, so that nothing needs a BLAS of the system."""
    packages = _site_packages(target)
    for pattern in ("numpy/.libs/libopenblas*.so", "numpy.libs/libopenblas*.so"):
        for library in sorted(packages.glob(pattern)):
            return library
    raise PlaceholderError(f"NumPy in {packages} brings no OpenBLAS")


SECONDS = 300
"""How long a program that asks something of an implementation may take: an import is slow."""
_TAIL = 12  # lines of a failed program's output that an error shows


class LaunchError(RuntimeError):
    """A program did not start, did not end, or failed; the text is the end of its output."""


def said_by(target: Target, command: Sequence[str]) -> str:
    """The last line that a program prints which is run in the environment of a target.

    It runs outside of the sandbox, and reads nothing that a worker in the sandbox wrote.

    Raises:
        LaunchError: the program prints none; its cause is set if the program did not end.
    """
    variables = launch_environment(target)
    try:
        answer = subprocess.run(
            command,
            env=variables,
            check=False,
            cwd=variables["HOME"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(str(error)) from error
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    if answer.returncode != 0:
        raise LaunchError("\n".join(lines[-_TAIL:]))
    if not answer.stdout.strip():
        raise LaunchError("it printed nothing")
    return answer.stdout.strip().splitlines()[-1]
