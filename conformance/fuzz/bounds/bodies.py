"""The bodies of loops: programs inside a program, which run along with their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.domains import in_domains
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.settled import Answered, is_ordinary, open_points
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.calls import MEMBER, Call, Special, calls_of
from conformance.program import Argument, Function, Program, Ref, Step

Answer = tuple[Typed, Known]


class Course(Answered, Protocol):
    """What `running.Course` has of a program."""

    cuts: dict[str, str]
    phase: int | None
    calls: list[Call | Special]
    sweeps: dict[str, Any]
    """What each tensor contributes to a loss, by the name of the loss."""

    def add(self, call: Call | Special, edition: Edition) -> None:
        """Answer one call more."""

    def given(self, name: str) -> Known:
        """What is passed on of a tensor."""

    def copied(self) -> Course:
        """The same so far."""


def states_of(body: Function) -> list[str]:
    """The names that the body of `rnn` has for the states that it is given."""
    return [step.result for step in body.steps if takes_state(body, step)]


def takes_state(body: Function, step: Step) -> bool:
    """Whether the step takes one of the states that the body is given."""
    return step.function == MEMBER and step.args[0] == Ref(body.parameters[-1])


def run_body(
    course: Course,
    body: Function,
    given: Mapping[str, Answer],
    wanted: Sequence[Argument],
    edition: Edition,
) -> list[Answer]:
    """What is known of the `wanted` results of the body for what it is `given`.

    ValueError: no document settles what it computes.
    """
    inner = course.copied()
    before = set(course.cuts)
    for name, (kind, known) in given.items():
        inner.types[name], inner.known[name] = kind, known
        inner.cuts.pop(name, None)
    steps = tuple(step for step in body.steps if not takes_state(body, step))
    for inside in calls_of(Program((), steps, ()), edition):
        inner.types.pop(inside.result, None)
        inner.cuts.pop(inside.result, None)
        _add(inner, inside, edition)
    lost = bool(inner.unjudged - course.unjudged or inner.cuts.keys() - before)
    return [_result(inner, value, lost=lost) for value in wanted]


def _add(inner: Course, call: Call | Special, edition: Edition) -> None:
    if any(open_points(inner, call, edition)):
        raise ValueError("no document settles what the body computes")
    if not in_domains(inner, call):
        raise ValueError("the body is given numbers for which a function is not defined")
    inner.add(call, edition)
    if not is_ordinary(inner, call):
        raise ValueError("the body leaves the numbers of which the documents speak")


def _result(inner: Course, value: Argument, *, lost: bool) -> Answer:
    """What is known of one result: nothing if the body would have to be cut, because what it makes
    cannot be observed."""
    assert isinstance(value, Ref)
    kind, found = inner.types[value.name], inner.known[value.name]
    if not lost:
        return kind, found
    return kind, Known(found.value, np.full(found.value.shape, np.inf))
