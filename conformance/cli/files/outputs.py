"""The files that commands write. If one cannot be written, the command says which, and why; a run
goes on.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from conformance.cli.errors import UsageProblem
from conformance.files import write_atomically
from conformance.reporting.safe_text import clean, clean_block
from conformance.reporting.writer import Writer
from conformance.results.events import Event, RunFinished, TargetFinished


def check_writable(folder: Path, option: str = "--output") -> None:
    """Make the folder that an option names, and a file in it for a moment.

    Raises:
        UsageProblem: the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        problem = f"{option} {folder}: the suite cannot write there: {why(error)}"
        raise UsageProblem(clean(problem), "name another folder") from error


def check_file_writable(path: Path, option: str) -> None:
    """Make a file for a moment in the folder of a future file.

    Raises:
        UsageProblem: the folder cannot be written.
    """
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return
    except OSError as error:
        hint = "name a file in an existing folder that you may write to"
        raise UsageProblem(
            clean(f"{option} {path}: cannot be written: {why(error)}"), hint
        ) from error


def why(error: OSError) -> str:
    """The system's message, without the name of a temporary file."""
    if isinstance(error, FileExistsError):  # from `mkdir`
        return f"{error.filename} is not a folder"
    place = f": {error.filename2}" if error.filename2 else ""
    return f"{error.strerror or error}{place}"


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """A block that writes there.

    Raises:
        UsageProblem: the place cannot be written; the message has the cause.
    """
    try:
        yield
    except OSError as error:
        hint = "free space there, or name another place that you may write to"
        raise UsageProblem(clean(f"{place} cannot be written: {why(error)}"), hint) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageProblem: the file cannot be written; the message has the cause.
    """
    with writing(path):
        write_atomically(path, content)


class FileWriters:
    """Writers of files in a folder that may become full, or be taken away.

    A writer that fails when a target is done tries again when the run is over.
    """

    def __init__(self, folder: str, writers: Sequence[Writer], *, required: bool = True) -> None:
        self._folder, self._writers = folder, writers
        self.required = required
        """Whether the run fails if they cannot be written."""
        self._owed: list[tuple[Writer, Event]] = []
        self.problem: str | None = None
        """Why something that belongs to the results could not be written."""

    def handle(self, event: Event) -> None:
        """Hand the event on; report the first error only."""
        pairs = [(writer, event) for writer in self._writers]
        if isinstance(event, RunFinished) and self._owed:
            pairs, self._owed, self.problem = self._owed + pairs, [], None
        for writer, item in pairs:
            try:
                writer.handle(item)
            except OSError as error:
                self._note(writer, item, clean(error.strerror or str(error)))

    def _note(self, writer: Writer, event: Event, why: str) -> None:
        if self.problem is None and not isinstance(event, RunFinished):
            click.echo(f"{clean(self._folder)}: results cannot be written: {why}", err=True)
        self.problem = why
        if isinstance(event, TargetFinished):
            self._owed.append((writer, event))

    def close(self) -> None:
        """Close the writers."""
        for writer in self._writers:
            writer.close()


STRANGERS = (
    "note: the author of these results wrote this script; read it before you run it, unless you "
    "are the author"
)


def print_script(script: str) -> None:
    """Print a script to a pipe byte for byte, and to a terminal what a terminal may see.

    click.echo would take escape sequences out, even if an interpreter reads the pipe.
    """
    whole = script if script.endswith("\n") else script + "\n"
    shown = clean_block(whole) if is_terminal() else whole
    sys.stdout.buffer.write(shown.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    click.echo(STRANGERS, err=True)


def is_terminal() -> bool:
    """Whether somebody reads what is printed, and no program."""
    return sys.stdout.isatty()
