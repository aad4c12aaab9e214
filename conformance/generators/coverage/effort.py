"""How much is drawn to find what exists of a function."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of draws."""

    first: int
    """Free draws before the first structure is kept."""
    free: int
    """Free draws in each round."""
    steered: int
    """Draws towards what is missing in each round."""
    least: int
    """Free draws in all, however few rounds there are."""
    tries: int
    """Draws towards each pair that no draw has shown."""
