"""A target's answer to a composed program, compared with the knowledge of its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.editions import Edition
from conformance.engine.judging.messages import without_stack
from conformance.fuzz.bounds.course import Course, course
from conformance.fuzz.bounds.sessions import GraphSession, is_session
from conformance.fuzz.bounds.tensors import Known, Typed
from conformance.fuzz.programs import Way, in_a_way
from conformance.observations import (
    Batch,
    Crashed,
    Garbled,
    NotRun,
    Raised,
    Returned,
    StructureObservation,
    TimedOut,
    Value,
)
from conformance.oracle import Expectation, agrees
from conformance.program import Program
from conformance.specs.rules import RuleError

Array = npt.NDArray[Any]


MOST = 300
"""Characters of an exception's message."""
NUMBERS = ("bool", "int", "float")
"""Types of Python's numbers, which have no dtype: that `function` returns one is its own failure,
which `conformance run` is there to find."""
NO_ANSWER = (ValueError, IndexError, KeyError, RuleError, ArithmeticError, TypeError)
"""The exceptions of the oracle for numbers for which it has no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Mismatch:
    """One way in which an answer differs from the proof; `output` is empty if there is none.

    `kind` is `value`, `shape`, `dtype`, `no array`, `exception`, `crash` or `time-out`.
    """

    kind: str
    output: str
    draw: int
    says: str
    expected: Known | None = None
    got: Array | None = None
    place: int | None = None
    """Which of several arrays of the output it is."""
    dtypes: Sequence[str] = ()
    """Those that it may have, where it has another one."""
    step: int | None = None
    """Which step of the program raised, if it was one."""
    stage: str = ""
    """The target's stage when it raised."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """All differences of one answer, and how much was compared."""

    differences: Sequence[Mismatch]
    compared: int
    """Outputs that were compared, of all draws."""
    unjudged: int
    """Outputs without an expected value, even from the target's own numbers."""
    lost: Sequence[float]
    """For each floating output the share of its digits that the bound leaves open."""
    ran: bool = True
    """False if nothing was run, because the worker had failed too often."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A program with its numbers, and the tensors at which it is cut."""

    program: Program
    arrays: Sequence[Mapping[str, Array]]
    edition: Edition
    cuts: frozenset[str] = frozenset()
    courses: Sequence[Course] = ()
    """The course of the program in each draw, if it was computed already."""
    way: Way | None = None
    """The way to run the program, if it does not state one itself."""

    @property
    def batch(self) -> Batch:
        """The batch for a worker: the program, which also shows the tensors where it is cut."""
        shown = tuple(n for n in sorted(self.cuts) if n not in self.program.outputs)
        program = self.asked(shown)
        names = [i.name for i in program.inputs]
        stacked = {n: np.stack([a[n] for a in self.arrays]) for n in names}
        return Batch(program, stacked, len(self.arrays))

    def asked(self, shown: Sequence[str] = ()) -> Program:
        """The program as the target runs it; it also shows these tensors."""
        whole = replace(self.program, outputs=(*self.program.outputs, *shown))
        return in_a_way(whole, self.way)


def judged(question: Question, observed: StructureObservation) -> Judged:
    """The differences of an answer."""
    differences: list[Mismatch] = []
    lost: list[float] = []
    compared = unjudged = 0
    ran = False
    for draw, observation in enumerate(observed.draws):
        outcome = observation.outcome
        if isinstance(outcome, NotRun):
            continue
        ran = True
        if not isinstance(outcome, Returned):
            fault = _fault(outcome, draw)
            compiled = question.way is Way.COMPILED  # its steps are within the first one
            differences.append(replace(fault, step=None) if compiled else fault)
            continue
        if is_session(question.program):
            several, count, more = _of_session(question, draw, outcome)
            differences += several
            compared += count
            lost += more
            continue
        try:
            right = _course(question, draw, outcome)
        except NO_ANSWER:  # to the target's own numbers
            unjudged += len(outcome.values)
            continue
        for name in outcome.values:
            if name in right.unjudged or name not in right.known:
                unjudged += 1
                continue
            compared += 1
            lost += _lost(right.known[name])
            differences += differing(right, name, draw, outcome.values[name])
    return Judged(differences, compared, unjudged, lost, ran)


def _course(question: Question, draw: int, outcome: Returned) -> Course:
    """The course of the program, by the target's own numbers where it is cut."""
    arrays = question.arrays[draw]
    shown = {n: _array(outcome.values.get(n, ())) for n in question.cuts if n in outcome.values}
    if question.courses:
        right = question.courses[draw]
    else:
        right = course(question.program, arrays, question.edition)
    usable = {n: a for n, a in shown.items() if a is not None and _is_like(a, right.known[n])}
    with np.errstate(all="ignore"):
        return course(question.program, arrays, question.edition, usable) if usable else right


def _is_like(array: Array, known: Known) -> bool:
    """Whether numbers that a target has shown can be gone on with."""
    plain = array.shape == known.value.shape and array.dtype.kind in "fiub"
    return plain and bool(np.isfinite(array).all())


def _array(values: Sequence[Value]) -> Array | None:
    return values[0].array if len(values) == 1 else None


def in_one_line(message: str) -> str:
    """The message of an exception, without stacks, addresses and folders of this machine, cut."""
    return " ".join(without_stack(message).split())[:MOST]


def _fault(outcome: Raised | Crashed | TimedOut | Garbled, draw: int) -> Mismatch:
    if isinstance(outcome, Raised):
        says = f"raises {outcome.type} ({outcome.stage}): {in_one_line(outcome.message)}"
        return Mismatch("exception", "", draw, says, step=outcome.step, stage=outcome.stage)
    if isinstance(outcome, TimedOut):
        return Mismatch("time-out", "", draw, f"gives no answer within {outcome.limit:g} s")
    return Mismatch("crash", "", draw, "ends the process")


def _lost(known: Known) -> list[float]:
    """The share of the digits of the largest element that the bound leaves open."""
    if known.value.dtype.kind != "f" or not known.value.size or not known.scale:
        return []
    eps = float(np.finfo(known.value.dtype).eps)
    worst = max(float(known.reach.max()) / known.scale, eps)
    return [1 - float(np.log(worst) / np.log(eps))]


def differing(right: Course, name: str, draw: int, values: Sequence[Value]) -> Iterator[Mismatch]:
    """The differences between an answer and the knowledge of a tensor."""
    yield from _of_value((right.types[name], right.known[name]), name, draw, values)


def _of_value(
    expected: tuple[Typed, Known], name: str, draw: int, values: Sequence[Value]
) -> Iterator[Mismatch]:
    kind, known = expected
    got = _array(values)
    if got is None:
        yield Mismatch("no array", name, draw, "is not an array of numbers", known)
        return
    if got.shape != known.value.shape:
        says = f"has shape {got.shape}, not {known.value.shape}"
        yield Mismatch("shape", name, draw, says, known, got)
        return
    if got.dtype.name not in kind.dtypes and values[0].python_type not in NUMBERS:
        says = f"has dtype {got.dtype}, not {' or '.join(kind.dtypes)}"
        yield Mismatch("dtype", name, draw, says, known, got, dtypes=kind.dtypes)
    if values[0].python_type in NUMBERS:
        got = got.astype(known.value.dtype)
    if not agrees(got, _expectation(known)).all():
        yield Mismatch("value", name, draw, "is beyond what is proved", known, got)


def _of_session(
    question: Question, draw: int, outcome: Returned
) -> tuple[list[Mismatch], int, list[float]]:
    """The differences of a program that compiles functions, how many results were compared, and
    what their bounds leave open."""
    session = GraphSession(question.program, question.arrays[draw], question.edition)
    session.run()
    differences: list[Mismatch] = []
    compared, lost = 0, list[float]()
    for name, values in outcome.values.items():
        answers = session.results[name]
        if len(values) != len(answers):
            says = f"gives {len(values)} arrays, not {len(answers)}"
            differences.append(Mismatch("count", name, draw, says))
            continue
        for place, (answer, value) in enumerate(zip(answers, values, strict=True)):
            compared += 1
            lost += _lost(answer[1])
            mismatches = _of_value(answer, name, draw, [value])
            differences += [replace(d, place=place) for d in mismatches]
    return differences, compared, lost


def _expectation(known: Known) -> Expectation:
    value = known.value
    if value.dtype.kind == "f":
        return Expectation(value.astype(np.float64), known.reach, value.dtype.name)
    wide = value if value.dtype.kind == "b" else value.astype(np.int64)
    return Expectation(wide, known.reach, value.dtype.name)
