"""A reading and its variant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Reading = tuple[str, str]
"""A convention, and the name of one of its readings."""
Readings = tuple[Reading, ...]
Variant = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Gives a function's arguments, by keras-2.2 name, as the reading has them. NoReadingError: the
reading is none for this call."""


class NoReadingError(ValueError):
    """A reading does not apply to a call that contains nothing of it."""


def keyword(name: str, value: object) -> Variant:
    """The variant that an oracle computes when it is given a keyword of its own."""

    def variant(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {**arguments, name: value}

    return variant
