"""The page of the commands has all of them, as they are called."""

from __future__ import annotations

import click

from conformance.cli import main
from tools.docs.commands import every, fenced, for_markdown

HELP = """Test targets.

    \b
    conformance run        everything
    conformance run -k sum some

    Exit status: 0.
    """


def test_paragraphs_that_keep_their_lines_become_code() -> None:
    assert fenced(HELP) == (
        "Test targets.\n\n```text\nconformance run        everything\n"
        "conformance run -k sum some\n```\n\nExit status: 0."
    )
    assert fenced("Ends so.\n\n\b\nlast line") == "Ends so.\n\n```text\nlast line\n```"


def test_commands_have_the_names_that_they_are_called_by() -> None:
    context = click.Context(main)
    names = [command.name for command in every(main)]
    assert set(main.list_commands(context)) | {"check"} <= set(names)


def test_the_help_of_all_commands_is_changed() -> None:
    below = click.Command("below", help=HELP)
    group = click.Group("above", help=HELP, commands={"called": below})
    for_markdown(group)
    assert group.help == below.help == fenced(HELP)
    assert below.name == "called"
