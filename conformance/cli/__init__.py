"""The command line: one module per command, imported when the command is used.

Each module offers a click command called `command`.
"""

from __future__ import annotations

import errno
import importlib

import click

import conformance
from conformance.cli.errors import CANNOT_RUN, INTERNAL, INTERRUPTED, show_internal_error

_COMMANDS = {
    "targets": "List what can be tested here, and how to get what cannot.",
    "install": "Make the environments of targets.",
    "run": "Test targets.",
    "report": "Make a site, pictures and files for CI from results.",
    "replay": "Run failing cases again: fixed, or still failing?",
    "diff": "Show where two targets differ.",
    "show": "Show what the documents say of a function.",
    "mutate": "Tell how many errors in a correct backend the suite finds.",
    "migration": "Print what takes the place of each function in Keras 3.",
    "spec": "Compare the specs with the documents.",
}


class _Commands(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"conformance.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted by Ctrl-C", err=True)
            ctx.exit(INTERRUPTED)
        except Exception as error:
            if _click_handles(error):
                raise
            if getattr(error, "for_users", False):
                click.echo(f"error: {error}", err=True)
                ctx.exit(CANNOT_RUN)
            show_internal_error(error)
            ctx.exit(INTERNAL)


def _click_handles(error: Exception) -> bool:
    """Whether it is no error of the suite: wrong usage, an exit, or a reader that has gone."""
    if isinstance(error, OSError):
        return error.errno == errno.EPIPE
    return isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(conformance.__version__, prog_name="conformance")
def main() -> None:
    """Test implementations of the Keras backend API against what its documents say.

    \b
    Begin with:
      conformance targets                see what can be tested here
      conformance install theano         make the environment of a target
      conformance run theano             test it
      conformance show softmax           read what is demanded of a function
      conformance replay 61640165e085    run one failing case again
      conformance diff A B               see where two targets differ

    \b
    Exit status: 0 nothing unexpected; 1 an unexpected verdict;
    2 wrong usage or configuration; 3 a target could not be made or run, or nothing
    conforms on it; 70 an error of the suite itself; 130 after Ctrl-C.
    """
