"""The calls in the body of a loop, each of which is tried alone before the loop is.

A loop runs its body along with its bound (`bounds.bodies`): what is known there each time is kept,
so that a call of the body is given the numbers that it has in the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.editions import Edition
from conformance.fuzz.bounds.bodies import run_body, takes_state
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.bounds.special import special_answer
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.calls import Call, Special, calls_of
from conformance.fuzz.judging import NO_ANSWER, Question
from conformance.program import Function, Program, Ref, Step


@dataclass(slots=True)
class _Watched(Course):
    """A course that keeps what is known in each round of its loops."""

    rounds: list[Course] = field(default_factory=list)

    def copied(self) -> Course:
        """The same so far; the round that it is of is kept."""
        inner = Course.copied(self)
        self.rounds.append(inner)
        return inner


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The calls of a loop's body, as calls of a program, and what is known of each round."""

    question: Question
    calls: Sequence[Call | Special]
    rounds: Sequence[Course]


def body_of(question: Question, call: Call | Special, courses: Sequence[Course]) -> Body | None:
    """The body of a loop; None if the call is none, or what is in it is not known."""
    body = next(iter(_bodies(call)), None)
    if body is None or not isinstance(call, Special):
        return None
    steps = tuple(step for step in body.steps if not takes_state(body, step))
    program, edition = question.program, question.edition
    inside = Program(program.inputs, (*program.steps, *steps), program.outputs)
    rounds = [r for course in courses for r in _rounds(course, call, edition)]
    calls = list(calls_of(Program((), steps, ()), edition))
    whole = all(c.result in r.known for r in rounds for c in calls)
    return Body(replace(question, program=inside), calls, rounds) if rounds and whole else None


def _bodies(call: Call | Special) -> Iterator[Function]:
    step: Step | None = call.step if isinstance(call, Special) else None
    yield from (v for v in (step.args if step else ()) if isinstance(v, Function))


def _rounds(course: Course, call: Special, edition: Edition) -> Sequence[Course]:
    """What is known in each round of the loop."""
    before = course.copied()
    watched = _Watched(
        before.types,
        before.known,
        before.shown,
        before.planned,
        before.cuts,
        before.unjudged,
        before.phase,
        before.calls,
        before.sweeps,
    )
    try:
        special_answer(watched, call, edition)
        if not watched.rounds:
            _of_one_element(watched, call, edition)
    except NO_ANSWER:
        return []
    return watched.rounds


def _of_one_element(course: Course, call: Special, edition: Edition) -> None:
    """Run the body of `foldl` that is given one element alone, which computes nothing: a graph has
    the body all the same."""
    body, elements = call.step.args[:2]
    assert isinstance(body, Function)
    assert isinstance(elements, Ref)
    kind, known = course.types[elements.name], course.given(elements.name)
    first = Typed(kind.shape[1:], kind.dtypes), Known(known.value[0], known.reach[0])
    run_body(course, body, dict.fromkeys(body.parameters, first), [body.returns], edition)
