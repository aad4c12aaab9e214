"""Axes as callers give them: all (None), one, or several."""

from __future__ import annotations

from collections.abc import Sequence

Axis = int | Sequence[int] | None
Axes = int | tuple[int, ...] | None


def axes_of(axis: Axis) -> Axes:
    """As NumPy takes them."""
    return axis if axis is None or isinstance(axis, int) else tuple(axis)
