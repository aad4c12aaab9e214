"""The prints in docstrings, read as data: arrays of any library, numbers, texts, tuples and lists.

`Array([1, 2])`, `array([1 2], shape=(2,), dtype=int32)` and `[1, 2]` have the same
elements. A result of several arrays is a sequence of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.scenarios.model import Array

_REAL = r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[-+]?{_REAL}(?:[-+]{_REAL})?j|[-+]?{_REAL})|(?P<name>[A-Za-z_][\w.]*)"
    r"|'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<mark>[\[\](),=])|#.*)"
)
_NUMBERS: dict[str, Any] = {"True": True, "False": False, "nan": np.nan, "inf": np.inf}
_ARRAYS = ("array", "tensor")
_ROUNDED = 4
"""Digits from which on a decimal fraction is taken for a rounded number: 0.75 is exact."""


class PrintError(ValueError):
    """A print that is neither numbers nor arrays."""


@dataclass(frozen=True, slots=True, eq=False)
class PrintedArray:
    """The elements of an array, and by how much each may be another number that prints the same."""

    elements: Array
    units: npt.NDArray[np.float64]
    """The last digit that is printed; 0 for a whole number and a short fraction."""
    dtype: str = ""
    """Empty where none is printed."""


Printed = PrintedArray | str


@dataclass(frozen=True, slots=True)
class _Number:
    value: Any
    unit: float = 0.0


_Node = Any
"""A `_Number`, a `PrintedArray`, a text, or a tuple or list of nodes."""


def parts_of(text: str) -> list[Printed]:
    """The arrays, numbers and texts in a print, from left to right.

    A list of numbers is one array, a tuple of numbers several numbers.

    Raises:
        PrintError: the text holds anything else.
    """
    try:
        return [part for node in _Reader(text).items("") for part in _parts(node)]
    except RecursionError as error:
        raise PrintError("nested too deep") from error


def _parts(node: _Node) -> Iterator[Printed]:
    if isinstance(node, tuple) or (isinstance(node, list) and not _is_numeric(node)):
        for part in node:
            yield from _parts(part)
    elif isinstance(node, PrintedArray | str):
        yield node
    else:
        yield _array(node)


def _is_numeric(node: _Node) -> bool:
    if isinstance(node, list):
        return all(map(_is_numeric, node))
    return isinstance(node, _Number)


def _array(node: _Node, dtype: str = "") -> PrintedArray:
    def values(node: _Node, field: str) -> Any:
        if isinstance(node, _Number):
            return getattr(node, field)
        return [values(part, field) for part in node]

    try:
        elements, units = np.array(values(node, "value")), np.array(values(node, "unit"), float)
    except (TypeError, ValueError) as error:
        raise PrintError("rows of other lengths") from error
    if elements.dtype.kind not in "biufc":
        raise PrintError(f"an array of {elements.dtype}")
    return PrintedArray(elements, units, dtype)


class _Reader:
    """Reads the tokens of one print; commas between elements are optional, as NumPy prints them."""

    def __init__(self, text: str) -> None:
        self._tokens = [match for match in _tokens(text) if match.lastgroup]
        self._place = 0

    def items(self, end: str) -> list[_Node]:
        """The nodes up to a closing mark, or to the end of the text."""
        nodes = []
        while self._mark() != end:
            if self._mark() == ",":
                self._place += 1
            else:
                nodes.append(self._node())
        self._place += 1
        return nodes

    def _mark(self) -> str | None:
        """The next mark; empty at the end, None before something else."""
        if self._place == len(self._tokens):
            return ""
        return self._tokens[self._place]["mark"]

    def _node(self) -> _Node:
        if self._place == len(self._tokens):
            raise PrintError("it breaks off")
        token = self._tokens[self._place]
        self._place += 1
        kind, text = token.lastgroup, token[0].strip()
        if kind == "number":
            return _number(text)
        if kind in ("single", "double"):
            return token[kind]
        if kind == "name":
            return self._named(text)
        if text in "[(":
            return self.items("]") if text == "[" else tuple(self.items(")"))
        raise PrintError(f"{text!r} in a wrong place")

    def _named(self, name: str) -> _Node:
        if name in _NUMBERS:
            return _Number(_NUMBERS[name])
        if self._mark() != "(":
            return name
        self._place += 1
        return self._call(name.rpartition(".")[2].lower())

    def _call(self, name: str) -> _Node:
        """An array of its first argument, or the text in `dtype('float32')`."""
        arguments, keywords = [], {}
        while self._mark() != ")":
            node = self._node() if self._mark() != "," else None
            if node is None:
                self._place += 1
            elif self._mark() == "=":
                self._place += 1
                keywords[node] = self._node()
            else:
                arguments.append(node)
        self._place += 1
        if name == "dtype":
            return arguments[0]
        if name not in _ARRAYS or not arguments or not _is_numeric(arguments[0]):
            raise PrintError(f"{name} makes something else than an array")
        return _array(arguments[0], str(keywords.get("dtype", "")).rpartition(".")[2])


def _tokens(text: str) -> Iterator[re.Match[str]]:
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise PrintError(f"{text[place : place + 10]!r} is not part of an array")
        yield match
        place = match.end()


def _number(text: str) -> _Number:
    if text.endswith("j"):
        return _Number(complex(text))
    if not re.search("[.e]", text):
        return _Number(int(text))
    digits, _, exponent = text.lower().partition("e")
    decimals = digits.partition(".")[2]
    rounded = len(digits.lstrip("+-0.").replace(".", "")) >= _ROUNDED
    unit = f"1e{int(exponent or 0) - len(decimals)}"
    return _Number(float(text), float(unit) if rounded else 0.0)
