"""Signs that a run goes on: bars on a terminal, and a line now and then in a log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from conformance.reporting.paint import Paint
from conformance.reporting.safe_text import counted


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


NAMED_AFTER = 5.0
"""Seconds after which a line or a bar names the function that is running."""
_FEWEST = 5
"""So many functions, and a twentieth of all, show how long the others take."""


def roughly(seconds: float) -> str:
    """A duration to one unit: `40 seconds`, `12 minutes`, `2.5 hours`."""
    if seconds < 99.5:
        count = max(1, round(seconds))
        return f"{count} second{'s' * (count > 1)}"
    return f"{seconds / 60:.0f} minutes" if seconds < 5970 else f"{seconds / 3600:.1f} hours"


def running_words(seconds: Mapping[str, float]) -> str:
    """The functions that have been running for a while: `keras.ops.sort running for 20 seconds`."""
    slow = {name: s for name, s in seconds.items() if s >= NAMED_AFTER}
    return ", ".join(f"{name} running for {roughly(s)}" for name, s in slow.items())


def time_left(judged: int, functions: int, seconds: float | None) -> str:
    """`about 3 minutes left`, if the rest takes as long as the functions that are judged."""
    if seconds is None or judged < max(_FEWEST, functions / 20) or judged >= functions:
        return ""
    return f"about {roughly(seconds / judged * (functions - judged))} left"


class _Cases(ProgressColumn):
    """How many cases are done, and how many of them failed."""

    def render(self, task: Task) -> Text:
        failed = task.fields["failed"]
        text = Text(f"{counted(task.fields['cases'], 'case')}, ")
        return text.append(f"{failed} failed", "red" if failed else "dim")


class _Running(ProgressColumn):
    """The functions that have been running for a while."""

    def __init__(self, paint: Paint) -> None:
        super().__init__()
        self._paint = paint

    def render(self, task: Task) -> Text:
        now = time.monotonic()
        begun: Mapping[str, float] = task.fields["running"].copy()
        words = running_words({name: now - since for name, since in begun.items()})
        return self._paint.text(words, "dim")


class LiveProgress:
    """Bars that vanish when the run is over. Without a terminal it does nothing."""

    def __init__(self, console: Console, paint: Paint, *, enabled: bool) -> None:
        self._paint = paint
        self._tasks: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.completed}/{task.total} {task.fields[unit]}", markup=False),
            _Cases(),
            TimeRemainingColumn(),
            _Running(paint),
            console=console,
            transient=True,
            disable=not enabled,
        )

    def plan(self, programs: Mapping[str, int], functions: Mapping[str, int]) -> None:
        """Show a bar for each target: of its functions, or of composed programs."""
        for name, planned in programs.items():
            count = functions.get(name) or 0
            self._tasks[name] = self._progress.add_task(
                self._paint.crop(name, 28),
                total=count or planned,
                start=False,
                unit="functions" if count else "programs",
                cases=0,
                failed=0,
                running={},
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

    def advance(self, name: str, steps: int) -> None:
        """So many more functions or programs are done."""
        if name in self._tasks:
            self._progress.update(self._tasks[name], advance=steps)

    def note(self, name: str, **fields: Any) -> None:
        """Change what stands beside the bar: `cases`, `failed`, `running`."""
        if name in self._tasks:
            self._progress.update(self._tasks[name], **fields)

    def remove(self, name: str) -> None:
        """The target is done or cannot be run."""
        if name in self._tasks:
            self._progress.remove_task(self._tasks.pop(name))

    def stop(self) -> None:
        """Give the terminal back. A second call does nothing."""
        self._progress.stop()
