"""What an implementation's exceptions say, in one line."""

from __future__ import annotations

import re

MOST = 300
"""Characters of a line."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NODE = re.compile(r"(?<=[{\[]node )[^\s\]}]+")
_NUMBER = re.compile(r"_\d+(?=/|$)")
_LAYER = re.compile(r"""(?<=\blayer )(["'])([^"'\n]*?)_\d+\1""")
_COUNTED = re.compile(
    r"\b(?!(?:Float|U?Int)\d)([A-Z][A-Za-z]*[a-z])\d+"
    r"(?=_Output_\d|'|\s(?:\w+ )?operation\b|\s(?:InputValue|LearnableParameter)\b)"
)
"""A node whose name is its sort and a number, as in `Node 'Abs1359'` or `Reshape9249_Output_0`."""
_HEADING = re.compile(r"\[.*|.*:")
"""The first line of a list of details: a call stack, the arguments of the call."""


_CALLER = re.compile(r'^\s*(?:File ".*", line \d+|\[CALL STACK\])', re.MULTILINE)
"""A line of a call stack, which names files of this machine, lines of the worker or addresses."""


_DEFINED = re.compile(r" \(defined at [^)\n]*:\d+\)")
"""Where the code stands that made a node of a graph, on this machine."""


def without_addresses(message: str) -> str:
    """The message without addresses and places, and the numbers that tell nodes and layers apart.

    These differ from run to run, from machine to machine, and with what was built before.
    """
    placeless = _DEFINED.sub("", _ADDRESS.sub("0x…", message))
    placeless = _COUNTED.sub(r"\1", _LAYER.sub(r"\1\2\1", placeless))
    return _NODE.sub(lambda node: _NUMBER.sub("", node[0]), placeless)


def without_stack(message: str) -> str:
    """The message without addresses, and without the paragraphs that hold a call stack.

    Nor those after the first that list the nodes of a graph, in an order that is up to chance.
    """
    first, *others = re.split(r"\n\s*\n", message)
    kept = [first, *(p for p in others if not _DEFINED.search(p))]
    return without_addresses("\n\n".join(p for p in kept if not _CALLER.search(p)))


def essence(message: str) -> str:
    """The line of a message that says most, without addresses and colours, cut to fit a line.

    That is the first. Where it stands alone, it may say only where the error came up, and the cause
    stands below an empty line: then both.
    """
    plain = _COLOUR.sub("", message)
    paragraphs = [_lines(part) for part in re.split(r"\n\s*\n", plain)]
    first, *rest = [lines for lines in paragraphs if lines] or [[""]]
    said = [first[0]]
    if len(first) == 1 and rest and not _HEADING.fullmatch(rest[0][0]):
        said.append(rest[0][0])
    line = without_addresses(" ".join(said))
    return line if len(line) <= MOST else line[: MOST - 1] + "…"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
