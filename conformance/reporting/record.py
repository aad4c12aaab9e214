"""A writer that keeps all events, for tests and for programs that examine a run themselves."""

from __future__ import annotations

from typing import TypeVar

from conformance.results import Results
from conformance.results.events import Event, TargetFinished

E = TypeVar("E")


class Recorder:
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
