"""Coverage: what structures show of a function, and which of them to keep."""
