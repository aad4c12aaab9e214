"""Find and undo, after each batch, what a program did to the process that later ones run in.

Only what was there at the start is restored; what a library adds stays. Environment variables,
`sys.path` and the states of random generators are not restored, because libraries set them on
purpose.
"""

import builtins
import gc
import json
import locale
import math
import operator
import os
import resource
import signal
import struct
import sys
import warnings

# that of `signal` makes an enumeration of each
from _signal import getsignal as _handler  # type: ignore[import-not-found]
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

_MODULES = (np, builtins, json, math, os, struct)
_STREAMS = ("stdin", "stdout", "stderr")
_LIMITS = [
    getattr(resource, "RLIMIT_" + name)
    for name in ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "STACK")
    if hasattr(resource, "RLIMIT_" + name)
]
_SIGNALS = sorted(int(number) for number in signal.Signals)
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)

Mend = Callable[[], None]


class Surroundings(object):
    """The state of the process at the time when this object is made."""

    def __init__(self) -> None:
        self._modules = [_Names(vars(module)) for module in _MODULES]
        self._saved = {name: read() for name, (read, _) in _STATES.items()}
        self._depth = sys.getrecursionlimit()

    def restore(self) -> bool:
        """Restore what was changed; whether that was possible."""
        for names in self._modules:
            names.restore()
        # a limit that was raised does no harm, and a library may need it
        if sys.getrecursionlimit() < self._depth:
            sys.setrecursionlimit(self._depth)
        restored = [self._restored(name) for name in _STATES]
        return all(restored)

    def _restored(self, name: str) -> bool:
        read, write = _STATES[name]
        try:
            if read() == self._saved[name]:
                return True
            write(self._saved[name])
            return bool(read() == self._saved[name])
        except BaseException:
            return False


class _Names(object):
    """The names of a module with their values at the start."""

    def __init__(self, names: Dict[str, Any]) -> None:
        self._names = names
        self._originals = dict(names)
        self._values = operator.itemgetter(*names)

    def restore(self) -> None:
        """Have all of them stand for that again."""
        if not self._same():
            self._names.update(self._originals)

    def _same(self) -> bool:
        # they compare a thousand names in the time that a loop takes for a hundred
        try:
            return all(map(operator.is_, self._values(self._names), self._originals.values()))
        except KeyError:
            return False


def _handlers() -> List[Tuple[int, Any]]:
    return [(number, _handler(number)) for number in _SIGNALS]


def _set_handlers(saved: List[Tuple[int, Any]]) -> None:
    for number, handler in saved:
        # None: a handler that was not set in Python cannot be restored
        if handler is not None and _handler(number) != handler:
            signal.signal(number, handler)


def _set_timers(saved: List[float]) -> None:
    for timer, seconds in zip(_TIMERS, saved):  # noqa: B905 - not before CPython 3.10
        signal.setitimer(timer, seconds)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _limits() -> List[Tuple[int, int]]:
    return [resource.getrlimit(kind) for kind in _LIMITS]


def _set_limits(saved: List[Tuple[int, int]]) -> None:
    for kind, limit in zip(_LIMITS, saved):  # noqa: B905 - not before CPython 3.10
        resource.setrlimit(kind, limit)


def _set_streams(saved: List[Any]) -> None:
    for name, stream in zip(_STREAMS, saved):  # noqa: B905 - not before CPython 3.10
        setattr(sys, name, stream)


def _set_filters(saved: List[Any]) -> None:
    warnings.filters[:] = saved  # type: ignore[index]
    mutated = getattr(warnings, "_filters_mutated", None)
    if mutated is not None:
        mutated()


def _set_collecting(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()


_STATES: Dict[str, Tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "directory": (os.getcwd, os.chdir),
    "umask": (_umask, os.umask),
    "signals": (_handlers, _set_handlers),
    "timers": (lambda: [signal.getitimer(t)[1] for t in _TIMERS], _set_timers),
    "limits": (_limits, _set_limits),
    "streams": (lambda: [getattr(sys, name) for name in _STREAMS], _set_streams),
    "trace": (sys.gettrace, sys.settrace),
    "profile": (sys.getprofile, sys.setprofile),
    "floating point": (np.geterr, lambda saved: np.seterr(**saved)),
    "locale": (
        lambda: locale.setlocale(locale.LC_ALL),
        lambda saved: locale.setlocale(locale.LC_ALL, saved),
    ),
    "warnings": (lambda: list(warnings.filters), _set_filters),
    "collecting": (gc.isenabled, _set_collecting),
}
