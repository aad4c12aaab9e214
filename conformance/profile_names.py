"""The names of the profiles: help names them without making any."""

PROFILE_NAMES = ("smoke", "default", "thorough")
"""From the fewest cases to the most; `engine.PROFILES` says what is tried."""
