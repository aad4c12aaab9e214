"""What a target answered to a composed program, held against what is known of its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.editions import Edition
from conformance.engine.judging.messages import without_stack
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.running import Course, course
from conformance.fuzz.bounds.sessions import Session, is_session
from conformance.fuzz.bounds.types import Typed
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
"""Characters of what an exception says."""
NUMBERS = ("bool", "int", "float")
"""Types of Python's numbers, which have no dtype: that `function` returns one is its own failure,
which `conformance run` is there to find."""
NO_ANSWER = (ValueError, IndexError, KeyError, RuleError, ArithmeticError, TypeError)
"""What the oracle raises of numbers for which it has no answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One way in which an answer differs from what is proved; `output` is empty if there is none.

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
    """What the target was doing when it raised."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """All differences of one answer, and how much was compared."""

    differences: Sequence[Difference]
    compared: int
    """Outputs that were compared, of all draws."""
    unjudged: int
    """Outputs of which nothing is known even by the target's own numbers."""
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
    """What is known of the tensors in each draw, if that was found already."""

    @property
    def batch(self) -> Batch:
        """What is sent to a worker: the program, which shows where it is cut, too."""
        shown = tuple(n for n in sorted(self.cuts) if n not in self.program.outputs)
        program = replace(self.program, outputs=(*self.program.outputs, *shown))
        names = [i.name for i in program.inputs]
        stacked = {n: np.stack([a[n] for a in self.arrays]) for n in names}
        return Batch(program, stacked, len(self.arrays))


def judged(question: Question, observed: StructureObservation) -> Judged:
    """The differences of an answer."""
    differences: list[Difference] = []
    lost: list[float] = []
    compared = unjudged = 0
    ran = False
    for draw, observation in enumerate(observed.draws):
        outcome = observation.outcome
        if isinstance(outcome, NotRun):
            continue
        ran = True
        if not isinstance(outcome, Returned):
            differences.append(_fault(outcome, draw))
            continue
        if is_session(question.program):
            several, count, more = _of_session(question, draw, outcome)
            differences += several
            compared += count
            lost += more
            continue
        try:
            found = _course(question, draw, outcome)
        except NO_ANSWER:  # to the target's own numbers
            unjudged += len(outcome.values)
            continue
        for name in outcome.values:
            if name in found.unjudged or name not in found.known:
                unjudged += 1
                continue
            compared += 1
            lost += _lost(found.known[name])
            differences += differing(found, name, draw, outcome.values[name])
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
    """What an exception says, without stacks, addresses and folders of this machine, cut."""
    return " ".join(without_stack(message).split())[:MOST]


def _fault(outcome: Raised | Crashed | TimedOut | Garbled, draw: int) -> Difference:
    if isinstance(outcome, Raised):
        says = f"raises {outcome.type} ({outcome.stage}): {in_one_line(outcome.message)}"
        return Difference("exception", "", draw, says, step=outcome.step, stage=outcome.stage)
    if isinstance(outcome, TimedOut):
        return Difference("time-out", "", draw, f"gives no answer within {outcome.limit:g} s")
    return Difference("crash", "", draw, "ends the process")


def _lost(known: Known) -> list[float]:
    """The share of the digits of the largest element that the bound leaves open."""
    if known.value.dtype.kind != "f" or not known.value.size or not known.scale:
        return []
    eps = float(np.finfo(known.value.dtype).eps)
    worst = max(float(known.reach.max()) / known.scale, eps)
    return [1 - float(np.log(worst) / np.log(eps))]


def differing(found: Course, name: str, draw: int, values: Sequence[Value]) -> Iterator[Difference]:
    """How an answer differs from what is known of a tensor."""
    yield from _of_value((found.types[name], found.known[name]), name, draw, values)


def _of_value(
    wanted: tuple[Typed, Known], name: str, draw: int, values: Sequence[Value]
) -> Iterator[Difference]:
    kind, known = wanted
    got = _array(values)
    if got is None:
        yield Difference("no array", name, draw, "is no array of numbers", known)
        return
    if got.shape != known.value.shape:
        says = f"has shape {got.shape}, not {known.value.shape}"
        yield Difference("shape", name, draw, says, known, got)
        return
    if got.dtype.name not in kind.dtypes and values[0].python_type not in NUMBERS:
        says = f"has dtype {got.dtype}, not {' or '.join(kind.dtypes)}"
        yield Difference("dtype", name, draw, says, known, got, dtypes=kind.dtypes)
    if values[0].python_type in NUMBERS:
        got = got.astype(known.value.dtype)
    if not agrees(got, _expectation(known)).all():
        yield Difference("value", name, draw, "is beyond what is proved", known, got)


def _of_session(
    question: Question, draw: int, outcome: Returned
) -> tuple[list[Difference], int, list[float]]:
    """The differences of a program that compiles functions, how many results were compared, and
    what their bounds leave open."""
    session = Session(question.program, question.arrays[draw], question.edition)
    session.run()
    differences: list[Difference] = []
    compared, lost = 0, list[float]()
    for name, values in outcome.values.items():
        wanted = session.results[name]
        if len(values) != len(wanted):
            says = f"gives {len(values)} arrays, not {len(wanted)}"
            differences.append(Difference("count", name, draw, says))
            continue
        for place, (answer, value) in enumerate(zip(wanted, values, strict=True)):
            compared += 1
            lost += _lost(answer[1])
            found = _of_value(answer, name, draw, [value])
            differences += [replace(d, place=place) for d in found]
    return differences, compared, lost


def _expectation(known: Known) -> Expectation:
    value = known.value
    if value.dtype.kind == "f":
        return Expectation(value.astype(np.float64), known.reach, value.dtype.name)
    wide = value if value.dtype.kind == "b" else value.astype(np.int64)
    return Expectation(wide, known.reach, value.dtype.name)
