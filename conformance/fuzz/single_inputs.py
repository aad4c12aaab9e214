"""Whether an input of a failing program cannot be made by itself.

Each tensor that a program begins with is made alone, and asked for its number of axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.judging import Difference, Question, in_one_line
from conformance.fuzz.single_steps import Blame
from conformance.generators.tensors import told
from conformance.observations import Raised
from conformance.program import Binding, Input, Program, Ref, Step

Array = npt.NDArray[Any]
BIND = "bind"
"""The stage at which a worker makes inputs."""


def blamed_input(worker: Worker, question: Question, first: Course) -> Blame | None:
    """The first input that cannot be made; None if all can. WorkerStartError."""
    for item, array in made(question.program, first, question.arrays[0]):
        program = Program((item,), (Step("axes", "ndim", (Ref(item.name),)),), ("axes",))
        one = replace(
            question,
            program=program,
            arrays=[{item.name: array}],
            cuts=frozenset(),
            courses=(),
        )
        for draw in worker.run_batch(one.batch).draws:
            outcome = draw.outcome
            if isinstance(outcome, Raised) and outcome.stage == BIND:
                says = f"raises {outcome.type} ({BIND}): {in_one_line(outcome.message)}"
                function = item.binding.value.split("_")[0]
                return Blame(function, Difference("exception", "", 0, says), one)
    return None


def made(
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
