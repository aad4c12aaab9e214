"""Errors in the user's arguments or configuration: each ends in a message, never a traceback."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Iterable
from typing import IO, Any

import click

import conformance
from conformance.reporting.safe_text import clean_block

INTERRUPTED = 130
"""Exit status that shells report after Ctrl-C."""

CANNOT_RUN = 3
"""Exit status: a target could not be made or run, or nothing conforms on it."""

USAGE = 2
"""Exit status: wrong usage or configuration, or an output that cannot be written."""

INTERNAL = 70
"""Exit status after an error of the suite itself: EX_SOFTWARE of sysexits.h."""

NO_READER = 141
"""Exit status that shells report of a program whose output is closed (SIGPIPE)."""

_PROJECT = "keras-backend-conformance"
_HOW_TO_GO_ON = {
    "run": "the files in --output are complete: run the same command with --resume to continue;"
    " -k 'not NAME' omits the function during which this happened",
    "mutate": "the files in --output are complete: run the same command with --resume to continue",
}


class UsageProblem(click.ClickException):
    """A wrong name, argument or file. Ends the command with status 2.

    `message` names what is wrong, `hint` what to write instead.
    """

    exit_code = USAGE

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message and the hint to stderr, without characters that harm a terminal."""
        stream = sys.stderr if file is None else file
        click.echo(clean_block(f"error: {self.message}"), file=stream)
        if self.hint:
            click.echo(clean_block(f"hint: {self.hint}"), file=stream)


def is_starved(error: BaseException) -> bool:
    """Whether this machine lacks the memory, or the threads, that the suite itself needs."""
    no_thread = isinstance(error, RuntimeError) and str(error) == "can't start new thread"
    return no_thread or isinstance(error, MemoryError)


def show_starved(error: BaseException, command: str | None = None) -> None:
    """Write to stderr the missing resource, and how to continue."""
    what = "memory" if isinstance(error, MemoryError) else "processes or threads"
    text = f"""error: this machine has no {what} left for the suite itself
hint: use fewer workers (--jobs 1) or another machine
hint: {_how_to_go_on(command)}"""
    click.echo(clean_block(text), err=True)


def _how_to_go_on(command: str | None) -> str:
    default = "files written before are complete; other commands work"
    return _HOW_TO_GO_ON.get(command or "", default)


def show_internal_error(error: BaseException, command: str | None = None) -> None:
    """Write the traceback of an error of the suite to stderr, where to report it, how to go on."""
    trace = "".join(traceback.format_exception(error)).rstrip()
    what = " ".join(f"{type(error).__name__}: {error}".split())
    error_line = f"error: this is an error of the suite, not of a target: {what}"
    write_internal_error([trace, error_line], _how_to_go_on(command))


def write_internal_error(lines: Iterable[str], how_to_go_on: str) -> None:
    """Write lines on an error of the suite to stderr, then where to report it, how to go on."""
    report = [
        *lines,
        f"hint: open an issue in the repository of {_PROJECT}, with the traceback above, the "
        f"command,\nand the version, conformance {conformance.__version__}",
        f"hint: {how_to_go_on}",
    ]
    click.echo(clean_block("\n".join(report)), err=True)


def output_problem(error: BaseException) -> OSError | None:
    """Why standard output cannot be written, if that is what raised the error.

    The error of a write names no file; only another write tells that it was one to the output.
    """
    if not isinstance(error, OSError) or error.filename is not None:
        return None
    try:
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError as again:
        return again
    return None


def show_output_problem(problem: OSError) -> None:
    """Say on stderr why standard output cannot be written, and try it no more."""
    forget_output()
    text = f"""error: standard output cannot be written: {problem.strerror or problem}
hint: free space there, or send the output elsewhere; written files are complete"""
    click.echo(clean_block(text), err=True)


def forget_output() -> None:
    """Send further output nowhere, because it has no reader; also at the end of the process."""
    with contextlib.suppress(OSError, ValueError):  # no file, as in a test
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
