"""Capture what a call prints: by Python, by C, by processes that it starts."""

import contextlib
import ctypes
import os
import subprocess
import sys
import threading
from typing import Any, Callable, Iterator, List, Optional

from .limits import MOST_TEXT

_CHUNK = 2**16
_MOST_SECONDS = 20.0
_STREAMS = {1: "stdout", 2: "stderr"}
_LOGS = {"tensorflow": "TF_CPP_MIN_LOG_LEVEL"}
"""Libraries of which some releases print through their log, and what turns the log off."""


def printed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Optional[str]:
    """The end of what `function(*args)` prints, to standard output and standard error.

    None if that cannot be known: Python's streams are redirected, and `function` is not called, or
    nothing was printed and a log is turned off. Raises what the call raises.
    """
    if not all(_leads_to(number) for number in _STREAMS):
        return None
    with _caught() as tail:
        function(*args, **kwargs)
    text = b"".join(tail).decode("utf-8", "replace")
    return text if text.strip() or not _silenced() else None


def printed_by_import(module: str) -> Optional[str]:
    """The beginning of the output of a new process that imports the module.

    None if the import fails there or takes too long.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", "import " + module],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    text = done.stdout.decode("utf-8", "replace")[:MOST_TEXT]
    return text if done.returncode == 0 else None


def _silenced() -> bool:
    """Whether a library that is in use has its log turned off."""
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
    """A context; at its end the list gets the end of the output on both descriptors."""
    tail: List[bytes] = []
    end = os.urandom(16)
    reading, writing = os.pipe()
    reader = threading.Thread(target=_drain, args=(reading, end, tail), daemon=True)
    reader.start()
    _flush()
    copies = [(number, os.dup(number)) for number in _STREAMS]
    for number in _STREAMS:
        os.dup2(writing, number)
    try:
        yield tail
    finally:
        _flush()
        for number, copy in copies:
            os.dup2(copy, number)
            os.close(copy)
        # not the end of the file: a process that the call has started may keep it open
        os.write(writing, end)
        os.close(writing)
        reader.join()
        os.close(reading)


def _drain(reading: int, end: bytes, tail: List[bytes]) -> None:
    """Read until `end`, and keep only the last bytes."""
    held = b""
    while end not in held:
        held = held[-4 * MOST_TEXT :] + os.read(reading, _CHUNK)
    tail.append(held.partition(end)[0][-MOST_TEXT:])


def _flush() -> None:
    """Flush the buffers of Python and C."""
    for name in _STREAMS.values():
        with contextlib.suppress(Exception):
            getattr(sys, name).flush()
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)
