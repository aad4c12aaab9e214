"""What functions are expected to cost, and which of them to fail: measured, in `estimates.toml`.

`python -m tools.estimates` makes the table anew.
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
    """The library that stands for those that are not in `seconds`."""
    measured: dict[str, list[str]]
    """For each library the targets that the seconds are of."""
    published: list[str]
    """The targets whose results the shares are of."""
    failing: dict[str, float]
    """For each theme the share of the aspects that fail."""
    seconds: dict[str, dict[str, float]]
    """For each library, and each function, the wall time of one worker."""

    def cost(self, function: str, library: str = "") -> float:
        """Seconds; of a function that was not measured, what most functions take."""
        known = self.seconds.get(library) or self.seconds[self.usual]
        return known.get(function) or statistics.median(known.values())

    def risk(self, theme: str) -> float:
        """The share of a function's aspects that fails; of an unknown theme, the mean."""
        known = self.failing.get(theme)
        return statistics.mean(self.failing.values()) if known is None else known


@cache
def estimates() -> Estimates:
    """The table that comes with the suite."""
    return msgspec.toml.decode(TABLE.read_bytes(), type=Estimates)
