"""What functions are expected to cost, and which of them to fail: measured, in `estimates.toml`.

`python benchmarks/estimates.py` makes the table anew.
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

    measured: str
    """On what the seconds were measured."""
    published: list[str]
    """The targets whose results the shares are of."""
    failing: dict[str, float]
    """For each theme the share of the aspects that fail."""
    seconds: dict[str, float]
    """For each function the wall time of one worker."""

    def cost(self, function: str) -> float:
        """Seconds; of a function that was not measured, what most functions take."""
        return self.seconds.get(function) or statistics.median(self.seconds.values())

    def risk(self, theme: str) -> float:
        """The share of a function's aspects that fails; of an unknown theme, the mean."""
        known = self.failing.get(theme)
        return statistics.mean(self.failing.values()) if known is None else known


@cache
def estimates() -> Estimates:
    """The table that comes with the suite."""
    return msgspec.toml.decode(TABLE.read_bytes(), type=Estimates)
