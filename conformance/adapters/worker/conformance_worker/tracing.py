"""Record which lines of the implementation's package a batch runs.

The host ranks these lines to find the place of a wrong answer, after a run and for a few batches.
From Python 3.12 on the worker uses `sys.monitoring`, which reports each line once. Before, it uses
`sys.settrace`, which slows the implementation. In a graph backend the lines build the graph.
The answer has a line for each statement, with the size of its code.
"""

import ast
import bisect
import dis
import linecache
import sys
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Dict, Iterable, Iterator, List, Optional

from .failures import is_own, relative_file
from .limits import MOST_NAME, MOST_TRACED_FUNCTIONS, MOST_TRACED_LINES, cut

_MODULE = "<module>"
"""The name of the code that an import runs, which says nothing of a call."""


@contextmanager
def traced(asked: bool) -> Iterator[Dict[str, Any]]:
    """A block whose lines are recorded if `asked`; its value then has them as `trace`."""
    answer: Dict[str, Any] = {}
    if not asked:
        yield answer
        return
    trace = LineTrace()
    trace.start()
    try:
        yield answer
    finally:
        trace.stop()
    answer["trace"] = trace.answer()


class LineTrace(object):
    """The lines that run between `start` and `stop`.

    It keeps at most `MOST_TRACED_FUNCTIONS` functions, and `MOST_TRACED_LINES` lines of all. Other
    threads count where `sys.monitoring` is.
    """

    def __init__(self) -> None:
        self._depths: Dict[CodeType, int] = {}
        self._lines: Dict[CodeType, Dict[int, None]] = {}
        self._own: Dict[CodeType, bool] = {}
        self._left = MOST_TRACED_LINES
        monitoring = getattr(sys, "monitoring", None)
        self._tracer = _Settrace(self) if monitoring is None else _Monitoring(self, monitoring)

    def start(self) -> None:
        """Follow the lines from now on."""
        self._tracer.start()

    def stop(self) -> None:
        """Follow them no longer."""
        self._tracer.stop()

    def follows(self, code: CodeType) -> bool:
        """Whether the lines of the code are of interest."""
        own = self._own.get(code)
        if own is None:
            own = code.co_name != _MODULE and is_own(code.co_filename)
            self._own[code] = own
        return own and self._left > 0

    def note(self, code: CodeType, line: int, frame: Optional[FrameType]) -> None:
        """Keep a line of a code that is followed; `frame` runs it. Lines beyond the limit go."""
        if self._left <= 0:
            return
        lines = self._lines.get(code)
        if lines is None:
            if len(self._lines) >= MOST_TRACED_FUNCTIONS:
                return
            lines = self._lines[code] = {}
            self._depths[code] = self._depth(frame)
        if line not in lines:
            lines[line] = None
            self._left -= 1

    def _depth(self, frame: Optional[FrameType]) -> int:
        """How many frames of the package are on the stack."""
        depth = 0
        while frame is not None:
            depth += is_own(frame.f_code.co_filename)
            frame = frame.f_back
        return depth

    def answer(self) -> List[List[Any]]:
        """For each function [file, name, first line, depth, statements], in the order of the
        calls."""
        return [
            [
                relative_file(code.co_filename),
                cut(code.co_name, MOST_NAME),
                code.co_firstlineno,
                self._depths[code],
                statements(code, lines),
            ]
            for code, lines in self._lines.items()
        ]


def statements(code: CodeType, lines: Iterable[int]) -> List[List[int]]:
    """[first line, bytes of code] of each statement that has one of these lines."""
    starts = statement_starts(code.co_filename)
    sizes: Dict[int, int] = {}
    parts = [*dis.findlinestarts(code), (len(code.co_code), None)]
    for (offset, line), (end, _) in zip(parts, parts[1:]):  # noqa: B905, RUF007 - Python 3.6
        if line is not None:
            start = _start(starts, line, code.co_firstlineno)
            sizes[start] = sizes.get(start, 0) + end - offset
    executed = {_start(starts, line, code.co_firstlineno) for line in lines}
    return [[start, sizes.get(start, 0)] for start in sorted(executed)]


def _start(starts: List[int], line: int, first: int) -> int:
    """The first line of the statement that has a line, in a function that begins at `first`."""
    place = bisect.bisect_right(starts, line)
    return max(starts[place - 1], first) if place else line


_starts: Dict[str, List[int]] = {}
"""The lines in each file where statements begin."""


def statement_starts(file: str) -> List[int]:
    """The lines of a file where statements begin; none if it has no source."""
    if file not in _starts:
        try:
            tree = ast.parse("".join(linecache.getlines(file)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            _starts[file] = []
        else:
            starts = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)}
            _starts[file] = sorted(starts)
    return _starts[file]


class _Monitoring(object):
    """Reports lines through `sys.monitoring`; without a free number of a tool it reports none."""

    def __init__(self, trace: LineTrace, monitoring: Any) -> None:
        self._trace, self._monitoring = trace, monitoring
        self._tool: Optional[int] = None

    def start(self) -> None:
        monitoring = self._monitoring
        free = [n for n in range(6) if monitoring.get_tool(n) is None]
        if free:
            self._tool = free[-1]
            monitoring.use_tool_id(self._tool, "conformance")
            monitoring.register_callback(self._tool, monitoring.events.LINE, self._line)
            monitoring.set_events(self._tool, monitoring.events.LINE)
            monitoring.restart_events()

    def stop(self) -> None:
        if self._tool is not None:
            self._monitoring.set_events(self._tool, 0)
            self._monitoring.free_tool_id(self._tool)
            self._tool = None

    def _line(self, code: CodeType, line: int) -> Any:
        if self._trace.follows(code):
            self._trace.note(code, line, sys._getframe(1))
        return self._monitoring.DISABLE


class _Settrace(object):
    """Reports lines through `sys.settrace`."""

    def __init__(self, trace: LineTrace) -> None:
        self._trace = trace
        self._before: Any = None

    def start(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._call)

    def stop(self) -> None:
        sys.settrace(self._before)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        return self._line if self._trace.follows(frame.f_code) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        if event == "line":
            self._trace.note(frame.f_code, frame.f_lineno, frame)
        return self._line if self._trace.follows(frame.f_code) else None
