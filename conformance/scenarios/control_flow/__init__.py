"""Scenarios of functions that take callables: conditions, loops, and what they pass on."""
