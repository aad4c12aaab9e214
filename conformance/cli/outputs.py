"""The files that a run writes. If one cannot be written, the run says so and goes on."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from conformance.cli.errors import UsageProblem
from conformance.reporting.safe_text import clean
from conformance.reporting.writer import Writer
from conformance.results.events import Event, RunFinished, TargetFinished


def check_writable(folder: Path) -> None:
    """Make the folder of the results, and a file in it for a moment. UsageProblem if that fails:
    it is told before anything is run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        problem = f"--output {folder}: nothing can be written there: {error.strerror or error}"
        raise UsageProblem(clean(problem), "name another folder") from error


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
