"""Known failures: a TOML file that says which verdicts a run may have, and why.

`read` checks a file before a run. `cells` and `failing` are the results and the failures of the
run, `uncovered` the unexpected failures, and `stale` the entries without a failure. `write` makes
the file from a run.
"""

from conformance.cli.known_failures.judgement import (
    about,
    by_aspect,
    cells,
    failing,
    follows,
    missing_functions,
    more_frequent,
    new_refusals,
    not_failing,
    not_sought,
    settled,
    stale,
    uncovered,
    without_function,
)
from conformance.cli.known_failures.model import (
    UNEXPLAINED,
    JudgedCell,
    KnownFailure,
    KnownFailureTable,
)
from conformance.cli.known_failures.reader import read, text_of
from conformance.cli.known_failures.writer import updated, write

__all__ = [
    "UNEXPLAINED",
    "JudgedCell",
    "KnownFailure",
    "KnownFailureTable",
    "about",
    "by_aspect",
    "cells",
    "failing",
    "follows",
    "missing_functions",
    "more_frequent",
    "new_refusals",
    "not_failing",
    "not_sought",
    "read",
    "settled",
    "stale",
    "text_of",
    "uncovered",
    "updated",
    "without_function",
    "write",
]
