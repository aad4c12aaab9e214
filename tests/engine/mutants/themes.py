"""The modules that describe mutants."""

from __future__ import annotations

from importlib import import_module

THEMES = (
    "convolution",
    "layers",
    "control",
    "ctc",
    "chance",
    "state",
    "settings",
    "values",
    "promises",
    "users",
)


def load() -> None:
    """Import them all, so that `kit.MUTANTS` is complete."""
    for theme in THEMES:
        import_module(f"tests.engine.mutants.{theme}")
