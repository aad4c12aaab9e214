"""Workers that end: why one was replaced, and when the rest of a function is skipped for it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.engine.judging.judge import fault_name
from conformance.observations import Crashed, Fault, Outcome, StructureObservation, TimedOut

MOST_FATAL = 8
"""Once trials of a function of this weight have ended the worker, skip the rest."""
_SLOW = 4
"""A trial that hangs, or fills the memory up to its limit, takes minutes each time it is run, where
another one takes a start of the worker: it weighs as much as so many."""


def weight(outcome: Outcome) -> int:
    """How much an outcome weighs: nothing unless it ended the worker."""
    if isinstance(outcome, TimedOut) or (isinstance(outcome, Crashed) and outcome.limit):
        return _SLOW
    return int(isinstance(outcome, Fault))


def why_restarted(observed: StructureObservation) -> Iterator[str]:
    """Why the worker was replaced after an observation, in a few words; nothing if it was not."""
    yield from (fault_name(fault) for fault in observed.incidents[:1])
    if observed.renewed:
        yield f"it cannot undo {', '.join(observed.renewed)}"
