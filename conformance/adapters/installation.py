"""Make virtual environments with uv, and check each target that lives in one.

A virtual environment is made in a folder beside its place and renamed into it when all packages
are in. Therefore an environment in its place is always complete. A lock keeps two installations of
the same environment apart; the next one removes what a killed one left.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from conformance.adapters import interpreters, layout
from conformance.adapters.target_records import Target, Venv

Stage = Literal["interpreter", "download", "check"]
OnProgress = Callable[[Stage, str], None]

_TAIL = 12  # lines of a failed program's output that an error shows
BUILDING = Path(__file__).parent / "locks" / "building.txt"
"""The build tools for packages without a wheel, pinned with hashes."""


class InstallationError(Exception):
    """An environment could not be made, or a target in it does not work; `hint` says what to do."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def is_current(venv: Venv) -> bool:
    """Whether the virtual environment is complete and has what the current lock asks for here."""
    marker = layout.read(layout.marker_file(layout.venv_folder(venv)), layout.Marker)
    if marker is None:
        return False
    return marker.digest == layout.digest(venv) or _asks_for_the_same(venv, marker.python)


def _asks_for_the_same(venv: Venv, python: str) -> bool:
    """Whether the lock and the installed pins differ for other platforms alone."""
    if venv.lock is None or not any(python.startswith(f"{version}.") for version in venv.python):
        return False
    from conformance.adapters.pins import applicable  # noqa: PLC0415 - needed after an update alone

    try:
        installed = layout.pins_file(layout.venv_folder(venv)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return applicable(installed, python) == applicable(venv.pins(), python)


@layout.in_home()
def install(venv: Venv, *, on_progress: OnProgress, force: bool = False) -> bool:
    """Make the virtual environment; with `force`, even if it is current.

    Returns whether it was made.

    Raises:
        InstallationError: a step of the installation failed.
    """
    on_progress("interpreter", f"looking for CPython {' or '.join(venv.python)}")
    with only_one(layout.venv_folder(venv)):
        if is_current(venv) and not force:
            return False
        try:
            python = interpreters.find(venv.python)
        except interpreters.InterpreterNotFoundError as error:
            raise InstallationError(error.reason, error.hint) from error
        _make(venv, python, on_progress)
        return True


@layout.in_home()
def check(target: Target, *, on_progress: OnProgress) -> dict[str, str]:
    """Import the target in its environment as a run does, and return the versions found.

    The outcome is kept for `status`, unless the target has no environment: then the next import
    may give another.

    Raises:
        InstallationError: the import failed.
    """
    from conformance.adapters.probe import tried  # noqa: PLC0415 - it imports NumPy

    on_progress("check", f"importing {target.module}")
    result, hint = tried(target)
    if target.venv is not None:
        layout.write(layout.check_file(target), result)
        hint = f"conformance install --force {target.name}"
    if result.problem is not None:
        raise InstallationError(result.problem, hint or "")
    return result.versions


def _make(venv: Venv, python: Path, on_progress: OnProgress) -> None:
    place = layout.venv_folder(venv)
    unfinished = place.with_name(f".{place.name}.partial")
    _remove(unfinished)
    try:
        on_progress("download", f"{python} ({interpreters.version_of(python)})")
        _fill(venv, unfinished, python, on_progress)
        _put_in_place(unfinished, place)
    finally:
        _remove(unfinished)
    on_progress("download", "compiling the packages' Python")
    _compile(place)


def _compile(folder: Path) -> None:
    """Save the bytecode of all packages, which no worker in a sandbox can.

    Every start of a worker would compile them again. Some packages have files for another Python,
    which do not compile: this is not an error.
    """
    python = layout.venv_python(folder)
    # isolated: without -I Python would import the modules of the folder that the user is in
    command = [str(python), "-I", "-m", "compileall", "-q", "-j", "0", str(folder)]
    subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True)


def _fill(venv: Venv, folder: Path, python: Path, on_progress: OnProgress) -> None:
    say = partial(on_progress, "download")
    run_uv(["venv", "--relocatable", "--no-project", "--python", str(python), str(folder)], say)
    pins = layout.pins_file(folder)
    pins.write_text(venv.pins(), encoding="utf-8")
    # The lock names all packages. Resolving would only add those that it leaves out on purpose.
    closed = ["--no-deps", "--require-hashes"] if venv.lock else []
    if venv.described_in is None:  # a user pins the build tools of their own packages
        closed += ["--build-constraints", str(BUILDING)]
    if venv.provides:
        overrides = folder / "overrides.txt"
        lines = [f"{name} ; python_version < '0'\n" for name in venv.provides]
        overrides.write_text("".join(lines), encoding="utf-8")
        closed += ["--overrides", str(overrides)]
    inside = ["--python", str(layout.venv_python(folder))]
    run_uv(["pip", "install", *closed, *inside, "--requirements", str(pins)], say)
    version = interpreters.version_of(python) or ""
    layout.write(
        layout.marker_file(folder), layout.Marker(digest=layout.digest(venv), python=version)
    )


def _put_in_place(finished: Path, place: Path) -> None:
    old = place.with_name(f".{place.name}.old")
    _remove(old)
    if place.exists():
        place.rename(old)
    finished.rename(place)
    _remove(old)


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


@contextmanager
def only_one(place: Path) -> Iterator[None]:
    """Hold the lock of the folder `place`; the system releases it however the process ends."""
    import fcntl  # noqa: PLC0415 - commands that install nothing import this module on Windows

    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f".{place.name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run_uv(arguments: list[str], on_line: Callable[[str], None]) -> None:
    """Run uv and pass on its messages, line by line.

    Raises:
        InstallationError: uv does not start, or fails.
    """
    command = [interpreters.uv_program(), "--color", "never", *arguments]
    output: list[str] = []
    try:
        with subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=layout.suite_home(),  # in a stranger's project uv would follow its settings
        ) as process:
            try:
                for line in process.stderr or ():
                    output.append(line.rstrip())
                    on_line(line.strip())
            except BaseException:
                process.terminate()
                raise
    except OSError as error:
        raise InstallationError(
            f"uv cannot be started: {error.strerror or error}", "pip install uv"
        ) from error
    if process.returncode != 0:
        raise InstallationError(f"uv {arguments[0]} failed:\n" + "\n".join(output[-_TAIL:]))
