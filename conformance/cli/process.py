"""The process of a command: the signals that end it, and where Hypothesis keeps its files."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """SIGTERM, with which CI systems end a job that takes too long, is like Ctrl-C meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise KeyboardInterrupt("SIGTERM")


VARIABLE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""The variable that Hypothesis itself reads, when it is imported and later."""


def keep_in_cache(environment: MutableMapping[str, str] = os.environ) -> None:
    """Have Hypothesis write into the cache, unless the user or the project says where.

    A project that has a folder `.hypothesis` uses Hypothesis itself, and keeps its own.
    """
    if VARIABLE in environment or Path(".hypothesis").is_dir():
        return
    environment[VARIABLE] = str(_cache() / "hypothesis")


def _cache() -> Path:
    """The folder of `conformance.specs.remembered`, which help need not wait for."""
    if chosen := os.environ.get("CONFORMANCE_CACHE"):
        return Path(os.path.expanduser(chosen)).absolute()  # noqa: PTH111 - it raises nothing
    import platformdirs  # noqa: PLC0415 - help does not wait for it

    return platformdirs.user_cache_path("keras-backend-conformance", appauthor=False)
