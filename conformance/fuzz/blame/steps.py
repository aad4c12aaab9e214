"""The inputs and updates of a failing program by themselves, and the steps that belong to a call.

A program makes each initial tensor alone and reads its number of axes. Each update runs in a
program of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.sessions import CALL, UPDATES
from conformance.fuzz.judging import Mismatch, Question, in_one_line, judged
from conformance.fuzz.programs import MEMBER, ProgramCall, Special, following
from conformance.generators.tensors import told
from conformance.observations import Raised
from conformance.program import Argument, Binding, Input, Program, Ref, Step

WEIGHTS = "weights"
"""The input that a call's result is multiplied by before it is summed up."""

MAKERS = (Binding.PLACEHOLDER, Binding.VARIABLE, Binding.CONSTANT)
"""The functions that make inputs; each is a binding."""


@dataclass(frozen=True, slots=True, eq=False)
class Blame:
    """A call that fails by itself, and how."""

    function: str
    difference: Mismatch
    question: Question


def steps_of(program: Program, call: ProgramCall | Special) -> tuple[Step, ...]:
    """The steps of a call: several where it takes a member of a tuple, or of a list in one."""
    (last,) = following(program, [call.result])
    names = [last.result]
    while last.function == MEMBER:
        of = last.args[0]
        assert isinstance(of, Ref)
        (last,) = following(program, [of.name])
        names.append(last.result)
    return following(program, names)


def input_of(
    program: Program, name: str, right: Course, binding: Binding = Binding.PLACEHOLDER
) -> Input:
    """The input itself, or one of this binding that takes the place of a result.

    A program that compiles functions makes its inputs by calls, and is taken by these.
    """
    for item in program.inputs:
        if item.name == name:
            return item
    value = right.known[name].value
    bindings = (
        Binding(s.function) for s in program.steps if s.result == name and s.function in MAKERS
    )
    return Input(name, value.shape, value.dtype.name, next(bindings, binding))


Array = npt.NDArray[Any]
BIND = "bind"
"""The stage at which a worker makes inputs."""


def blamed_input(worker: Worker, question: Question, first: Course) -> Blame | None:
    """The first input that cannot be made; None if all can. WorkerStartError."""
    for item, array in program_inputs(question.program, first, question.arrays[0]):
        program = Program((item,), (Step("axes", "ndim", (Ref(item.name),)),), ("axes",))
        attempt = replace(
            question,
            program=program,
            arrays=[{item.name: array}],
            cuts=frozenset(),
            courses=(),
        )
        for draw in worker.run_batch(attempt.batch).draws:
            outcome = draw.outcome
            if isinstance(outcome, Raised) and outcome.stage == BIND:
                says = f"raises {outcome.type} ({BIND}): {in_one_line(outcome.message)}"
                function = item.binding.value.split("_")[0]
                return Blame(function, Mismatch("exception", "", 0, says), attempt)
    return None


def program_inputs(
    program: Program, first: Course, arrays: Mapping[str, Array]
) -> Iterator[tuple[Input, Array]]:
    """The tensors that the program begins with, as inputs with their numbers."""
    for item in program.inputs:
        if item.binding is not Binding.ARRAY:
            yield item, arrays[item.name]
    for step in program.steps:
        if step.function in (Binding.VARIABLE, Binding.CONSTANT):
            array = np.asarray(first.known[step.result].value)
            yield _item(step.result, array, Binding(step.function)), array
        elif step.function == Binding.PLACEHOLDER and step.result in first.known:
            array = first.known[step.result].value
            shape: Any = dict(step.kwargs)["shape"]
            item = _item(step.result, array, Binding.PLACEHOLDER_NONE)
            yield told(item, tuple(shape)), array


def _item(name: str, array: Array, binding: Binding) -> Input:
    return Input(name, array.shape, array.dtype.name, binding)


def blamed_update(worker: Worker, question: Question, first: Course) -> Blame | None:
    """The first update that fails by itself; None if none does. WorkerStartError."""
    for step in question.program.steps:
        if step.function not in UPDATES:
            continue
        attempt = alone(question, first, step)
        for difference in judged(attempt, worker.run_batch(attempt.batch)).differences:
            return Blame(step.function, difference, attempt)
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
    (maker,) = (s for s in program.steps if s.result == variable)
    start = maker.args[0]
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
