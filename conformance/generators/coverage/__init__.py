"""Coverage: what structures show of a function, and which of them to keep."""

from conformance.generators.coverage.selection import select, select_settled

__all__ = ["select", "select_settled"]
