"""A time limit for the host's own work on an answer, in any thread.

`CallLimits` of a session limit the worker. This limit is for the code that reads and judges an
answer. That code takes time in proportion to the answer, whose size is limited, so the limit only
stops unforeseen loops.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

ANSWER_SECONDS = 300.0
"""For one answer: the longest answer to a real implementation takes a second or two."""
WATCH = "time limits"
"""The name of the thread that watches; it holds no lock, so a process may fork beside it."""
_TICK = 0.5
_MOST_WAIT = 10.0


class OvertimeError(BaseException):
    """A block took longer than `within` allows. Not an Exception: nothing else may catch it."""


@dataclass(slots=True, eq=False)
class _Block:
    """A block of the code of a thread."""

    thread: int
    left: float
    """Seconds; `_RAISED` once it has been ended."""


_RAISED = -1.0
_blocks: dict[_Block, None] = {}
"""The blocks that are under way. Its methods are atomic: whoever takes a block out of it, the watch
or the thread itself, decides how the block ends."""
_starting = threading.Lock()
_watch: threading.Thread | None = None


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """A block that raises OvertimeError once it takes longer.

    Time in which this process was stopped does not count. The limit does not interrupt a call of
    C that never returns.
    """
    _start_watch()
    block = _Block(threading.get_ident(), seconds)
    _blocks[block] = None
    try:
        yield
    finally:
        if _blocks.pop(block, block) is not None:
            _await_error(block)


def _await_error(block: _Block) -> None:
    """Have nothing raised in this thread after its block, which the watch has taken."""
    with contextlib.suppress(OvertimeError):
        deadline = time.monotonic() + _MOST_WAIT
        while block.left != _RAISED and time.monotonic() < deadline:
            time.sleep(0.001)
        for _ in range(100):  # it is raised in one of these calls, if it has not been before
            time.sleep(0)


def _start_watch() -> None:
    global _watch  # noqa: PLW0603 - one for the process; a fork has none
    if _watch is None or not _watch.is_alive():
        with _starting:
            if _watch is None or not _watch.is_alive():
                _watch = threading.Thread(target=_look, name=WATCH, daemon=True)
                _watch.start()


def _look() -> None:
    """Count the time of all blocks, and end those whose time is over."""
    while True:
        time.sleep(_TICK)
        for block in list(_blocks):
            block.left -= _TICK
            if block.left <= 0 and _blocks.pop(block, block) is None:
                _raise(block)


def _raise(block: _Block) -> None:
    """Raise OvertimeError in the block's thread."""
    number, error = ctypes.c_ulong(block.thread), ctypes.py_object(OvertimeError)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(number, error)
    block.left = _RAISED
