"""Estimates of what each function costs and how often it fails, measured, in `estimates.toml`.

`python -m tools.estimates` writes the table.
"""

from __future__ import annotations

import statistics
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

TABLE = Path(__file__).with_name("estimates.toml")


class Estimates(Struct, frozen=True, forbid_unknown_fields=True):
    """The table."""

    usual: str
    """The library whose seconds are used for libraries that are not in `seconds`."""
    measured: dict[str, list[str]]
    """For each library the targets whose seconds were measured."""
    published: list[str]
    """The targets whose results `failing` was computed from."""
    failing: dict[str, float]
    """For each theme the share of aspects that fail."""
    seconds: dict[str, dict[str, float]]
    """For each library and function, the seconds (wall time) of one worker."""

    def cost(self, function: str, library: str = "") -> float:
        """Seconds; the median of all functions for one that was not measured."""
        known = self.seconds.get(library) or self.seconds[self.usual]
        return known.get(function) or statistics.median(known.values())

    def risk(self, theme: str) -> float:
        """The share of a theme's aspects that fail; the mean of all themes for an unknown one."""
        known = self.failing.get(theme)
        return statistics.mean(self.failing.values()) if known is None else known


@cache
def estimates() -> Estimates:
    """The table that comes with the suite."""
    return msgspec.toml.decode(TABLE.read_bytes(), type=Estimates)
