"""Signs that a run goes on: bars on a terminal, and a line now and then in a log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from conformance.reporting.paint import Paint


class Heartbeat:
    """Calls `beat` from a thread of its own whenever nothing was said for `every` seconds."""

    def __init__(self, beat: Callable[[], None], every: float) -> None:
        self._beat, self._every = beat, every
        self._last_message = time.monotonic()
        self.failed: BaseException | None = None
        """The error that ended the heartbeat, which the run has to report."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begin to count."""
        self.note_message()
        self._thread.start()

    def note_message(self) -> None:
        """Note that something was said just now."""
        self._last_message = time.monotonic()

    def stop(self) -> None:
        """End; a second call, or one before the start, does nothing."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(max(0.0, self._last_message + self._every - time.monotonic())):
            if time.monotonic() - self._last_message >= self._every:
                self.note_message()
                try:
                    self._beat()
                except (OSError, SystemExit) as error:  # rich exits for a reader that has gone
                    self.failed = error
                    return


class _Rate(ProgressColumn):
    """Cases per second, of late."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.0f} cases/s")


class _Failed(ProgressColumn):
    """How many cases have failed so far."""

    def render(self, task: Task) -> Text:
        failed = task.fields["failed"]
        return Text(f"{failed} failed", "red" if failed else "dim")


class LiveProgress:
    """Bars that vanish when the run is over. Without a terminal it does nothing."""

    def __init__(self, console: Console, paint: Paint, *, enabled: bool) -> None:
        self._paint = paint
        self._tasks: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            _Failed(),
            console=console,
            transient=True,
            disable=not enabled,
        )

    def plan(self, planned: dict[str, int]) -> None:
        """Show a bar for each target."""
        for name, cases in planned.items():
            self._tasks[name] = self._progress.add_task(
                self._paint.crop(name, 28), total=cases, start=False, failed=0
            )
        self._progress.start()

    def begin(self, name: str) -> None:
        """The target's clock starts."""
        if name in self._tasks:
            self._progress.start_task(self._tasks[name])

    def describe(self, name: str, words: str) -> None:
        """Say beside the target's name how far it is."""
        if name in self._tasks:
            shown = self._paint.crop(f"{name}, {words}", 60)
            self._progress.update(self._tasks[name], description=shown)

    def advance(self, name: str, cases: int, done_failed: int) -> None:
        """`cases` more are done; `done_failed` have failed since the start."""
        if name in self._tasks:
            self._progress.update(self._tasks[name], advance=cases, failed=done_failed)

    def remove(self, name: str) -> None:
        """The target is done or cannot be run."""
        if name in self._tasks:
            self._progress.remove_task(self._tasks.pop(name))

    def stop(self) -> None:
        """Give the terminal back. A second call does nothing."""
        self._progress.stop()
