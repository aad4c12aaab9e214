"""Operators of the rule language for axes that a text names.

`einsum` calls each axis by a letter, `rearrange` by a word; words in brackets are one axis. A
length that is not known when a graph is built is None, and so is what follows from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Dim = int | None
Dims = tuple[Dim, ...]
ELLIPSIS = "..."


def _text(value: Any) -> str:
    """The value; TypeError if it is not a text."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def terms_of(subscripts: str) -> list[str]:
    """The letters of each operand; TypeError if these are not a text."""
    return _text(subscripts).replace(" ", "").partition("->")[0].split(",")


def _letters(term: str) -> list[str]:
    """Each letter, and an ellipsis as one."""
    return re.findall(r"\.\.\.|.", term)


def output_of(subscripts: str) -> str:
    """The letters of the result: those that are written, or in order those that are there once."""
    text = subscripts.replace(" ", "")
    terms = terms_of(text)
    if "->" in text:
        return text.partition("->")[2]
    every = "".join(terms).replace(ELLIPSIS, "")
    rest = ELLIPSIS if any(ELLIPSIS in term for term in terms) else ""
    return rest + "".join(sorted(a for a in {*every} if every.count(a) == 1))


def lengths_of(subscripts: str, shapes: Sequence[Sequence[Dim]]) -> dict[str, Dims]:
    """The lengths that each letter stands for: one, or any number for an ellipsis."""
    lengths: dict[str, Dims] = {}
    for term, shape in zip(terms_of(subscripts), shapes, strict=True):
        letters, place = _letters(term), 0
        for letter in letters:
            count = len(shape) - len(letters) + 1 if letter == ELLIPSIS else 1
            mine = tuple(shape[place : place + count])
            place += count
            known = lengths.get(letter, mine)
            longer = known if len(known) > len(mine) else mine
            pairs = zip(known, mine, strict=False)
            same = tuple(a if a is not None else b for a, b in pairs)
            lengths[letter] = same if len(known) == len(mine) else longer
    return lengths


def subscripted(subscripts: str, shapes: Sequence[Sequence[Dim]]) -> Dims:
    """The shape of a sum of products."""
    lengths = lengths_of(subscripts, shapes)
    return tuple(d for letter in _letters(output_of(subscripts)) for d in lengths[letter])


def groups_of(side: str) -> list[list[str]]:
    """The names that each axis consists of, of one side of a pattern."""
    return [group.strip("()").split() for group in re.findall(r"\([^)]*\)|\S+", side)]


def named_lengths(pattern: str, shape: Sequence[Dim], parts: Mapping[str, int]) -> dict[str, Dim]:
    """The length of each name of a pattern; that of one name of an axis follows from the others.

    TypeError: the pattern is not a text; ValueError: the shape does not fit it.
    """
    lengths: dict[str, Dim] = dict(parts)
    for names, length in zip(groups_of(_text(pattern).partition("->")[0]), shape, strict=True):
        known = math.prod(parts[name] for name in names if name in parts)
        (rest,) = [name for name in names if name not in parts]
        lengths[rest] = None if length is None else length // known
    return lengths


def _product(lengths: Sequence[Dim]) -> Dim:
    return None if None in lengths else math.prod(d for d in lengths if d is not None)


def rearranged(pattern: str, shape: Sequence[Dim], parts: Any) -> Dims:
    """The shape of a tensor whose axes are in the order, and joined, as the pattern says."""
    lengths = named_lengths(pattern, shape, dict(parts or ()))
    groups = groups_of(pattern.partition("->")[2])
    return tuple(_product([lengths[name] for name in names]) for names in groups)


OPERATORS: dict[str, Callable[..., Any]] = {
    "subscripted": subscripted,
    "rearranged": rearranged,
}
