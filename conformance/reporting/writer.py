"""The boundary between the engine and the reports."""

from __future__ import annotations

from typing import Protocol

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
        """Take in what the event says of results."""
        if isinstance(event, RunStarted):
            self._order = {name: place for place, name in enumerate(event.planned)}
        elif isinstance(event, TargetFinished):
            self._finished.append(event.results)

    @property
    def results(self) -> list[Results]:
        """What has finished so far; targets that were not announced come last."""
        last = len(self._order)
        return sorted(self._finished, key=lambda r: self._order.get(r.target.name, last))
