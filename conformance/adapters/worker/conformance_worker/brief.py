"""Calls that the worker makes for itself, which must not hang."""

import signal
from typing import Any, Callable, Iterable, Set

SECONDS = 1.0
"""For a call, which takes a millisecond."""


class LateError(BaseException):
    """The call did not return in time, or one of the same name did not before."""


class Brief(object):
    """Calls functions of the implementation with a time limit, and none again that was late.

    The limit interrupts no call of C that never returns, and no call on a system without timers.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._late: Set[str] = set()

    @property
    def late(self) -> Set[str]:
        """The names of those that were late."""
        return self._late

    def know(self, late: Iterable[str]) -> None:
        """Call none of these: they were late in another worker."""
        self._late.update(late)

    def call(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """The result of the function of this name.

        Raises:
            LateError: it does not return in time.
        """
        if name in self._late:
            raise LateError
        if not hasattr(signal, "setitimer"):
            return function(*args)
        before = signal.signal(signal.SIGALRM, _raise)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)
        try:
            return function(*args)
        except LateError:
            self._late.add(name)
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _raise(*_: Any) -> None:
    raise LateError
