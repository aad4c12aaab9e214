"""Why a worker does not start, in a line, and what to do about it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from conformance.adapters.process import Launch

_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b.*")
_DESCRIPTION = re.compile(r"conformance_worker\.blame\.DescriptionError: (\w+): (.*)")
"""The error of the worker's `blame`: a part of the description, and the error of this part."""
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")


class WorkerStartError(RuntimeError):
    """The worker cannot start: the first line of the message gives the reason, the others the end
    of its output. `hint` says what to do, if that is known."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def not_started(launch: Launch, reason: str, printed: str) -> WorkerStartError:
    """The error of a worker that ended for `reason` before it was ready.

    If the import raised an exception, that is the reason: the last line of the output.
    """
    printed = printed.strip()
    last = printed.rpartition("\n")[2]
    if not _EXCEPTION.fullmatch(last):
        why = f"{reason}; the last line it printed: {last}" if last else reason
        message = f"{launch.module} in {launch.python} did not start ({why})"
        return WorkerStartError(f"{message}\n{printed}".strip())
    if (part := _DESCRIPTION.fullmatch(last)) is not None:
        return _not_described(launch, part[1], part[2], printed)
    message = f"{launch.module} cannot be imported by {launch.python}: {last}{_place(printed)}"
    return WorkerStartError(f"{message}\n{printed}", _hint(launch, last))


def _not_described(launch: Launch, part: str, reason: str, printed: str) -> WorkerStartError:
    """The error of a worker whose target is described in a way that does not work."""
    what = {
        "adapter": f"its adapter {launch.adapter!r} cannot be used",
        "startup": "the lines that run before its import (startup, prepare) fail",
        "mapping": f"its mapping {launch.mapping} cannot be used",
        "forget": f"its functions {', '.join(launch.forget)} (forget) cannot be found",
    }[part]
    message = f"{launch.module}: {what} in {launch.python}: {reason}"
    return WorkerStartError(f"{message}\n{printed}", _DESCRIBED[part])


_OWN_MODULE, _OWN_PACKAGE = "conformance", "keras-backend-conformance"
"""The package index has another package under the name of the module."""
_DESCRIBED = {
    "adapter": "write its adapter as module:Class, of a module that can be imported there, or as "
    "the name of an entry point; docs/adapters.md",
    "startup": "mend startup or prepare in its TOML",
    "mapping": "mend the table that mapping in its TOML names",
    "forget": "mend forget in its TOML: module.function, of modules that can be imported there",
}


def _hint(launch: Launch, last: str) -> str:
    match = _NO_MODULE.match(last)
    if match is None:
        command = importing_command(launch.python, launch.module, launch.environment)
        return f"mend it until `{command}` works there"
    lacking = match[1]
    if launch.module == lacking or launch.module.startswith(f"{lacking}."):
        return (
            f"say where {lacking} is: --path FOLDER, or path in its TOML, with the folder that has "
            f"{lacking.partition('.')[0]}; or --python, if another interpreter has it installed"
        )
    package = _OWN_PACKAGE if lacking.partition(".")[0] == _OWN_MODULE else lacking
    return f"install what has {lacking} for it: {launch.python} -m pip install {package}"


def importing_command(python: str, module: str, environment: Mapping[str, str]) -> str:
    """The command that imports a module in a shell as a worker does."""
    path = environment.get("PYTHONPATH")
    before = f"PYTHONPATH={shlex.quote(path)} " if path else ""
    return f"{before}{shlex.quote(python)} -c 'import {module}'"


_FRAME = re.compile(r'^  File "([^"\n]+)", line (\d+)', re.MULTILINE)
_OWN_FRAME = re.compile(r"<frozen |[/\\]conformance_worker[/\\]|[/\\]importlib[/\\]__init__\.py$")


def _place(printed: str) -> str:
    """The last line of the traceback's innermost file, unless that is the worker's or Python's."""
    frames = _FRAME.findall(printed)
    if not frames or _OWN_FRAME.search(frames[-1][0]):
        return ""
    return " (at {}:{})".format(*frames[-1])
