"""The environment of each target: whether it is ready, its interpreter and its variables.

status(target)              `Ready`, or `Missing` with the cure
install(venv, ...)          make a virtual environment
check(target, ...)          import a target for real
interpreter(target)         what to start a worker with
launch_environment(target)  all its environment variables
"""

from __future__ import annotations

import shutil

from msgspec import Struct

from conformance.adapters import interpreters, layout, libraries
from conformance.adapters.installation import InstallationError, check, install, is_current
from conformance.adapters.launching import (
    PlaceholderError,
    fill,
    interpreter,
    launch_environment,
)
from conformance.adapters.registry import Target

__all__ = [
    "InstallationError",
    "Missing",
    "PlaceholderError",
    "Ready",
    "check",
    "install",
    "interpreter",
    "launch_environment",
    "status",
    "system_problem",
]


class Ready(Struct, frozen=True):
    """The target can be run."""

    python: str
    """The version of its interpreter."""
    versions: dict[str, str]
    """The versions that `check` found; empty for a target that was never checked."""


class Missing(Struct, frozen=True):
    """The target cannot be run; `hint` is the command or the step that makes it ready."""

    reason: str
    hint: str


def status(target: Target) -> Ready | Missing:
    """Whether the target can be run here. It imports nothing of the target."""
    for problem in (system_problem, _venv_problem, _check_problem, _variable_problem):
        if (missing := problem(target)) is not None:
            return missing
    checked = layout.read(layout.check_file(target), layout.ImportCheck)
    return Ready(_python_version(target), checked.versions if checked else {})


def system_problem(target: Target) -> Missing | None:
    """The program, library or interpreter that this target needs and the system lacks, if any."""
    for program in target.programs:
        if shutil.which(program.name) is None:
            return Missing(f"the program {program.name} is not on PATH", program.cure)
    for library in target.libraries:
        if libraries.find(library.found_as) is None:
            return Missing(f"the system library {library.found_as} is not installed", library.cure)
    return _interpreter_problem(target)


def _interpreter_problem(target: Target) -> Missing | None:
    named = target.venv.python if target.venv else (target.python,)
    paths = [python for python in named if python and interpreters.is_path(python)]
    if paths and target.found_above is not None:
        reason = (
            f"{paths[0]}, its interpreter, is not run: {target.found_above} is in a folder above"
        )
        return Missing(reason, f"conformance run {target.name}")
    try:
        if target.venv is None:
            interpreter(target)
        elif not is_current(target.venv):
            interpreters.find(target.venv.python)
    except interpreters.InterpreterNotFoundError as error:
        return Missing(error.reason, error.hint)
    return None


def _venv_problem(target: Target) -> Missing | None:
    if target.venv is None or is_current(target.venv):
        return None
    made = layout.venv_folder(target.venv).exists()
    reason = "its environment is out of date" if made else "its environment is not made yet"
    return Missing(reason, f"conformance install {target.name}")


def _check_problem(target: Target) -> Missing | None:
    """What the check after the installation found; of a backend that its user may have mended since
    then, a run finds out for itself."""
    if target.venv is None or target.described_in is not None:
        return None
    checked = layout.read(layout.check_file(target), layout.ImportCheck)
    if checked is None or checked.problem is None:
        return None
    return Missing(checked.problem, f"conformance install --force {target.name}")


def _variable_problem(target: Target) -> Missing | None:
    try:
        for text in target.environment.values():
            fill(text, target)
    except PlaceholderError as error:
        return Missing(str(error), f"conformance install --force {target.name}")
    return None


def _python_version(target: Target) -> str:
    if target.venv is not None:
        marker = layout.read(layout.marker_file(layout.venv_folder(target.venv)), layout.Marker)
        return marker.python if marker else ""
    return interpreters.version_of(interpreter(target)) or ""
