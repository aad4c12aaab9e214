"""One call of a program by itself: its steps, what it is given, and that it is to blame."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.fuzz.bounds.running import Course
from conformance.fuzz.calls import MEMBER, Call, Special
from conformance.fuzz.judging import Difference, Question
from conformance.fuzz.programs import following
from conformance.program import Binding, Input, Program, Ref, Step

WEIGHTS = "weights"
"""The input that a call's result is multiplied by before it is summed up."""


@dataclass(frozen=True, slots=True, eq=False)
class Blame:
    """A call that fails by itself, and how."""

    function: str
    difference: Difference
    question: Question


def steps_of(program: Program, call: Call | Special) -> tuple[Step, ...]:
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
    """The input itself, or one of this binding that takes the place of a result."""
    for item in program.inputs:
        if item.name == name:
            return item
    value = right.known[name].value
    return Input(name, value.shape, value.dtype.name, binding)
