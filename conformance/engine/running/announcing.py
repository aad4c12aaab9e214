"""How what is found is announced: events, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from conformance.results.events import Event

Emit = Callable[[Event], None]


def locked(emit: Emit) -> Emit:
    """The same for several threads: no event comes before the last one was handled."""
    lock = threading.Lock()

    def safely(event: Event) -> None:
        with lock:
            emit(event)

    return safely
