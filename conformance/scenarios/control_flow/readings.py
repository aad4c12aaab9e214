"""Readings of conventions about control flow: keywords with which an oracle computes them.

A *point* is a question that one convention leaves open. A check with open points accepts the
suite's own answer, and names the reading if the answer is that of another reading. Points that a
check does not test may have any reading: another check tests them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from conformance.program import Argument, Program, Step
from conformance.scenarios.checks import Test
from conformance.scenarios.model import Alternative, Problem, Values
from conformance.specs.convention_names import ConventionName


@dataclass(frozen=True, slots=True)
class OracleReading:
    """A reading of a convention, and the keyword that makes the oracle of a function compute it."""

    convention: ConventionName
    name: str
    function: str
    keyword: str
    value: Argument


Point = tuple[OracleReading, ...]
"""The readings of one convention besides the suite's own."""
Chosen = tuple[OracleReading, ...]
"""One reading of each of some conventions; the suite's own of all others."""

MASKED_STEPS: Point = tuple(
    OracleReading(ConventionName.MASKED_STEPS, name, "rnn", "masked", name)
    for name in ("first state", "computed", "zeros")
)
CONSTANTS: Point = (
    OracleReading(
        ConventionName.CONSTANTS_AFTER_STATES, "before states", "rnn", "constants_first", True
    ),
)
ORDER: Point = (
    OracleReading(ConventionName.BACKWARDS_ORDER, "order of time", "rnn", "in_time", True),
)
CONDITION_RANK: Point = (
    OracleReading(ConventionName.CONDITION_RANK, "last axes", "switch", "trailing", True),
)
NONZERO: Point = tuple(
    OracleReading(ConventionName.NONZERO_CONDITION, name, "switch", "true", name)
    for name in ("positive", "one")
)


class OpenPoints(NamedTuple):
    """The points that conventions leave open in the answer of a check."""

    named: tuple[Point, ...] = ()
    """The check names the reading of the answer."""
    aside: tuple[Point, ...] = ()
    """Other checks tell it: this one takes any reading."""


SETTLED = OpenPoints()


def read_as(program: Program, chosen: Chosen) -> Program:
    """The program as the oracle is to evaluate it under some readings."""
    steps = tuple(_read_step(step, chosen) for step in program.steps)
    return replace(program, steps=steps)


def _read_step(step: Step, chosen: Chosen) -> Step:
    more = tuple((r.keyword, r.value) for r in chosen if r.function == step.function)
    return replace(step, kwargs=(*step.kwargs, *more)) if more else step


def accepting(test: Callable[[Chosen], Test], points: OpenPoints) -> Test:
    """The test of the suite's own answer, whatever the readings that other checks tell."""
    return _any([_read(test, chosen) for chosen in _combinations(points.aside)])


def alternatives(test: Callable[[Chosen], Test], points: OpenPoints) -> tuple[Alternative, ...]:
    """The other answers that a check allows; `test` makes the test of an answer from its readings.

    Where several readings are taken the first names the answer.
    """
    named = sorted(filter(None, _combinations(points.named)), key=len)
    return tuple(
        Alternative(
            chosen[0].convention,
            chosen[0].name,
            _any([_read(test, (*chosen, *others)) for others in _combinations(points.aside)]),
        )
        for chosen in named
    )


def _combinations(points: Sequence[Point]) -> Iterator[Chosen]:
    """The suite's own reading of each point, or one of the others; first, all its own."""
    for combination in product(*((None, *point) for point in points)):
        yield tuple(reading for reading in combination if reading is not None)


def _read(test: Callable[[Chosen], Test], chosen: Chosen) -> Test:
    """The test under some readings; a call for which they mean nothing has no such answer."""

    def read(*outputs: Values) -> Problem | None:
        try:
            return test(chosen)(*outputs)
        except ValueError as error:
            return Problem(f"has no such reading: {error}", "no reading")

    return read if chosen else test(chosen)


def _any(tests: Sequence[Test]) -> Test:
    """One of the tests is passed; the problem is that of the first."""

    def test(*outputs: Values) -> Problem | None:
        problem = tests[0](*outputs)
        if problem is None or any(other(*outputs) is None for other in tests[1:]):
            return None
        return problem

    return test
