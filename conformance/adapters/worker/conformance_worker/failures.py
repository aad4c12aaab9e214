"""Turn what an implementation raises into data at once, and measure the time spent inside it."""

from time import perf_counter
from typing import Any, Callable, Dict, List, Optional

from .limits import MOST_BASES, class_name, text_of
from .stages import Announce, silent

_BUCKETS = {
    "bind": "bind",
    "step": "build",
    "claim": "build",
    "compile": "build",
    "call": "call",
    "read": "call",
}


class ImplementationError(Exception):
    """The implementation raised; `data` is [type, mro, message, stage, step]."""

    def __init__(self, data: List[Any]) -> None:
        super().__init__(data)
        self.data = data


class Meter(object):
    """Calls the implementation, adds up the seconds, and raises ImplementationError for any error.

    It announces each call before it makes it.
    """

    def __init__(self, announce: Announce = silent) -> None:
        self._announce = announce
        self.seconds: Dict[str, float] = {"bind": 0.0, "build": 0.0, "call": 0.0}

    def call(
        self, stage: str, step: Optional[int], function: Callable[..., Any], *args: Any
    ) -> Any:
        """The result of `function(*args)`; ImplementationError if it raises anything."""
        self._announce(stage, step)
        begin = perf_counter()
        try:
            return function(*args)
        except BaseException as error:
            # an implementation that exits or interrupts itself must not end the worker
            raise ImplementationError(describe(error, stage, step)) from None
        finally:
            self.seconds[_BUCKETS[stage]] += perf_counter() - begin


def describe(error: BaseException, stage: str, step: Optional[int] = None) -> List[Any]:
    """The exception as [type, names of its bases, message, stage, step]."""
    try:
        message = text_of(error)
    except BaseException as broken:
        message = "(its message cannot be read: {})".format(class_name(type(broken)))
    # not `cls.__name__`, which a metaclass may answer
    bases = type.__dict__["__mro__"].__get__(type(error))[:MOST_BASES]
    names = [class_name(cls) for cls in bases]
    return [names[0], names, message, stage, step]
