"""The command line: one module per command, imported when the command is used.

Each module offers a click command called `command`.
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
from conformance.cli.hypothesis_home import keep_in_cache
from conformance.cli.signals import ended_by_sigterm
from conformance.near_names import proposal
from conformance.reporting.safe_text import clean_block

_COMMANDS = {
    "init": "Write the files that a project needs to test its backend.",
    "targets": "List what can be tested here, and how to get what cannot.",
    "install": "Make the environments of targets.",
    "run": "Test targets.",
    "fuzz": "Test targets with random programs of several functions.",
    "report": "Make a site, pictures and files for CI from results.",
    "export": "Write failures as a test module that needs nothing of this suite.",
    "exec": "Run a Python file in a target's interpreter.",
    "replay": "Run failing cases again: fixed, or still failing?",
    "diff": "Show where two targets differ.",
    "list": "List the functions, with their themes, editions and verdicts.",
    "show": "Show what the documents say of a function.",
    "try": "Run one expression on targets: who agrees, and what the documents say.",
    "mutate": "Tell how many errors in a correct backend the suite finds.",
    "migration": "Print what takes the place of each function in Keras 3.",
    "spec": "Compare the specs with the documents.",
}
_MODULES = {"list": "listing", "try": "trying"}
"""The modules of commands that are called as something else in Python."""


class _Commands(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        module = importlib.import_module(f"conformance.cli.commands.{name}")
        command: click.Command = module.command
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
    """A block whose output is written when it ends, so that an error of that is told as others are:
    at the end of the process it would be a traceback and a status of Python's own."""
    try:
        yield
    except (SystemExit, click.exceptions.Exit):
        sys.stdout.flush()
        raise
    sys.stdout.flush()


_CLICKS_OWN = (SystemExit, click.ClickException, click.exceptions.Exit, click.Abort)
"""What click makes a status of: wrong usage, and an exit that was asked for."""


def _has_no_reader(error: BaseException | None) -> bool:
    """Whether nobody reads the output any more, of which rich makes an exit with status 1."""
    cause = error.__context__ if isinstance(error, SystemExit) else error
    return isinstance(cause, OSError) and cause.errno == errno.EPIPE


def _status(error: BaseException, command: str | None) -> int:
    """The exit status for an exception that no command expects, told on stderr."""
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
    """Test implementations of the Keras backend API against what its documents say.

    \b
    Begin with:
      conformance run mybackend.py       test a backend of your own
      conformance init mybackend.py      describe it, for CI and for pytest
      conformance targets                see what else can be tested here
      conformance install theano         make the environment of a target
      conformance run theano             test it
      conformance list                   see the functions
      conformance show softmax           read what is demanded of one
      conformance try "K.sum(K.ones((2, 3)), axis=1)"   see who answers what
      conformance replay 83562714c235    run one failing case again
      conformance diff A B               see where two targets differ

    \b
    Exit status: 0 nothing unexpected; 1 an unexpected verdict;
    2 wrong usage or configuration, or an output that cannot be written;
    3 a target could not be made or run, or nothing conforms on it; 70 an error of the
    suite itself; 130 after Ctrl-C; 141 if nobody reads the output any more.
    docs/running.md has more on each.
    """
