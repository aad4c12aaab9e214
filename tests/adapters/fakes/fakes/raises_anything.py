# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""`exp(x, kind)` raises the exception of that name, with a message of a megabyte."""

import builtins

from .correct import *  # noqa: F403


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("no message")


def exp(x, kind):
    raise getattr(builtins, kind, UnprintableError)("x" * 2**20)
