"""Which operating systems can run the worker of a target, and what users of the others read.

The lines on platforms in README.md, docs/install.md and docs/safety.md say the same.
"""

from __future__ import annotations

import os

WITHOUT_WORKERS = ("list", "show", "report", "diff", "spec check")
"""The commands that need no worker, `diff` where it compares stored results."""


class NoWorkersError(RuntimeError):
    """This system cannot run a worker."""

    for_users = True
    """The command line prints the message alone."""
    exit_status = 2

    def __init__(self) -> None:
        *most, last = (f"`{name}`" for name in WITHOUT_WORKERS)
        super().__init__(
            "Windows cannot run a backend: run this command in WSL or in the container image "
            f"(docs/install.md#in-a-container); {', '.join(most)} and {last} work here"
        )


def require_workers() -> None:
    """Check that workers run on this system.

    Raises:
        NoWorkersError: the system cannot copy a process, as Windows.
    """
    if not hasattr(os, "fork"):
        raise NoWorkersError
