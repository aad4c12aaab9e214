"""The page of the commands: mkdocs-click makes it of their help, which is written for terminals."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

_AS_IT_STANDS = re.compile(r"^\x08\n(?P<lines>.*?)(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)
"""A paragraph after a line with `\\b`, in which click keeps the lines as they are."""


def fenced(text: str) -> str:
    """A help text whose paragraphs that are kept as they stand are blocks of code in Markdown."""
    return _AS_IT_STANDS.sub(r"```text\n\g<lines>\n```", inspect.cleandoc(text))


def every(command: click.Command) -> Iterator[click.Command]:
    """A command, and those below it, each with the name that it is called by."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            below.name = name
            yield from every(below)


def for_markdown(command: click.Command) -> None:
    """Change the help of a command and of those below it, for this process, to Markdown."""
    for subcommand in every(command):
        subcommand.help = subcommand.help and fenced(subcommand.help)
