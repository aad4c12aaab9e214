"""Calls of complex numbers: no input of a program holds them, and a step makes them of pairs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from conformance.generators.tensors import renamed
from conformance.program import Argument, Program, Ref, Step

MADE_OF_PAIRS = "complex_numbers"
"""The function of a mapping that makes complex numbers of pairs of parts in the last axis."""


def of_complex_numbers(program: Program, names: Collection[str]) -> Program:
    """The program with complex numbers in the place of the inputs with these names."""
    for name in names:
        whole = f"{name}_complex"
        step = Step(whole, MADE_OF_PAIRS, (Ref(name),))
        steps = (_with_renamed(step, name, whole) for step in program.steps)
        program = replace(program, steps=(step, *steps))
    return program


def _with_renamed(step: Step, old: str, new: str) -> Step:
    def named(argument: Argument) -> Argument:
        return renamed(argument, old, new)

    kwargs = tuple((name, named(value)) for name, value in step.kwargs)
    return replace(step, args=tuple(map(named, step.args)), kwargs=kwargs)


def call_of(program: Program) -> Step:
    """The call under test: the first step that makes no complex numbers."""
    return next(step for step in program.steps if step.function != MADE_OF_PAIRS)
