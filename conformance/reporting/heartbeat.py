"""A line now and then while nothing else is said, so that a log shows that a run goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Heartbeat:
    """Calls `beat` from a thread of its own whenever nothing was said for `every` seconds."""

    def __init__(self, beat: Callable[[], None], every: float) -> None:
        self._beat, self._every = beat, every
        self._said = time.monotonic()
        self.failed: BaseException | None = None
        """Why nothing more can be said, of which the run has to be told."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begin to count."""
        self.said()
        self._thread.start()

    def said(self) -> None:
        """Note that something was said just now."""
        self._said = time.monotonic()

    def stop(self) -> None:
        """End; a second call, or one before the start, does nothing."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(max(0.0, self._said + self._every - time.monotonic())):
            if time.monotonic() - self._said >= self._every:
                self.said()
                try:
                    self._beat()
                except (OSError, SystemExit) as error:  # rich exits for a reader that has gone
                    self.failed = error
                    return
