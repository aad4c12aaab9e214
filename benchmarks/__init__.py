"""Measurements of the suite; nothing here is tested by time."""
