"""Modules that the worker of a mutated target imports, on its own Python (3.6 or later)."""
