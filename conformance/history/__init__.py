"""The history of a target: its verdicts over many releases of one package.

`records` are the files, one for each release. `promises` says which failures break a sentence of
their release. `spans` joins the releases: since when a cell fails, and when it was fixed. `search`
tests as few releases as possible.
"""

from conformance.history.promises import Basis, Promises, promised
from conformance.history.records import (
    SCHEMA,
    PastFailure,
    PastRun,
    encode,
    encode_schema,
    past_failures,
)
from conformance.history.spans import CellChange, CellHistory, State, cell_histories, changes, state

__all__ = [
    "SCHEMA",
    "Basis",
    "CellChange",
    "CellHistory",
    "PastFailure",
    "PastRun",
    "Promises",
    "ReleaseChange",
    "State",
    "cell_histories",
    "changes",
    "encode",
    "encode_schema",
    "past_failures",
    "promised",
    "state",
]
