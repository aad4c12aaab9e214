"""Whether an update of a failing program fails by itself.

Each update is made alone: of the variable as it was at the beginning, by the right numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.adapters.session import Session as Worker
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.bounds.sessions import CALL, UPDATES
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.single_steps import Blame
from conformance.program import Argument, Binding, Input, Program, Ref, Step


def blamed_update(worker: Worker, question: Question, first: Course) -> Blame | None:
    """The first update that fails by itself; None if none does. WorkerStartError."""
    for step in question.program.steps:
        if step.function not in UPDATES:
            continue
        one = alone(question, first, step)
        for difference in judged(one, worker.run_batch(one.batch)).differences:
            return Blame(step.function, difference, one)
    return None


def alone(question: Question, first: Course, step: Step) -> Question:
    """The update in a program of its own, which makes it once and looks at the variable."""
    variable, new = step.args[:2]
    assert isinstance(variable, Ref)
    assert isinstance(new, Ref)
    arrays = {
        "old": question.arrays[0][_start(question.program, variable.name)],
        "new": first.known[new.name].value,
    }
    inputs = tuple(Input(n, a.shape, a.dtype.name, Binding.ARRAY) for n, a in arrays.items())
    steps = tuple(_steps(inputs, replace(step, result="u", args=_among(step))))
    program = Program(inputs, steps, ("after",))
    return replace(question, program=program, arrays=[arrays], cuts=frozenset(), courses=())


def _start(program: Program, variable: str) -> str:
    """The input that a variable is made of."""
    (made,) = (s for s in program.steps if s.result == variable)
    start = made.args[0]
    assert isinstance(start, Ref)
    return start.name


def _among(step: Step) -> tuple[Argument, ...]:
    return (Ref("v"), Ref("x"), *step.args[2:])


def _steps(inputs: tuple[Input, ...], update: Step) -> Iterator[Step]:
    old, new = inputs
    yield Step("v", "variable", (Ref("old"),), (("dtype", old.dtype),))
    yield Step("x", "placeholder", (), (("shape", new.shape), ("dtype", new.dtype)))
    yield Step("y", "square", (Ref("x"),))
    yield update
    yield Step("f", "function", ([Ref("x")], [Ref("y")]), (("updates", [Ref("u")]),))
    yield Step("done", CALL, (Ref("f"), [Ref("new")]))
    yield Step("after", "get_value", (Ref("v"),))
