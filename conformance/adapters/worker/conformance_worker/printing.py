"""What is printed while something is called: by Python, by C, by processes that are started."""

import contextlib
import ctypes
import os
import sys
import threading
from typing import Any, Callable, Iterator, List, Optional

from .values import MOST_TEXT

_CHUNK = 2**16
_STREAMS = {1: "stdout", 2: "stderr"}
_LOGS = {"tensorflow": "TF_CPP_MIN_LOG_LEVEL"}
"""Libraries of which some release prints through its log, and what turns the log off."""


def printed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Optional[str]:
    """The end of what `function(*args)` prints, to standard output and standard error.

    None where that cannot be told: the streams of Python lead elsewhere, and nothing is called, or
    nothing came and a log is turned off. What the call raises is raised.
    """
    if not all(_leads_to(number) for number in _STREAMS):
        return None
    with _caught() as tail:
        function(*args, **kwargs)
    text = b"".join(tail).decode("utf-8", "replace")
    return text if text.strip() or not _silenced() else None


def _silenced() -> bool:
    """Whether a library that is in use was told not to write what it would print."""
    levels = (
        os.environ.get(name, "0") for library, name in _LOGS.items() if library in sys.modules
    )
    return any(level not in ("", "0") for level in levels)


def _leads_to(number: int) -> bool:
    try:
        return bool(getattr(sys, _STREAMS[number]).fileno() == number)
    except Exception:
        return False


@contextlib.contextmanager
def _caught() -> Iterator[List[bytes]]:
    """The list gets the end of what is written to both descriptors meanwhile."""
    tail: List[bytes] = []
    end = os.urandom(16)
    reading, writing = os.pipe()
    reader = threading.Thread(target=_drain, args=(reading, end, tail), daemon=True)
    reader.start()
    _flush()
    kept = [(number, os.dup(number)) for number in _STREAMS]
    for number in _STREAMS:
        os.dup2(writing, number)
    try:
        yield tail
    finally:
        _flush()
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)
        # not the end of the file, for which what the call has started may keep others waiting
        os.write(writing, end)
        os.close(writing)
        reader.join()
        os.close(reading)


def _drain(reading: int, end: bytes, tail: List[bytes]) -> None:
    """Read until `end`; however much it is, only the last of it is kept."""
    held = b""
    while end not in held:
        held = held[-4 * MOST_TEXT :] + os.read(reading, _CHUNK)
    tail.append(held.partition(end)[0][-MOST_TEXT:])


def _flush() -> None:
    """Hand over what Python and C hold back."""
    for name in _STREAMS.values():
        with contextlib.suppress(Exception):
            getattr(sys, name).flush()
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)
