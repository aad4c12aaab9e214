"""The interpreter and the environment variables of a target's worker process."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
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
    """The target's environment lacks the value of a placeholder."""


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
    """The OpenBLAS inside NumPy's wheel, in place of a BLAS of the system."""
    packages = _site_packages(target)
    for pattern in ("numpy/.libs/libopenblas*.so", "numpy.libs/libopenblas*.so"):
        for library in sorted(packages.glob(pattern)):
            return library
    raise PlaceholderError(f"NumPy in {packages} brings no OpenBLAS")


SECONDS = 300.0
"""How long a program that asks something of an implementation may take: an import is slow."""
MOST_PRINTED = 16 * 2**20
"""Bytes that it may print; the longest answer, the places of all functions, has 50,000."""
_ENDLESS = f"its interpreter did not end within {SECONDS:g} s"
_CHUNK = 2**16
_TAIL = 12  # lines of a failed program's output that an error shows


class LaunchError(RuntimeError):
    """A program did not start, did not end, or failed; the text is the end of its output."""


def said_by(target: Target, command: Sequence[str]) -> str:
    """The last line that a program prints which is run in the environment of a target.

    It runs outside of the sandbox, and reads nothing that a worker in the sandbox wrote.

    Raises:
        LaunchError: the program prints none, too much, or does not end.
    """
    variables = launch_environment(target)
    try:
        process = subprocess.Popen(
            command,
            env=variables,
            cwd=variables["HOME"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise LaunchError(str(error)) from error
    with process:
        try:
            output, errors = _outputs(process)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise LaunchError("\n".join((output + errors).strip().splitlines()[-_TAIL:]))
    if not output.strip():
        raise LaunchError("its interpreter printed nothing")
    return output.strip().splitlines()[-1]


def _outputs(process: subprocess.Popen[bytes]) -> list[str]:
    """The standard output and the standard error of a process, once it has ended.

    Raises:
        LaunchError: it takes or prints too much.
    """
    deadline = time.monotonic() + SECONDS
    streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
    printed = {stream.fileno(): bytearray() for stream in streams}
    with selectors.DefaultSelector() as selector:
        for descriptor in printed:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(_left(deadline)):
                data = os.read(key.fd, _CHUNK)
                printed[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
            if sum(map(len, printed.values())) > MOST_PRINTED:
                raise LaunchError(f"its interpreter printed more than {MOST_PRINTED:,} bytes")
    try:
        process.wait(_left(deadline))
    except subprocess.TimeoutExpired as error:
        raise LaunchError(_ENDLESS) from error
    return [text.decode("utf-8", "replace") for text in printed.values()]


def _left(deadline: float) -> float:
    """The seconds until a deadline.

    Raises:
        LaunchError: it is over.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise LaunchError(_ENDLESS)
    return left
