"""The environment of each target: whether it is ready, its interpreter and its variables.

* `status(target)`: `Ready`, or `Missing` with the cure.
* `install(venv, ...)` makes a virtual environment.
* `check(target, ...)` imports a target for real.
* `interpreter(target)`: the interpreter of its worker.
* `launch_environment(target)`: all its environment variables.
"""

from __future__ import annotations

import platform
import shutil
import sys

from msgspec import Struct

from conformance.adapters import interpreters, layout, libraries
from conformance.adapters.installation import InstallationError, check, install, is_current
from conformance.adapters.launching import (
    PlaceholderError,
    fill,
    interpreter,
    launch_environment,
)
from conformance.adapters.target_records import Target
from conformance.platforms import require_workers

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
    """Whether the target can be run here. It imports nothing of the target.

    A target that nobody has named cannot: the file that describes it may be a stranger's.
    """
    problems = (_unnamed_problem, system_problem, _venv_problem, _check_problem, _variable_problem)
    for problem in problems:
        if (missing := problem(target)) is not None:
            return missing
    checked = layout.read(layout.check_file(target), layout.ImportCheck)
    return Ready(_python_version(target), checked.versions if checked else {})


def _unnamed_problem(target: Target) -> Missing | None:
    if target.found_in is None:
        return None
    reason = f"{target.found_in} describes it, and nothing of that file runs until you name it"
    return Missing(reason, f"conformance run {target.name}")


def system_problem(target: Target) -> Missing | None:
    """The program, library or interpreter that this target needs and the system lacks, if any.

    `NoWorkersError` where no target can be run.
    """
    require_workers()
    if (missing := _platform_problem(target)) is not None:
        return missing
    for program in target.programs:
        if shutil.which(program.name) is None:
            return Missing(f"the program {program.name} is not on PATH", program.cure)
    for library in target.libraries:
        if libraries.find(library.found_as) is None:
            return Missing(f"the system library {library.found_as} is not installed", library.cure)
    return _interpreter_problem(target)


def _platform_problem(target: Target) -> Missing | None:
    here = f"{sys.platform}-{platform.machine()}"
    if target.venv is None or not target.venv.platforms or here in target.venv.platforms:
        return None
    reason = (
        f"its environment cannot be had for {here}; it is for {', '.join(target.venv.platforms)}"
    )
    return Missing(reason, "run it there, or in a container: docs/install.md#in-a-container")


def _interpreter_problem(target: Target) -> Missing | None:
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
    exists = layout.venv_folder(target.venv).exists()
    reason = "its environment is out of date" if exists else "its environment is not made yet"
    return Missing(reason, f"conformance install {target.name}")


def _check_problem(target: Target) -> Missing | None:
    """The fault that the check after the installation reported; None for a user's own backend,
    which may have changed since then."""
    if target.venv is None or target.described_in is not None:
        return None
    checked = layout.read(layout.check_file(target), layout.ImportCheck)
    if checked is None or checked.problem is None:
        return None
    return Missing(checked.problem, f"conformance install --force {target.name}")


def _variable_problem(target: Target) -> Missing | None:
    try:
        for text in target.environment.values():
            fill(text, layout.OwnFolders(target))
    except PlaceholderError as error:
        return Missing(str(error), f"conformance install --force {target.name}")
    return None


def _python_version(target: Target) -> str:
    if target.venv is not None:
        marker = layout.read(layout.marker_file(layout.venv_folder(target.venv)), layout.Marker)
        return marker.python if marker else ""
    return interpreters.version_of(interpreter(target)) or ""
