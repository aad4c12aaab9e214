"""Operators of the rule language for padding.

A padding is a pair of numbers, before and after, for each axis; for a single axis that pair itself.
In keras-1 it is one number for both sides of each axis (C082, C084, C086).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Dim = int | None
Dims = tuple[Dim, ...]
Pair = tuple[int, int]


def pairs(padding: Any, axes: int) -> tuple[Pair, ...]:
    """How many elements are added before and after each of so many axes."""
    return tuple(_both(side) for side in ((padding,) if axes == 1 else padding))


def _both(side: Any) -> Pair:
    first, last = (side, side) if isinstance(side, int) else side
    return first, last


def padded(lengths: Sequence[Dim], padding: Any) -> Dims:
    """Lengths of axes with what is added before and after; an unknown length stays unknown."""
    added = map(sum, pairs(padding, len(lengths)))
    return tuple(None if n is None else n + more for n, more in zip(lengths, added, strict=True))


def borders(widths: Any, axes: int) -> tuple[Pair, ...]:
    """The widths before and after each of so many axes.

    They are written as a number for all ends, a pair for all axes, or a pair for each axis.
    """
    if not isinstance(widths, int) and len(widths) == 1:
        (widths,) = widths
        return (_both(widths),) * axes
    return (_both(widths),) * axes if isinstance(widths, int) else tuple(map(_both, widths))


def bordered(lengths: Sequence[Dim], widths: Any) -> Dims:
    """Lengths of axes with such borders; an unknown length stays unknown."""
    added = map(sum, borders(widths, len(lengths)))
    return tuple(None if n is None else n + more for n, more in zip(lengths, added, strict=True))


OPERATORS: dict[str, Callable[..., Any]] = {"padded": padded, "bordered": bordered}
