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
    """The targets whose seconds were measured: of a library, or one by itself under its name, where
    targets of a library are not alike."""
    published: list[str]
    """The targets whose results `failing` was computed from."""
    failing: dict[str, float]
    """For each theme the share of aspects that fail."""
    seconds: dict[str, dict[str, float]]
    """For each key of `measured` and function, the seconds (wall time) of one worker."""

    def key(self, target: str, library: str) -> str:
        """What the costs of a target are found by: its own name, if it was measured by itself."""
        return target if target in self.seconds else library

    def cost(self, function: str, library: str = "") -> float:
        """Seconds; what others take for a function that was not measured, or else the median."""
        known = self.seconds.get(library) or self.seconds[self.usual]
        return known.get(function) or self._others(function) or statistics.median(known.values())

    def _others(self, function: str) -> float:
        """The median of those who have the function; 0 if none has it."""
        found = [known[function] for known in self.seconds.values() if function in known]
        return statistics.median(found) if found else 0.0

    def risk(self, theme: str) -> float:
        """The share of a theme's aspects that fail; the mean of all themes for an unknown one."""
        known = self.failing.get(theme)
        return statistics.mean(self.failing.values()) if known is None else known


@cache
def estimates() -> Estimates:
    """The table that comes with the suite."""
    return msgspec.toml.decode(TABLE.read_bytes(), type=Estimates)
