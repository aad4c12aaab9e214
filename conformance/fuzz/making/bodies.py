"""The bodies of loops, drawn with the numbers that they are given when they are run first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.making.growth import Growth
from conformance.fuzz.making.pool import Offered
from conformance.program import Function, Ref

MOST_IN_BODY = 3
"""The most calls of a loop's body."""
TAKEN, MOST_TAKEN = 0.5, 2
"""How often a body may take tensors from outside, and how many."""

Rows = tuple[Typed, Sequence[Sequence[Known]]]
"""The type of what a body is given, and its numbers in each draw, one for each time it is run."""


def elements(over: Offered, axis: int = 0) -> Rows:
    """What a loop is given that goes over an axis of a tensor."""
    shape = list(over.type.shape)
    count = shape.pop(axis)
    rows = [[_part(known, axis, place) for place in range(count)] for known in over.draws]
    return Typed(tuple(shape), over.type.dtypes), rows


def always(held: Offered, times: int) -> Rows:
    """What a loop is given that has the same tensor each time."""
    return held.type, [[known] * times for known in held.draws]


def _part(known: Known, axis: int, place: int) -> Known:
    return Known(np.take(known.value, place, axis), np.take(known.reach, place, axis))


class BodyGrowth(Growth):
    """The body of a loop: a program of its parameters, and now and then of tensors from outside."""

    adds_inputs = False

    def __init__(self, outer: Growth, parameters: Mapping[str, Rows]) -> None:
        super().__init__(outer.plan, outer.number, 0)
        self.random, self.rng, self.dtype = outer.random, outer.rng, outer.dtype
        self.prefix = f"{outer.name()}_b"
        given = {f"{outer.name()}_{name}": rows for name, rows in parameters.items()}
        self.parameters = [*given]
        times = len(next(iter(given.values()))[1][0])
        taken = {t.name: always(t, times) for t in self._taken(outer)}
        self.courses = _courses({**given, **taken})
        self.arrays = [{} for _ in self.courses]
        self.pool = [self._offered(name, 0) for name in (*taken, *given)]

    def _taken(self, outer: Growth) -> list[Offered]:
        if self.random.random() >= TAKEN:
            return []
        return self.random.sample(outer.pool, min(MOST_TAKEN, len(outer.pool)))

    def drawn(self) -> list[Offered] | None:
        """A few calls; their results, or None if they cannot be made."""
        known = {t.name for t in self.pool}
        for _ in range(self.random.randint(1, MOST_IN_BODY)):
            if not self.grow(must=False):
                return None
        return [t for t in self.pool if t.name not in known]

    def body(self, like: Typed | None = None) -> Function | None:
        """A callable of a few calls, the last of the type `like`; None if there is none."""
        made = self.drawn() or ()
        fitting = [
            t for t in made if t.type == like or (like is None and t.type.dtypes == (self.dtype,))
        ]
        return self.function(Ref(fitting[-1].name)) if fitting else None

    def function(self, returns: Ref) -> Function:
        """The callable that returns one of the results."""
        return Function(f"{self.prefix}ody", (*self.parameters,), (*self.steps,), returns)


def _courses(given: Mapping[str, Rows]) -> list[Course]:
    """What is known in each run of the body."""
    draws, times = (range(len(rows)) for rows in _first(given))
    found = []
    for draw in draws:
        for time in times:
            one = Course({}, {})
            for name, (kind, rows) in given.items():
                one.types[name], one.known[name] = kind, rows[draw][time]
            found.append(one)
    return found


def _first(given: Mapping[str, Rows]) -> tuple[Sequence[object], Sequence[object]]:
    rows = next(iter(given.values()))[1]
    return rows, rows[0]
