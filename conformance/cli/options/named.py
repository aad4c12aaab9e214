"""One of several words, with what was meant for a wrong one."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
        wanted = _plain(str(value))
        meant = next((word for word in self.words if _plain(word) == wanted), None)
        if meant is None:
            question = did_you_mean(str(value), self.words)
            told = ", ".join(self.words) + (f"; {question}" if question else "")
            self.fail(f"{value!r} is none of the words that it takes: {told}", param, ctx)
        return meant


def _plain(word: str) -> str:
    return re.sub(r"[-_ ]+", " ", word.strip()).lower()
