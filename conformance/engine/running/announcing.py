"""How what is found is announced: events, one at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from conformance.results.events import CasesDone, Event

Emit = Callable[[Event], None]

TOGETHER = 0.1
"""Seconds for which events wait for others, in a message or as a sum: a second has hundreds."""


def locked(emit: Emit) -> Emit:
    """The same for several threads: each event waits until the last one is handled. Cases that end
    in quick succession are one event, before any other."""
    return _Locked(emit)


@dataclass(slots=True)
class _Locked:
    emit: Emit
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _counted: CasesDone | None = None
    _told: float = field(default_factory=time.monotonic)

    def __call__(self, event: Event) -> None:
        with self._lock:
            if isinstance(event, CasesDone):
                self._count(event)
            else:
                self._tell()
                self.emit(event)

    def _count(self, event: CasesDone) -> None:
        before = self._counted
        if before is None or (before.target, before.function) != (event.target, event.function):
            self._tell()
            self._counted = event
        else:
            cases, failed = before.cases + event.cases, before.failed + event.failed
            self._counted = msgspec.structs.replace(before, cases=cases, failed=failed)
        if time.monotonic() - self._told >= TOGETHER:
            self._tell()

    def _tell(self) -> None:
        counted, self._counted = self._counted, None
        self._told = time.monotonic()
        if counted is not None:
            self.emit(counted)
