"""The boundary between the engine and the reports."""

from __future__ import annotations

from typing import Protocol, TypeVar

from conformance.results import Results
from conformance.results.events import Event, RunStarted, TargetFinished


class Writer(Protocol):
    """Something that listens to a run and writes one format."""

    def handle(self, event: Event) -> None:
        """Take one event; events arrive in the order in which they happen."""

    def close(self) -> None:
        """Release what is held (a live display, a file). A second call does nothing."""


class ResultsCollector:
    """The results of a run, in the order of its targets: which one is done first is chance."""

    def __init__(self) -> None:
        self._order: dict[str, int] = {}
        self._finished: list[Results] = []

    def handle(self, event: Event) -> None:
        """Take in the results of the event."""
        if isinstance(event, RunStarted):
            self._order = {name: place for place, name in enumerate(event.planned)}
        elif isinstance(event, TargetFinished):
            self._finished.append(event.results)

    @property
    def results(self) -> list[Results]:
        """The finished results so far; targets that were not announced are last."""
        last = len(self._order)
        return sorted(self._finished, key=lambda r: self._order.get(r.target.name, last))


E = TypeVar("E")


class EventRecorder:
    """Keeps every event, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def handle(self, event: Event) -> None:
        """Keep the event."""
        self.events.append(event)

    def close(self) -> None:
        """Nothing is held open."""

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def results(self) -> list[Results]:
        """The results of the targets that finished."""
        return [event.results for event in self.of(TargetFinished)]
