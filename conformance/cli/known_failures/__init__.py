"""Known failures: a TOML file that says which verdicts a run may have, and why.

`read` checks a file before anything is run, `cells` and `failing` say what a run found,
`uncovered` what of it is not expected, `stale` which entries nothing fails for, and `write`
makes the file from a run.
"""

from conformance.cli.known_failures.judged import JudgedCell
from conformance.cli.known_failures.judging import (
    cells,
    failing,
    follows,
    missing_functions,
    more_frequent,
    not_failing,
    not_sought,
    settled,
    stale,
    uncovered,
    without_function,
)
from conformance.cli.known_failures.model import (
    UNEXPLAINED,
    KnownFailure,
    KnownFailureTable,
)
from conformance.cli.known_failures.reading import read
from conformance.cli.known_failures.writing import updated, write

__all__ = [
    "UNEXPLAINED",
    "JudgedCell",
    "KnownFailure",
    "KnownFailureTable",
    "cells",
    "failing",
    "follows",
    "missing_functions",
    "more_frequent",
    "not_failing",
    "not_sought",
    "read",
    "settled",
    "stale",
    "uncovered",
    "updated",
    "without_function",
    "write",
]
