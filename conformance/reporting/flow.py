"""What flows where in a program: its tensors in layers, each below all that it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.program import (
    Argument,
    Binding,
    Function,
    Input,
    Program,
    Ref,
    Step,
    call_text,
    from_json,
)
from conformance.program.calls import step_lines
from conformance.results import Failure

DAMAGED = (ValueError, KeyError, TypeError, IndexError)
"""What reading a program may raise that is damaged."""
_FED = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)
_WORDS = {"operator.call": "call", "operator.getitem": "member"}
COMPOSED = "fuzz"
"""The profile of results of composed programs (docs/fuzz.md)."""


class Node(NamedTuple):
    """An input, or a step: its name, what it is, all that is to be said of it, and its layer."""

    name: str
    what: str
    says: str
    layer: int
    given: Sequence[str]
    """What it is made of, in order, each as often as it is passed."""
    is_input: bool
    is_output: bool


def composed_program(failure: Failure) -> Program | None:
    """The program of a failure of composition; None of any other failure, and of damaged ones."""
    origin = failure.origin
    if failure.program is None or getattr(origin, "profile", None) != COMPOSED:
        return None
    try:
        return from_json(failure.program)
    except DAMAGED:
        return None


def nodes(program: Program) -> list[Node]:
    """The inputs that a step refers to, and the steps, in order."""
    used = {name for step in program.steps for name in references(step)}
    found: dict[str, Node] = {}
    for item in program.inputs:
        if item.name in used or item.name in program.outputs:
            found[item.name] = _of_input(item, item.name in program.outputs)
    for step in program.steps:
        found[step.result] = _of_step(step, found, step.result in program.outputs)
    return list(found.values())


def _of_input(item: Input, is_output: bool) -> Node:
    shape = tuple("?" if d is None else d for d in item.static_shape)
    listed = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    what = f"{item.dtype} ({listed})"
    made = "fed" if item.binding in _FED else str(item.binding)
    return Node(item.name, what, f"{item.name}: {what}, {made}", 0, (), True, is_output)


def _of_step(step: Step, found: Mapping[str, Node], is_output: bool) -> Node:
    given = [name for name in references(step) if name in found]
    layer = 1 + max((found[name].layer for name in given), default=-1)
    says = "\n".join(step_lines(step))
    what = _WORDS.get(step.function, step.function)
    return Node(step.result, what, says, layer, given, False, is_output)


def references(step: Step) -> list[str]:
    """The names that a step refers to, also from within callables."""
    return [*_references([*step.args, *(value for _, value in step.kwargs)])]


def _references(value: Argument | Step) -> Iterator[str]:
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, Step):
        yield from references(value)
    elif isinstance(value, Function):
        inside = {*value.parameters, *(step.result for step in value.steps)}
        named: Sequence[Any] = [*value.steps, value.returns]
        yield from (name for part in named for name in _references(part) if name not in inside)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)


def flow_lines(program: Program) -> Iterator[tuple[int, str]]:
    """A line for each input and step, with its layer: what it is, and what takes it."""
    listed = nodes(program)
    for node in listed:
        takers = [other.name for other in listed if node.name in other.given]
        ends = ["an output"] if node.is_output else []
        to = ", ".join([*takers, *ends]) or "nothing"
        first, *more = (node.says if node.is_input else _said(program, node.name)).split("\n")
        yield node.layer, f"{first} → {to}"
        yield from ((node.layer + 2, line) for line in more)


def _said(program: Program, name: str) -> str:
    (step,) = (s for s in program.steps if s.result == name)
    *bodies, _ = step_lines(step)
    return "\n".join([f"{name} = {call_text(step)}", *bodies])
