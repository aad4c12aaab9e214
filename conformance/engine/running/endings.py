"""When the trials of a function have ended the worker so often that the rest is skipped."""

from __future__ import annotations

from conformance.observations import Crashed, Fault, Outcome, TimedOut

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
