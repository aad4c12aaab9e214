"""Turn what an implementation raises into data at once, and measure the time spent inside it."""

import os
import sys
from time import perf_counter
from typing import Any, Callable, Dict, List, Optional

from .limits import MOST_BASES, MOST_MESSAGE, MOST_NAME, class_name, cut, ends
from .stages import Announce, silent

_BUCKETS = {
    "bind": "bind",
    "step": "build",
    "claim": "build",
    "compile": "build",
    "call": "call",
    "read": "call",
}


_OWN = os.path.dirname(os.path.abspath(__file__))
_sources: List[str] = []
"""The implementation's package or module, and the folder that holds it; empty if unknown."""


_WRAPPERS = "/utils/traceback_utils.py"
"""The file of Keras that wraps every call and raises what it raises: never the cause."""


def find_sources(module: str) -> None:
    """Find the package of a module: exceptions then name the line in it that raised.

    Keras cuts its own frames from a traceback if a library below it raised. Its list of the folders
    to cut becomes empty, because these frames name the line.
    """
    package = module.partition(".")[0]
    wrappers = sys.modules.get(package + ".src.utils.traceback_utils")
    if isinstance(getattr(wrappers, "_EXCLUDED_PATHS", None), tuple):
        setattr(wrappers, "_EXCLUDED_PATHS", ())  # noqa: B010 - the name is that of the package
    file = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    if isinstance(file, str) and file.endswith(".py"):
        folder, name = os.path.split(os.path.abspath(file))
        parent = os.path.dirname(folder) if name == "__init__.py" else folder
        _sources[:] = [os.path.join(folder, "" if name == "__init__.py" else name), parent]


def is_own(file: str) -> bool:
    """Whether a file of source is one of the implementation's package, and no general wrapper."""
    if not _sources or file.startswith(_OWN) or not file.startswith(_sources[0]):
        return False
    return not file.replace(os.sep, "/").endswith(_WRAPPERS)


def relative_file(file: str) -> str:
    """The path of such a file, which begins with the package."""
    return cut(os.path.relpath(file, _sources[1]).replace(os.sep, "/"), MOST_NAME)


def place_of(error: BaseException) -> Optional[str]:
    """The innermost line of the package that an exception passed: `keras/src/a.py:12, in f`."""
    frame, place = error.__traceback__, None
    while frame is not None:
        code = frame.tb_frame.f_code
        if is_own(code.co_filename):
            file = relative_file(code.co_filename)
            place = "{}:{}, in {}".format(file, frame.tb_lineno, code.co_name)
        frame = frame.tb_next
    return None if place is None else cut(place, MOST_NAME)


class ImplementationError(Exception):
    """The implementation raised; `data` is [type, mro, message, stage, step, place]."""

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
        """The result of `function(*args)`.

        Raises:
            ImplementationError: the function raised an exception.
        """
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
    """The exception as [type, names of its bases, message, stage, step, place or None]."""
    message, cause = _message(error), BaseException.__dict__["__cause__"].__get__(error)
    if cause is not None:
        added = "\n\nCaused by {}: {}".format(class_name(type(cause)), _message(cause))
        message = cut(message + added, MOST_MESSAGE)
    # not `cls.__name__`, which a metaclass may answer
    bases = type.__dict__["__mro__"].__get__(type(error))[:MOST_BASES]
    names = [class_name(cls) for cls in bases]
    return [names[0], names, message, stage, step, place_of(error)]


def _message(error: BaseException) -> str:
    try:
        return ends(str(error))
    except BaseException as broken:
        return "(its message cannot be read: {})".format(class_name(type(broken)))
