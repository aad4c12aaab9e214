"""The composed program with a number."""

from __future__ import annotations

from conformance.fuzz.making.growth import Composed, Plan
from conformance.fuzz.making.sessions import SessionGrowth
from conformance.fuzz.making.special import SpecialGrowth
from conformance.fuzz.making.twice import TwiceGrowth, TwiceSession, is_twice

EVERY = 4
"""One of so many programs compiles a function itself, and calls it again and again."""
TWICE = 7
"""In one of so many programs a place for a second derivative is looked for."""


def composed(plan: Plan, number: int) -> Composed:
    """The program with this number: the same for the same plan."""
    attempt = 0
    while True:
        found = _attempted(plan, number, attempt)
        if found is not None:
            return found
        attempt += 1


def is_composable(plan: Plan, attempts: int) -> bool:
    """Whether one of so many attempts makes the first program."""
    return any(_attempted(plan, 0, attempt) is not None for attempt in range(attempts))


def _attempted(plan: Plan, number: int, attempt: int) -> Composed | None:
    if number % TWICE == TWICE - 1:
        found = _twice(plan, number, attempt)
        if found is not None and is_twice(found.program):
            return found
    if number % EVERY == EVERY - 1:
        return SessionGrowth(plan, number, attempt).framed()
    return SpecialGrowth(plan, number, attempt).grown()


def _twice(plan: Plan, number: int, attempt: int) -> Composed | None:
    if number % EVERY == EVERY - 1:
        return TwiceSession(plan, number, attempt).framed()
    return TwiceGrowth(plan, number, attempt).grown()
