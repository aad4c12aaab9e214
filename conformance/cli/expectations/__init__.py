"""Known failures: a TOML file that says which verdicts a run may have, and why.

`read` checks a file before anything is run, `cells` and `failing` say what a run found,
`uncovered` what of it is not expected, `stale` which expectations nothing fails for, and `write`
makes the file from a run.
"""

from conformance.cli.expectations.judging import (
    cells,
    failing,
    idle,
    pointless,
    settled,
    stale,
    uncovered,
)
from conformance.cli.expectations.model import UNEXPLAINED, Cell, Entry, Expectation
from conformance.cli.expectations.reading import read
from conformance.cli.expectations.writing import updated, write

__all__ = [
    "UNEXPLAINED",
    "Cell",
    "Entry",
    "Expectation",
    "cells",
    "failing",
    "idle",
    "pointless",
    "read",
    "settled",
    "stale",
    "uncovered",
    "updated",
    "write",
]
