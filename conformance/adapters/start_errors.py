"""Why a worker does not start, in a line, and what to do about it."""

from __future__ import annotations

import re

from conformance.adapters.process import Launch

_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b.*")
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")


class WorkerStartError(RuntimeError):
    """The worker cannot start: the first line of the message says why, and the others are the end
    of what it printed. `hint` says what to do, if that is known."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def not_started(launch: Launch, reason: str, printed: str) -> WorkerStartError:
    """The error of a worker that ended for `reason` before it was ready.

    If the import raised an exception, that is the reason: the last line of what was printed.
    """
    printed = printed.strip()
    last = printed.rpartition("\n")[2]
    if not _EXCEPTION.fullmatch(last):
        message = f"{launch.module} in {launch.python} did not start ({reason})"
        return WorkerStartError(f"{message}\n{printed}".strip())
    message = f"{launch.module} cannot be imported by {launch.python}: {last}"
    return WorkerStartError(f"{message}\n{printed}", _hint(launch, last))


def _hint(launch: Launch, last: str) -> str:
    found = _NO_MODULE.match(last)
    if found is None:
        return f"mend it until `{launch.python} -c 'import {launch.module}'` works there"
    lacking = found[1]
    if launch.module == lacking or launch.module.startswith(f"{lacking}."):
        return (
            f"say where {lacking} is: --path FOLDER, or path in its TOML, with the folder that has "
            f"{lacking.partition('.')[0]}; or --python, if another interpreter has it installed"
        )
    return f"install what has {lacking} for it: {launch.python} -m pip install {lacking}"
