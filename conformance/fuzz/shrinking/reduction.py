"""The search for the smallest program that fails in the same way.

See the package's docstring for the method.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.engine.verdicts.symptoms import wrongness
from conformance.fuzz.bounds.admissible import in_domains, is_ordinary, open_points
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.sessions import GraphSession, graph, is_session, is_settled
from conformance.fuzz.bounds.static_shapes import fits, has_unknown, initial_shapes, static_shapes
from conformance.fuzz.bounds.tensors import Typed
from conformance.fuzz.judging import NO_ANSWER, Mismatch, Question, judged
from conformance.fuzz.programs import calls_of, without
from conformance.fuzz.shrinking import candidates, session_candidates
from conformance.program import Binding, Input, Program, Ref, Step

Array = npt.NDArray[Any]
Candidates = Callable[[Question], Iterator[Question]]
SECONDS = 60.0
"""How long a program is made smaller, at most."""
TESTS = 300
"""How many programs are tried, at most."""


@dataclass(slots=True)
class Reduction:
    """A search for the smallest program that still fails as the first one, of one draw, does."""

    worker: Worker
    question: Question
    difference: Mismatch
    tests: int = 0
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    tried: set[tuple[object, ...]] = field(default_factory=set)
    """The programs, with their numbers, that were tried: several passes make the same ones."""

    def run(self) -> None:
        """Make it smaller until nothing helps, or the time is over."""
        framed = is_session(self.question.program)
        of_calls = session_candidates.OF_CALLS if framed else self._of_calls()
        of_numbers = (candidates.simpler_numbers,) if framed else candidates.OF_NUMBERS
        changed = True
        while changed and not self._over():
            passes = [self._pass(make) for make in of_calls]
            changed = any(passes)
        for make in of_numbers:
            while self._pass(make) and not self._over():
                pass

    def _of_calls(self) -> Sequence[Candidates]:
        """The ways to fewer calls; a plain call takes the place of others where it is right."""
        plain = Step("y", candidates.PLAIN, (Ref("x"),))
        x = Input("x", (3,), "float32", Binding.PLACEHOLDER)
        numbers = {"x": np.array([-1.5, 0.25, 2], "float32")}
        alone = replace(
            self.question, program=Program((x,), (plain,), ("y",)), arrays=[numbers], courses=()
        )
        alone = replace(alone, cuts=frozenset())
        right = not judged(alone, self.worker.run_batch(alone.batch)).differences
        return [c for c in candidates.OF_CALLS if right or c is not candidates.plainer]

    def _over(self) -> bool:
        return self.tests >= TESTS or time.monotonic() > self.until

    def _pass(self, make: Candidates) -> bool:
        """Take the first candidate that fails, again and again; whether there was one."""
        smaller = False
        while not self._over():
            if not any(self._fails(c) for c in make(self.question) if not self._over()):
                return smaller
            smaller = True
        return smaller

    def _fails(self, candidate: Question) -> bool:
        """Whether the candidate fails in the same way; then it is kept."""
        key = _key(candidate)
        if key in self.tried:
            return False
        self.tried.add(key)
        try:
            with np.errstate(all="ignore"):
                settled = planned(candidate)
            self.tests += 1
            answer = judged(settled, self.worker.run_batch(settled.batch))
        except NO_ANSWER:
            return False
        same = [d for d in answer.differences if shows(d, self.difference)]
        if not same:
            return False
        self.question, self.difference = settled, same[0]
        return True


def _key(question: Question) -> tuple[object, ...]:
    """The same for questions with equal answers."""
    numbers = (a.tobytes() for arrays in question.arrays for a in arrays.values())
    return repr(question.program), *numbers


def alike(first: Mismatch, other: Mismatch) -> bool:
    """Whether two differences are of the same sort."""
    if first.kind != other.kind:
        return False
    return first.kind != "exception" or first.says.split(":")[0] == other.says.split(":")[0]


def shows(smaller: Mismatch, first: Mismatch) -> bool:
    """Whether the difference of a smaller program is wrong in a manner of the first one: NaN does
    not take the place of another number."""
    return alike(smaller, first) and _manners(smaller) <= _manners(first)


def _manners(difference: Mismatch) -> frozenset[str]:
    if difference.got is None or difference.expected is None:
        return frozenset()
    manners, _ = wrongness(difference.got, difference.expected.value)
    return manners


def planned(question: Question, allowed: frozenset[str] = frozenset()) -> Question:
    """The question with the cuts that its numbers ask for.

    Raises:
        ValueError: it has no answer, or rests on conventions besides the `allowed` ones.
    """
    question = replace(question, courses=())
    if is_session(question.program):
        session = GraphSession(question.program, question.arrays[0], question.edition)
        session.run()
        if not is_settled(session):
            raise ValueError("no document settles this")
        _knows_enough(question, session.courses[0])
        return question
    courses = [_settled(question, arrays, allowed) for arrays in question.arrays]
    _knows_enough(question, courses[0])
    return replace(question, cuts=frozenset(n for c in courses for n in c.cuts))


def _knows_enough(question: Question, course: Course) -> None:
    """ValueError: a call lacks a dimension that must be known when the graph is built."""
    program = question.program
    if has_unknown(program):
        known = static_shapes(initial_shapes(program, course.types), course.calls, course.types)
        if not fits(known, course.calls):
            raise ValueError("a kernel or a number of channels is not known")


def rest(question: Question, function: str) -> Question | None:
    """The rest of a program without a function; None if the rest is not a composition any more."""
    program, edition = question.program, question.edition
    calls = calls_of(graph(program), edition)
    dropped = {c.result for c in calls if c.spec.name == function}
    dropped |= {step.result for step in program.steps if step.function == function}
    left = without(program, dropped)
    several = len(list(calls_of(graph(left), edition))) > 1
    if not left.outputs or not several or left == program:
        return None
    try:
        with np.errstate(all="ignore"):
            return planned(candidates.with_inputs(question, left))
    except NO_ANSWER:
        return None


def _settled(question: Question, arrays: Mapping[str, Array], allowed: frozenset[str]) -> Course:
    program = question.program
    course = Course({}, {})
    course.begin({i.name: Typed(i.shape, (i.dtype,)) for i in program.inputs}, arrays)
    drawn = {i.name for i in program.inputs}
    for call in calls_of(program, question.edition):
        if not allowed.issuperset(open_points(course, call, question.edition)):
            raise ValueError("no document settles this")
        if not in_domains(course, call, drawn):
            raise ValueError("a function is not defined for this")
        course.add(call, question.edition)
        if not is_ordinary(course, call):
            raise ValueError("it leaves the numbers of which the documents speak")
    return course
