"""The tables of benchmarks, printed."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

WIDTH = 110
"""Columns where no terminal says how many there are: as many as no figure is cut for."""


def printed(table: Table) -> None:
    """Print a table."""
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)
