"""Programs taken apart: what a step refers to, what outputs need, and one call by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from conformance.program import Argument, Function, Program, Ref, Step


def references(step: Step) -> Iterator[str]:
    """The names that a step refers to, also from within callables."""
    for value in (*step.args, *(v for _, v in step.kwargs)):
        yield from _references(value)


def _references(value: Argument) -> Iterator[str]:
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, Function):
        inside = {*value.parameters, *(step.result for step in value.steps)}
        named = [name for step in value.steps for name in references(step)]
        yield from (n for n in [*named, *_references(value.returns)] if n not in inside)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)


def pruned(program: Program) -> Program:
    """The program without the steps and the inputs that its outputs do not need."""
    wanted, kept = set(program.outputs), []
    for step in reversed(program.steps):
        if step.result in wanted:
            kept.append(step)
            wanted |= set(references(step))
    inputs = tuple(item for item in program.inputs if item.name in wanted)
    return Program(inputs, tuple(kept[::-1]), program.outputs)


def renamed(step: Step, names: Mapping[str, str]) -> Step:
    """The step with other names in the place of those that it refers to."""
    return replace(
        step,
        args=tuple(_renamed(a, names) for a in step.args),
        kwargs=tuple((k, _renamed(a, names)) for k, a in step.kwargs),
    )


def _renamed(value: Argument, names: Mapping[str, str]) -> Argument:
    if isinstance(value, Ref):
        return Ref(names.get(value.name, value.name))
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, tuple):
        return tuple(_renamed(item, names) for item in value)
    return value


def shape_of(program: Program) -> list[str]:
    """What calls what: each step's function and the places that its tensors come from.

    Two programs with the same are the same but for numbers, shapes and other arguments.
    """
    places = {item.name: f"input {n}" for n, item in enumerate(program.inputs)}
    lines = []
    for number, step in enumerate(program.steps):
        places[step.result] = f"step {number}"
        lines.append(f"{step.function}({', '.join(places.get(r, r) for r in references(step))})")
    return [*lines, *(places[name] for name in program.outputs)]


def following(program: Program, results: Iterable[str]) -> tuple[Step, ...]:
    """The steps with these results, in order."""
    wanted = set(results)
    return tuple(step for step in program.steps if step.result in wanted)


def without(program: Program, dropped: Iterable[str]) -> Program:
    """The program without these results and all that is made of them.

    A function that is compiled of several results loses those, and its updates, alone.
    """
    gone, kept = set(dropped), []
    for step in program.steps:
        left = _function_without(step, gone) if step.function == "function" else step
        if step.result in gone or not gone.isdisjoint(references(left)) or not _gives(left):
            gone.add(step.result)
        else:
            kept.append(left)
    outputs = tuple(name for name in program.outputs if name not in gone)
    return Program(program.inputs, tuple(kept), outputs)


def _function_without(step: Step, gone: set[str]) -> Step:
    inputs, outputs = step.args[:2]
    updates = _left(dict(step.kwargs).get("updates") or [], gone)
    kwargs: tuple[tuple[str, Argument], ...] = (("updates", updates),) if updates else ()
    return replace(step, args=(inputs, _left(outputs, gone)), kwargs=kwargs)


def _left(listed: Argument, gone: set[str]) -> list[Argument]:
    assert isinstance(listed, list)
    return [v for v in listed if not (isinstance(v, Ref) and v.name in gone)]


def _gives(step: Step) -> bool:
    """Whether it is no function that has lost all that it gives."""
    return step.function != "function" or bool(step.args[1])
