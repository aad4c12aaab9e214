"""Types of options: one of several words, and files and folders as a user types them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.near_names import did_you_mean

# a class with a parameter since click 8.2 only
if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice


class Named(_Choice):
    """One of the words; `-`, `_` and a space are the same, as are capitals."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(list(words))
        self.words = tuple(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word; a usage error that names all, and the likeliest, for anything else."""
        typed = _plain(str(value))
        meant = next((word for word in self.words if _plain(word) == typed), None)
        if meant is None:
            question = did_you_mean(str(value), self.words)
            choices = ", ".join(self.words) + (f"; {question}" if question else "")
            self.fail(f"{value!r} is not one of {choices}", param, ctx)
        return meant


def _plain(word: str) -> str:
    return re.sub(r"[-_ ]+", " ", word.strip()).lower()


# a class with a parameter since click 8.4 only
if TYPE_CHECKING:
    _Path = click.Path[Path]
else:
    _Path = click.Path


class UserPath(_Path):
    """A path in which `~` stands for the user's home, as where the shell has not replaced it:
    `--path=~/src`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path; `~name` stays where there is no such user."""
        with suppress(RuntimeError):
            value = Path(value).expanduser() if str(value).startswith("~") else value
        return Path(super().convert(value, param, ctx))


class WrittenPath(UserPath):
    """A path that need not be there; an empty text is none, which `Path` takes for this folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path; a usage error for an empty one."""
        if not str(value):
            self.fail("the text is empty; write a name", param, ctx)
        return super().convert(value, param, ctx)


def written_folder() -> WrittenPath:
    """The type of an option that names a folder to write into."""
    return WrittenPath(file_okay=False, path_type=Path)


def written_file() -> WrittenPath:
    """The type of an option that names a file to write."""
    return WrittenPath(dir_okay=False, path_type=Path)
