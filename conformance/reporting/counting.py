"""A number and what is counted, as English has it."""

from __future__ import annotations


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 case`, `2 cases`; `several` is the plural of a noun that takes no s."""
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"
