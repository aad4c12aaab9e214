"""Live progress on a terminal: one bar for each target."""

from __future__ import annotations

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
