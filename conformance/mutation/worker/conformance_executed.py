"""Note the lines of some packages that run, in a target's interpreter: CPython 3.6 or later."""

import dis
import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any, Dict, Set, Tuple


class _Tracer(object):
    """Appends `FILE:LINE` to a file when a line of the folders runs for the first time."""

    def __init__(self, folders: Tuple[str, ...], output: str) -> None:
        self._folders = folders
        self._output = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._left: Dict[CodeType, Set[int]] = {}

    def call(self, frame: FrameType, _: str, __: Any) -> Any:
        """Trace a frame whose code has lines that have not run yet."""
        code = frame.f_code
        left = self._left.get(code)
        if left is None:
            own = code.co_filename.startswith(self._folders)
            left = {line for _, line in dis.findlinestarts(code) if line} if own else set()
            self._left[code] = left
        return self.line if left else None

    def line(self, frame: FrameType, event: str, _: Any) -> Any:
        """Note the line of a frame."""
        if event == "line":
            left = self._left[frame.f_code]
            if frame.f_lineno in left:
                left.discard(frame.f_lineno)
                text = "%s:%d\n" % (frame.f_code.co_filename, frame.f_lineno)
                os.write(self._output, text.encode())
        return self.line


def install(folders: Tuple[str, ...], output: str) -> None:
    """From now on note the lines of files below the folders."""
    tracer = _Tracer(folders, output)
    threading.settrace(tracer.call)
    sys.settrace(tracer.call)
