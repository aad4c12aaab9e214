"""Programs that compile functions and call them again and again, with variables that they update.

The suite evaluates the graph once for each call, with the fed numbers and learning phase. The
variables have their values at that time, each known within its reach. All updates of a call take
the values that the variables had before it (ko-2.2, `function`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.admissible import MOST, in_domains, is_ordinary, open_points
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.tensors import Array, Known, Typed, exactly
from conformance.fuzz.programs import calls_of, references
from conformance.oracle.rounding import arithmetic, ulp
from conformance.program import Program, Ref, Step
from conformance.specs.convention_names import ConventionName

AVERAGE = "moving_average_update"
UPDATES = ("update", "update_add", "update_sub", AVERAGE)
MADE = ("placeholder", "variable", "constant", "learning_phase")
CALL = "operator.call"
FRAME = (*MADE, *UPDATES, "function", CALL, "get_value")
"""The functions that a program has around its graph."""

Answer = tuple[Typed, Known]


def is_session(program: Program) -> bool:
    """Whether the program compiles functions itself."""
    return any(step.function == "function" for step in program.steps)


def graph(program: Program) -> Program:
    """The calls of the graph alone."""
    return Program((), tuple(s for s in program.steps if s.function not in FRAME), ())


def compiled_outputs(program: Program) -> list[str]:
    """The tensors that the function which the program compiles gives."""
    (function,) = (s for s in program.steps if s.function == "function")
    outputs = function.args[1]
    assert isinstance(outputs, list)
    return [_name(output) for output in outputs]


def open_order(program: Program) -> list[str]:
    """The conventions on the order of updates and reads that the program rests on.

    The documents do not say whether an output, or another update, takes the old or the new value of
    a variable that the same call updates. Nor do they say when a function reads its variables.
    """
    updates = [s for s in program.steps if s.function in UPDATES]
    changed = {_name(s.args[0]): s for s in updates}
    read = _sources(program, compiled_outputs(program))
    conventions = [ConventionName.OUTPUTS_BEFORE_UPDATES] if read & changed.keys() else []
    others = (
        _sources(program, [_name(s.args[1])]) & (changed.keys() - {name})
        for name, s in changed.items()
    )
    conventions += [ConventionName.SIMULTANEOUS_UPDATES] if any(others) else []
    own = (_sources(program, [_name(s.args[1])]) & {name} for name, s in changed.items())
    calls = sum(s.function == CALL for s in program.steps)
    again = calls > 1 and (read & changed.keys() or any(own))
    conventions += [ConventionName.READ_AT_CALL] if again else []
    conventions += [ConventionName.MOVING_AVERAGE] if _averages(updates) else []
    return [*map(str, conventions)]


def _averages(updates: Sequence[Step]) -> bool:
    return any(step.function == AVERAGE for step in updates)


def _sources(program: Program, names: Sequence[str]) -> set[str]:
    """All that these results are made of."""
    sources = set(names)
    for step in reversed(program.steps):
        if step.result in sources:
            sources |= set(references(step))
    return sources


@dataclass(slots=True)
class GraphSession:
    """A program that is run step by step, with the values of its variables and the results of each
    step."""

    program: Program
    arrays: Mapping[str, Array]
    edition: Edition
    held: dict[str, Answer] = field(default_factory=dict)
    """The values of variables and constants."""
    results: dict[str, list[Answer]] = field(default_factory=dict)
    """The result of each call, and of each look at a variable."""
    courses: list[Course] = field(default_factory=list)
    """One for each call."""

    def run(self) -> None:
        """Run all steps. ValueError and others: there is no answer."""
        steps = {step.result: step for step in self.program.steps}
        with np.errstate(all="ignore"):
            self._run(steps)

    def _run(self, steps: Mapping[str, Step]) -> None:
        for step in self.program.steps:
            if step.function in ("variable", "constant"):
                self.held[step.result] = self._input(step.args[0])
            elif step.function == CALL:
                self.results[step.result] = self._call(steps, step)
            elif step.function == "get_value":
                self.results[step.result] = [self.held[_name(step.args[0])]]

    def _input(self, value: Any) -> Answer:
        array = self.arrays[_name(value)]
        return Typed(array.shape, (array.dtype.name,)), exactly(array)

    def _call(self, steps: Mapping[str, Step], step: Step) -> list[Answer]:
        function = steps[_name(step.args[0])]
        inputs, outputs = function.args[0], function.args[1]
        updates = dict(function.kwargs).get("updates") or []
        fed = step.args[1]
        assert isinstance(inputs, list)
        assert isinstance(outputs, list)
        assert isinstance(fed, list)
        course = Course({}, {})
        for name, (kind, known) in self.held.items():
            course.types[name], course.known[name] = kind, known
        for target, value in zip(inputs, fed, strict=True):
            if steps[_name(target)].function == "learning_phase":
                course.phase = int(str(value))
            else:
                name = _name(target)
                course.types[name], course.known[name] = self._input(value)
        for call in calls_of(graph(self.program), self.edition):
            course.add(call, self.edition)
        self.courses.append(course)
        self._update([steps[_name(u)] for u in _members(updates)], course)
        return [(course.types[_name(o)], course.known[_name(o)]) for o in outputs]

    def _update(self, updates: Sequence[Step], course: Course) -> None:
        new = {}
        for step in updates:
            name, other = _name(step.args[0]), course.known[_name(step.args[1])]
            old = self.held[name][1]
            if old.value.shape != other.value.shape:
                raise ValueError("the value of a variable keeps its shape")
            new[name] = (self.held[name][0], _updated(step, old, other))
        self.held.update(new)


def _updated(step: Step, old: Known, new: Known) -> Known:
    if step.function == "update":
        return new
    if step.function == AVERAGE:
        momentum = float(str(step.args[2]))
        return _mixed((momentum, old), (1 - momentum, new), roundings=4)
    return _mixed((1, old), (1 if step.function == "update_add" else -1, new), roundings=1)


def _mixed(first: tuple[float, Known], other: tuple[float, Known], *, roundings: int) -> Known:
    """a x + b y. Factors, products, sums and differences are rounded, so many times in all. Each
    rounded number is at most |x| + |y|, widened by their reach."""
    (a, x), (b, y) = first, other
    exact = a * x.value.astype(np.longdouble) + b * y.value.astype(np.longdouble)
    value = exact.astype(x.value.dtype)
    model = arithmetic(value.dtype.name, False)
    if model is None:
        raise ValueError(f"no bound is proved of sums of {value.dtype}")
    reach = abs(a) * x.reach + abs(b) * y.reach
    size = np.abs(value) if roundings == 1 else np.abs(x.value) + np.abs(y.value)
    largest = size.astype(np.longdouble) + np.maximum(reach, x.reach + y.reach)
    rounding = ulp(largest, model) + model.smallest_normal
    return Known(value, np.asarray(reach + (roundings + 0.5) * rounding, np.float64))


def _members(value: Any) -> Iterator[Any]:
    yield from value


def _name(value: Any) -> str:
    assert isinstance(value, Ref)
    return value.name


def _drawn(program: Program) -> set[str]:
    """The fed tensors, and the variables and constants that keep their first values."""
    updated = {_name(step.args[0]) for step in program.steps if step.function in UPDATES}
    return {step.result for step in program.steps if step.function in MADE} - updated


def is_settled(session: GraphSession) -> bool:
    """Whether every call has an answer for which nothing is cut, of ordinary numbers.

    Raises:
        RuleError: a rule has no answer.
    """
    drawn = _drawn(session.program)
    for course in session.courses:
        if course.cuts or course.unjudged:
            return False
        for call in course.calls:
            if any(open_points(course, call, session.edition)) or not is_ordinary(course, call):
                return False
            if not in_domains(course, call, drawn):
                return False
    held = [known for _, known in session.held.values()]
    return all(bool((np.abs(k.value.astype(np.float64)) <= MOST).all()) for k in held)
