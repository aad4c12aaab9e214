"""Messages of an implementation's exceptions, shortened to one line that is the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.observations import Raised, Stage

MOST = 300
"""The most characters of a short message."""

MOST_WORDS = 12
"""The most words of a message that tell it from other messages."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NODE = re.compile(r"(?<=[{\[]node )[^\s\]}]+")
_NUMBER = re.compile(r"_\d+(?=/|$)")
_LAYER = re.compile(r"""(?<=\blayer )(["'])([^"'\n]*?)_\d+\1""")
_COUNTED = re.compile(
    r"\b(?!(?:Float|U?Int)\d)([A-Z][A-Za-z]*[a-z])\d+"
    r"(?=_Output_\d|'|\s(?:\w+ )?operation\b|\s(?:InputValue|LearnableParameter)\b)"
)
"""A node named by its operation and a number, such as `Node 'Abs1359'`, `Reshape9249_Output_0`."""
CAUSE = "; cause: "
_CAUSED = "\n\nCaused by "
"""The words that the worker puts between the message of an exception and that of its cause."""
_PLACE = re.compile(r"Exception from [\w./-]+:\d+:\s*")
"""The place that OpenVINO puts in front of its own message."""
_HEADING = re.compile(r"\[.*|.*:")
"""The first line of a list of details: a call stack, the arguments of the call."""


_CALLER = re.compile(r'^\s*(?:File ".*", line \d+|\[CALL STACK\])', re.MULTILINE)
"""A line of a call stack, which has paths of this machine, lines of the worker or addresses."""


_DEFINED = re.compile(r" \(defined at [^)\n]*:\d+\)")
"""The file and line, on this machine, of the code that made a node of a graph."""


_BACKTRACE = re.compile(
    r"(?:\\n|\s)*Backtrace when that variable is created:(?:.*?(?=\\n['\"], )\\n|.*)", re.DOTALL
)
"""Theano's stack of the code that made a variable: to the end, or to the next of the parts that it
prints as a tuple of Python's, where \\n stands for the end of a line."""


_FOLDERS = re.compile(r"(?<![\w.…])/(?:[^\s/\"':,()]+/)+(?=[^\s/\"':,()]+\.py\b)")
"""The folders, on this machine, of a file with code."""


def without_addresses(message: str) -> str:
    """The message without addresses, folders and the numbers that number nodes and layers.

    All of these differ between runs and machines, and with what was built before.
    """
    placeless = _BACKTRACE.sub("", _DEFINED.sub("", _ADDRESS.sub("0x…", message)))
    placeless = _FOLDERS.sub("…/", placeless)
    placeless = _COUNTED.sub(r"\1", _LAYER.sub(r"\1\2\1", placeless))
    return _NODE.sub(lambda node: _NUMBER.sub("", node[0]), placeless)


def without_stack(message: str) -> str:
    """The message without colours, addresses and the paragraphs that hold a call stack.

    Paragraphs after the first that list the nodes of a graph are left out, too: their order changes
    from run to run.
    """
    first, *others = re.split(r"\n\s*\n", _COLOUR.sub("", message))
    kept = [first, *(p for p in others if not _DEFINED.search(p))]
    return without_addresses("\n\n".join(p for p in kept if not _CALLER.search(p)))


ABSENT = "Absent"
"""The exception of a worker whose target lacks a function that a case calls."""
_NO_FUNCTION = "there is no function "
"""The words of this exception, before the function."""
HELPERS: Mapping[str, str] = {
    "docstring_example": "runs examples of docstrings",
    "docstring_facts": "reads docstrings",
    "compiled": "compiles a call",
    "differentiated": "takes gradients",
    "derivative": "takes gradients",
    "with_gradient": "sets the gradient of a function",
    "complex_numbers": "makes complex numbers",
    "real_part": "reads complex numbers",
    "imaginary_part": "reads complex numbers",
    "first_real_part": "reads complex numbers",
    "first_imaginary_part": "reads complex numbers",
    "second_real_part": "reads complex numbers",
    "second_imaginary_part": "reads complex numbers",
    "within": "enters a scope",
    "in_threads": "calls a function in threads",
    "backend_flag": "reads a flag of the backend",
}
"""The functions of the suite that no document has, with their tasks. A mapping or the module of a
target may define them."""


def lacking(message: str) -> str:
    """The message of `ABSENT` in words: `needs NAME, which the target lacks`."""
    name = short_message(message).removeprefix(_NO_FUNCTION)
    if name in HELPERS:
        return f"needs the helper {name}, which {HELPERS[name]}: docs/keras3.md"
    return f"needs {name}, which the target lacks"


def raising(kind: str, message: str, where: str = "") -> str:
    """`raises ValueError: its message`, or without a message the type alone."""
    if kind == ABSENT:
        return lacking(message)
    said = short_message(message)
    return f"raises {kind}{where}" + (f": {said}" if said else "")


_AFTERWARDS: Mapping[Stage, str] = {
    "session": "clear_session",
    "compile": "compiling the result",
    "call": "evaluating the result",
    "read": "reading the result as an array",
}
"""What is done with the result of a call, by the stage of an exception."""


def raised(outcome: Raised, where: str = "") -> str:
    """An exception in words, and what raised it: what makes the inputs of a call, the call, or what
    is done with its result."""
    said = raising(outcome.type, outcome.message, where)
    if outcome.stage == "bind":
        return f"gets an input that {said}"
    afterwards = _AFTERWARDS.get(outcome.stage)
    return said if afterwards is None or where else f"returns, and {afterwards} {said}"


def named_error(kind: str, message: str) -> str:
    """`ValueError: its message`, or without a message the type alone."""
    return raising(kind, message).removeprefix("raises ")


def cause_apart(message: str) -> tuple[str, str]:
    """A message without that of the exception's cause, and the cause's; empty if it has none."""
    proper, _, cause = message.partition(_CAUSED)
    return proper, cause.partition(": ")[2]


def short_message(message: str) -> str:
    """The first line of a message, without addresses and colours, cut to `MOST` characters.

    If the first paragraph is a single line, it may only say where the error was raised, with the
    cause in the next paragraph: then the first line of that paragraph is added. The cause of a
    wrapped exception, if the worker saw one, follows `CAUSE`.
    """
    plain, cause = cause_apart(_PLACE.sub("", _COLOUR.sub("", message)))
    paragraphs = [_lines(part) for part in re.split(r"\n\s*\n", plain)]
    first, *rest = [lines for lines in paragraphs if lines] or [[""]]
    said = [first[0]]
    if len(first) == 1 and rest and not _HEADING.fullmatch(rest[0][0]):
        said.append(rest[0][0])
    causes = _lines(cause)
    if causes and causes[0] not in said[-1]:
        said[-1] += f"{CAUSE}{causes[0]}"
    line = without_addresses(" ".join(said)).strip()
    return line if len(line) <= MOST else line[: MOST - 1] + "…"


_RAISES = re.compile(
    r"\b(?:raises \w+(?: in .*?)?: |(?=needs (?:the helper )?[\w.]+, which ))(.+)", re.DOTALL
)
_OWN = re.compile(
    r"""(?P<quote>['"`]).*?(?P=quote) | <[^<>]*> | <[A-Za-z][^<>]*$
    | \[[^\[\]]*\] | \([^()]*\) | \{[^{}]*\}
    | \b\w*\d[\w.]* | \bVariable\b | \b(?:float|double|half|int|uint|bool)\b""",
    re.VERBOSE,
)
"""What belongs to one case: quoted names, objects (the last may be cut), lists, shapes, numbers and
dtypes, and the name that TensorFlow gives the first variable (the second is called Variable_1)."""
_OUTPUT = re.compile(r"(?<=\bOutput\(')[^']*(?=')")
"""The name that CNTK gives the result of a node. It stands in quotes within quotes, and that of a
result with several names differs from run to run: `Block_Output_0`, `_static_axes_subop`."""
_WORD = re.compile(r"[A-Za-z][A-Za-z_]*")


def gist(gives: str) -> str:
    """The words that tell the message of an exception from others, the same for every case.

    `gives` is that of a finding; empty if it tells of no exception. Quoted names, numbers, shapes,
    dtypes and addresses are left out: they differ between cases, seeds and machines.
    """
    raised = _RAISES.search(gives)
    if raised is None:
        return ""
    plain = _OUTPUT.sub("", raised[1])
    while (shorter := _OWN.sub(" ", plain)) != plain:
        plain = shorter
    return " ".join(_WORD.findall(plain)[:MOST_WORDS]).lower()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
