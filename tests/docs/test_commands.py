"""The page of the commands has all of them, and every command that a page shows exists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from conformance.cli import main
from tests.docs.published import ROOT
from tools.docs.commands import every, fenced, for_markdown

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CONTEXT = click.Context(main)
SHOWN = re.compile(
    r"(?:^ *|[`$(] ?|&& |\| |do |: )conformance ([a-z]+(?:-[a-z]+)*)\b([^`\n]*)", re.MULTILINE
)
ENDS = re.compile(r"\s*(?:\||&&|;|>|2>| #).*")
OPTION = re.compile(r"--?[a-z][\w-]*")

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


def unknown(text: str) -> Iterator[str]:
    """The commands and options that a page shows and that do not exist."""
    for name, rest in SHOWN.findall(re.sub(r"\\\n\s*", " ", text)):
        command = main.get_command(CONTEXT, name)
        if command is None:
            yield name
            continue
        words = shlex.split(ENDS.sub("", rest).replace("'", " ").replace('"', " "))
        if isinstance(command, click.Group) and words:
            command = command.get_command(click.Context(command), words[0]) or command
        known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
        own = words[: words.index("--")] if "--" in words else words
        options = {option[0] for word in own if (option := OPTION.match(word))}
        yield from (f"{name} {option}" for option in sorted(options - known))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_of_a_page_exists(page: Path) -> None:
    assert list(unknown(page.read_text("utf-8"))) == []


def test_a_command_or_an_option_that_does_not_exist_is_seen() -> None:
    text = (
        "`conformance scan`\n    $ conformance run mine --profil a -q; echo\n    conformance liste"
    )
    assert list(unknown(text)) == ["scan", "run --profil", "liste"]
