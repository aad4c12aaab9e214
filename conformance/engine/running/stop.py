"""When to end a run: on request, or when its time is over."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

GRACE = 5.0
"""Seconds that workers have to finish what they do when a run is ended."""


def overdue(until: float) -> float:
    """Seconds since workers should have ended that were to end at a time; negative before."""
    return time.monotonic() - until - GRACE


def end(futures: Iterable[Future[Any]], ask: Callable[[], None], kill: Callable[[], None]) -> None:
    """Wait until all futures are done: `ask` their workers to end, and `kill` them after GRACE.

    Another Ctrl-C meanwhile means: at once.
    """
    left, order = set(futures), ask
    while left:
        with contextlib.suppress(KeyboardInterrupt):
            order()
            left = {future for future in left if not future.cancel()}
            left = wait(left, timeout=GRACE).not_done
        order = kill


@dataclass(slots=True)
class Stop:
    """A request to end. `until` is a time of `time.monotonic` after which it is set by itself. If
    `parent` is set, this request is also set."""

    until: float | None = None
    parent: Stop | None = None
    _event: threading.Event = field(default_factory=threading.Event)

    def set(self) -> None:
        """Ask to end."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether to end."""
        if self._event.is_set() or (self.parent is not None and self.parent.is_set()):
            return True
        return self.is_over()

    def is_over(self) -> bool:
        """Whether its own time is over."""
        return self.until is not None and time.monotonic() >= self.until


@dataclass(slots=True)
class Budget:
    """The time limit of a run of `portions`, of which `jobs` are run at the same time."""

    seconds: float
    portions: int
    jobs: int
    until: float = field(init=False)
    _left: int = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds
        self._left = self.portions

    def share(self, parent: Stop) -> Stop:
        """The stop of the next portion: those that remain share the remaining time evenly."""
        with self._lock:
            waiting, self._left = max(1, self._left), self._left - 1
        now = time.monotonic()
        share = max(0.0, self.until - now) * min(1.0, self.jobs / waiting)
        return Stop(now + share, parent)
