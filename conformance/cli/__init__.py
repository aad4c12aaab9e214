"""The command line: a room for each task of a user, imported when a command needs it.

`conformance NAME` is the click command `NAME_command` of the package or module NAME, with its
options and its help; a hyphen in NAME is `_` there. Help imports nothing else; the command imports
its work when it runs.
"""

from __future__ import annotations

import errno
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

import conformance
from conformance.cli.errors import (
    CANNOT_RUN,
    INTERNAL,
    INTERRUPTED,
    NO_READER,
    USAGE,
    forget_output,
    is_starved,
    output_problem,
    show_internal_error,
    show_output_problem,
    show_starved,
)
from conformance.cli.process import ended_by_sigterm, keep_in_cache
from conformance.near_names import proposal
from conformance.reporting.safe_text import clean_block

_COMMANDS = {
    "init": "Write the files that a project needs to test its backend.",
    "targets": "List the targets, and how to install those that are not ready.",
    "install": "Install the environments of targets.",
    "run": "Test targets.",
    "fuzz": "Test targets with random programs of several functions.",
    "report": "Make a site, pictures and files for CI from results.",
    "vectors": "Write test vectors for implementations in any language.",
    "export": "Write failures as a test module that runs without this suite.",
    "exec": "Run a Python file in a target's interpreter.",
    "replay": "Run failing cases again, to see whether they are fixed.",
    "history": "Test many releases of a library, to see when each failure began.",
    "bisect": "Search for the release that introduced or fixed a failure.",
    "diff": "Show where two targets differ.",
    "import-excluded": "Compare a list of excluded tests with the results of a Keras 3 backend.",
    "list": "List the functions, with their themes, editions and verdicts.",
    "show": "Show what the documents demand of a function, and the verdicts on it.",
    "issue": "Draft an issue for the maintainers of an implementation from a failure.",
    "try": "Run one expression on targets, and compare the answers with the documents.",
    "mutate": "Plant errors in a correct backend, and count those that the suite detects.",
    "migration": "Print the replacement of each function of K in Keras 3.",
    "spec": "Compare the specs with the documents.",
}
_ROOMS = {
    "bisect": "history",
    "export": "report",
    "issue": "show",
    "list": "show",
    "spec": "show",
    "try": "try_expression",
}
"""The packages and modules of commands that share one, or whose name is a word of Python."""


class _Commands(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"conformance.cli.{_ROOMS.get(name, name)}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if args and not name.startswith("-") and name not in _COMMANDS:
            ctx.fail(f"no command {name!r}; {proposal(name, _COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:  # the help of all commands is printed before one is invoked
            with _written_out():
                return super().main(*args, **kwargs)
        except OSError as error:
            sys.exit(_status(error, None))

    def invoke(self, ctx: click.Context) -> object:
        keep_in_cache()
        try:
            with ended_by_sigterm(), _written_out():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BaseException as error:
            if isinstance(error, _CLICKS_OWN) and not _has_no_reader(error):
                raise
            ctx.exit(_status(error, ctx.invoked_subcommand))


@contextmanager
def _written_out() -> Iterator[None]:
    """A block that ends with a flush of the output. An error of the flush then becomes a message.

    At the end of the process Python would print a traceback and use a status of its own.
    """
    try:
        yield
    except (SystemExit, click.exceptions.Exit):
        sys.stdout.flush()
        raise
    sys.stdout.flush()


_CLICKS_OWN = (SystemExit, click.ClickException, click.exceptions.Exit, click.Abort)
"""Exceptions that click turns into a status: wrong usage, and a requested exit."""


def _has_no_reader(error: BaseException | None) -> bool:
    """Whether nobody reads the output any more; rich then exits with status 1."""
    cause = error.__context__ if isinstance(error, SystemExit) else error
    return isinstance(cause, OSError) and cause.errno == errno.EPIPE


def _status(error: BaseException, command: str | None) -> int:
    """The exit status for an exception that no command expects; stderr gets its message."""
    if _has_no_reader(error):
        forget_output()
        return NO_READER
    if (problem := output_problem(error)) is not None:
        show_output_problem(problem)
        return USAGE
    if getattr(error, "for_users", False):
        click.echo(clean_block(f"error: {error}"), err=True)
        return int(getattr(error, "exit_status", CANNOT_RUN))
    if is_starved(error):
        show_starved(error, command)
        return CANNOT_RUN
    show_internal_error(error, command)
    return INTERNAL


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(conformance.__version__, prog_name="conformance")
def main() -> None:
    """Test implementations of the Keras backend API (K and keras.ops) against its documentation.

    \b
    Start with:
      conformance run mybackend.py       test your own backend
      conformance init mybackend.py      describe it once, for CI and for pytest
      conformance targets                list the targets, and which are ready
      conformance install theano         install the environments of the targets on Theano
      conformance run theano             test these targets
      conformance list                   list the documented functions
      conformance show softmax           read what the documents demand of a function
      conformance try "K.sum(K.ones((2, 3)), axis=1)"   compare the answers of all targets
      conformance replay 83562714c235    run one failing case again
      conformance diff A B               compare two targets

    \b
    Exit status:
      0     nothing unexpected
      1     an unexpected verdict
      2     wrong usage or configuration, or an output that the suite cannot write
      3     a target that does not start, or on which nothing conforms
      70    an error in the suite itself
      130   Ctrl-C
      141   the program that read the output has ended, as in `| head`

    docs/running.md explains each status.
    """
