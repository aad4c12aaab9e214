"""The same scenario with variables in place of placeholders, which some libraries cannot make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.program import Argument, Ref, Step
from conformance.program.marks import OPERATOR_CALL
from conformance.scenarios.model import Scenario

Inputs = Mapping[str, Sequence[Any]]
"""The placeholders of each compiled function, by the name of the function."""


def in_variables(scenario: Scenario) -> Scenario | None:
    """The scenario with a variable for each placeholder of known shape that is fed one array of the
    program, once; None if it has none, has wider floats than the documents' float32, or is about
    feeding itself.

    The variable holds the array from the start, and is not an input of the function any more. Where
    variables of integers are made of float32, as on CNTK, wider floats beside them would fail for
    that, which is the fault of `variable`.
    """
    steps = scenario.program.steps
    arrays = {item.name: item.dtype for item in scenario.program.inputs}
    if "float64" in arrays.values() or scenario.function == "function":
        return None
    inputs = {s.result: _listed(s.args[0]) for s in steps if s.function == "function" and s.args}
    known = {s.result for s in steps if s.function == "placeholder" and _is_known(s)}
    once = ((name, value) for name, value in _fed_once(steps, inputs) if value.name in arrays)
    fed = {name: array for name, array in once if name in known}
    if not fed:
        return None
    changed = tuple(_changed(step, inputs, fed) for step in steps)
    return replace(scenario, program=replace(scenario.program, steps=changed))


def _listed(inputs: Argument) -> list[Any]:
    return inputs if isinstance(inputs, list) else []


def _is_known(step: Step) -> bool:
    """Whether all dimensions of a placeholder are known."""
    shape = dict(step.kwargs).get("shape")
    return isinstance(shape, tuple) and None not in shape


def _fed_once(steps: Sequence[Step], inputs: Inputs) -> Iterator[tuple[str, Ref]]:
    """Each placeholder that is fed in one call alone, and the array."""
    given: dict[str, list[Any]] = {}
    for step in steps:
        for placeholder, value in _pairs(step, inputs):
            given.setdefault(placeholder, []).append(value)
    for name, values in given.items():
        if len(values) == 1 and isinstance(values[0], Ref):
            yield name, values[0]


def _pairs(step: Step, inputs: Inputs) -> Iterator[tuple[str, Argument]]:
    """The placeholders of the function that a step calls, each with its fed array."""
    match step.args:
        case [Ref(name), list(values)] if step.function == OPERATOR_CALL and name in inputs:
            yield from ((p.name, value) for p, value in zip(inputs[name], values, strict=True))


def _changed(step: Step, inputs: Inputs, fed: Mapping[str, Ref]) -> Step:
    if step.result in fed:
        dtype = tuple((name, value) for name, value in step.kwargs if name == "dtype")
        return replace(step, function="variable", args=(fed[step.result],), kwargs=dtype)
    if step.result in inputs:
        left = [p for p in inputs[step.result] if p.name not in fed]
        return replace(step, args=(left, *step.args[1:]))
    others = [value for name, value in _pairs(step, inputs) if name not in fed]
    called = step.function == OPERATOR_CALL and step.args[:1] and step.args[0]
    if isinstance(called, Ref) and called.name in inputs:
        return replace(step, args=(called, others))
    return step
