"""Limits for the texts and values of an implementation that a worker sends. Both ends use this
module."""

from typing import Any

MOST_MESSAGE = 2000
MOST_TEXT = MOST_MESSAGE
MOST_NAME = 200
MOST_BASES = 50
MOST_PARAMETERS = 256
MOST_DIMENSIONS = 64
MOST_ITEMS = 4096
"""Values that one draw may return, of all outputs together."""
MOST_TRACED_FUNCTIONS = 1000
MOST_TRACED_LINES = 20000
"""Functions and lines of an implementation that the trace of one batch has."""
MOST_VALUE_BYTES = 16 * 2**20
MOST_ANSWER_BYTES = 48 * 2**20
"""Bytes of one value, and of all values of an answer; what is larger is described."""

_NAME = type.__dict__["__name__"]
_LEFT_OUT = "\n[...]\n"


def cut(text: Any, most: int) -> str:
    """The first characters of a text; of a class derived from `str` a plain `str`.

    Nothing of such a class is called: it may answer as it likes.
    """
    return str.__getitem__(text, slice(most))


def ends(text: Any, most: int = MOST_MESSAGE) -> str:
    """A text without its middle: what is wrong may stand before or after a long call stack."""
    if str.__len__(text) <= most:
        return cut(text, most)
    half = (most - len(_LEFT_OUT)) // 2
    first, last = cut(text, half), str.__getitem__(text, slice(-half, None))
    return (first.rpartition("\n")[0] or first) + _LEFT_OUT + (last.partition("\n")[2] or last)


def class_name(kind: type) -> str:
    """The name of a class, which its metaclass cannot answer."""
    return cut(_NAME.__get__(kind), MOST_NAME)


def text_of(value: Any, most: int = MOST_MESSAGE) -> str:
    """The text of a value, cut; exceptions of `str`, including SystemExit, pass."""
    return cut(str(value), most)
