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

MAKERS = (Binding.PLACEHOLDER, Binding.VARIABLE, Binding.CONSTANT)
"""The functions that make inputs, each of which is a binding."""


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
    """The input itself, or one of this binding that takes the place of a result.

    A program that compiles functions makes its inputs by calls, and is taken by these.
    """
    for item in program.inputs:
        if item.name == name:
            return item
    value = right.known[name].value
    made = (Binding(s.function) for s in program.steps if s.result == name and s.function in MAKERS)
    return Input(name, value.shape, value.dtype.name, next(made, binding))
