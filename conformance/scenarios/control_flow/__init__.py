"""Scenarios of functions that take callables, such as conditions and loops."""
