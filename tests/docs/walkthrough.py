"""Pages that show a session in a shell: their files are written, their commands run, in order.

A block of `python` or `toml` after a line that ends with a file's name in backticks and a colon is
that file; a block of `diff` changes files; a block of `console` has commands after `$`, and below
each what it prints, where `[...]` stands for anything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
LEFT_OUT = "[...]"
_FILE = re.compile(r"`(?P<name>[\w.]+)`.*:$|.*`(?P<last>[\w.]+)`[^`]*:$", re.DOTALL)
_TIMES = re.compile(r"\d+(?:\.\d+)? s \(\d+ cases/s\), \d+%|in \d+\.\d+s\b(?: \([\d:]+\))?")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page, and what the page says that it prints."""

    line: str
    printed: str


def walk(page: Path, folder: Path) -> Iterator[tuple[Command, str]]:
    """Do what a page says in a folder; each of its commands with what it printed here."""
    before = ""
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "inline":
            before = token.content
        elif token.type == "fence" and token.info == "console":
            for command in commands(token.content):
                yield command, run(command.line, folder)
        elif token.type == "fence" and token.info == "diff":
            apply(token.content, folder)
        elif token.type == "fence" and (named := _FILE.match(before)):
            (folder / (named["name"] or named["last"])).write_text(token.content, encoding="utf-8")


def files(page: Path) -> dict[str, str]:
    """The files that a page has, as they are before its commands change them."""
    before, contents = "", dict[str, str]()
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "inline":
            before = token.content
        elif token.type == "fence" and (named := _FILE.match(before)):
            contents.setdefault(named["name"] or named["last"], token.content)
    return contents


def commands(block: str) -> Iterator[Command]:
    """The commands of a block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, printed = part.partition("\n")
        yield Command(line, printed)


def apply(patch: str, folder: Path) -> None:
    """Change files as a patch says; an error if a hunk fits nowhere, or in two places."""
    for part in re.split(r"^--- .*\n\+\+\+ ", patch, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        file = folder / name.strip()
        text = file.read_text(encoding="utf-8")
        for hunk in re.split(r"^@@.*\n", body, flags=re.MULTILINE)[1:]:
            lines = hunk.splitlines(keepends=True)
            before, after = (
                "".join(line[1:] or "\n" for line in lines if not line.startswith(other))
                for other in "+-"
            )
            if text.count(before) != 1:
                raise ValueError(f"{name}: a hunk fits {text.count(before)} places:\n{hunk}")
            text = text.replace(before, after)
        file.write_text(text, encoding="utf-8")


def run(line: str, folder: Path) -> str:
    """What a command prints, with both streams together, in an environment without settings."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CONFORMANCE_")}
    environment.pop("CI", None)
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    more = {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "NO_COLOR": "1"}
    ended = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return ended.stdout


def agrees(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, apart from times and from what it leaves out."""
    parts = (re.escape(_TIMES.sub("TIMES", part)) for part in shown.split(LEFT_OUT))
    return re.fullmatch(".*".join(parts), _TIMES.sub("TIMES", printed), re.DOTALL) is not None
