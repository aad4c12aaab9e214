"""The files that commands write. If one cannot be written, the command says which, and why; a run
goes on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from conformance.cli.errors import UsageProblem
from conformance.files import write_atomically
from conformance.reporting.safe_text import clean
from conformance.reporting.writer import Writer
from conformance.results.events import Event, RunFinished, TargetFinished


def check_writable(folder: Path, option: str = "--output") -> None:
    """Make the folder that an option names, and a file in it for a moment. UsageProblem if that
    fails: it is told before anything is run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        problem = f"{option} {folder}: nothing can be written there: {why(error)}"
        raise UsageProblem(clean(problem), "name another folder") from error


def check_file_writable(path: Path, option: str) -> None:
    """Make a file for a moment where one is to be written. UsageProblem if that fails."""
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            return
    except OSError as error:
        hint = "name a file in a folder that is there and can be written"
        raise UsageProblem(
            clean(f"{option} {path}: cannot be written: {why(error)}"), hint
        ) from error


def why(error: OSError) -> str:
    """What the system says, without the name of a file that nobody knows."""
    if isinstance(error, FileExistsError):  # of `mkdir`
        return f"{error.filename} is no folder"
    place = f": {error.filename2}" if error.filename2 else ""
    return f"{error.strerror or error}{place}"


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """A block that writes there; UsageProblem with the cause if it cannot."""
    try:
        yield
    except OSError as error:
        hint = "free space there, or name another place that can be written"
        raise UsageProblem(clean(f"{place} cannot be written: {why(error)}"), hint) from error


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; UsageProblem with the cause if it cannot be written."""
    with writing(path):
        write_atomically(path, content)


class FileWriters:
    """Writers of files in a folder that may become full, or be taken away.

    What could not be written when a target was done is tried again when the run is over.
    """

    def __init__(self, folder: str, writers: Sequence[Writer]) -> None:
        self._folder, self._writers = folder, writers
        self._owed: list[tuple[Writer, Event]] = []
        self.problem: str | None = None
        """Why something that belongs to the results could not be written."""

    def handle(self, event: Event) -> None:
        """Hand the event on; report the first error only."""
        pairs = [(writer, event) for writer in self._writers]
        if isinstance(event, RunFinished) and self._owed:
            pairs, self._owed, self.problem = self._owed + pairs, [], None
        for writer, one in pairs:
            try:
                writer.handle(one)
            except OSError as error:
                self._note(writer, one, clean(error.strerror or str(error)))

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
