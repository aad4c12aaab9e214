"""Errors in what a user typed or configured: they end in a message, never in a traceback."""

from __future__ import annotations

import sys
import traceback
from typing import IO, Any

import click

import conformance
from conformance.reporting.safe_text import clean_block

INTERRUPTED = 130
"""Exit status that shells report after Ctrl-C."""

CANNOT_RUN = 3
"""Exit status: a target could not be made or run, or nothing conforms on it."""

INTERNAL = 70
"""Exit status after an error of the suite itself: EX_SOFTWARE of sysexits.h."""


class UsageProblem(click.ClickException):
    """A wrong name, argument or file. Ends the command with status 2.

    `message` names what is wrong, `hint` what to write instead.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message and the hint to stderr; what a file held cannot harm a terminal."""
        stream = sys.stderr if file is None else file
        click.echo(clean_block(f"error: {self.message}"), file=stream)
        if self.hint:
            click.echo(clean_block(f"hint: {self.hint}"), file=stream)


def show_internal_error(error: Exception) -> None:
    """Write the traceback of an error of the suite to stderr, and in a line what to report."""
    trace = "".join(traceback.format_exception(error)).rstrip()
    what = " ".join(f"{type(error).__name__}: {error}".split())
    click.echo(clean_block(trace), err=True)
    click.echo(
        clean_block(
            f"error: this is an error of the suite, not of a target: {what}; report the traceback "
            f"above with the command and the version, conformance {conformance.__version__}"
        ),
        err=True,
    )
