"""The files that a run writes. If one cannot be written, the run says so and goes on."""

from __future__ import annotations

from collections.abc import Sequence

import click

from conformance.reporting.safe_text import clean
from conformance.reporting.writer import Writer
from conformance.results.events import Event, RunFinished, TargetFinished


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
