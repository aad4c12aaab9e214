"""Write a failing call as a user types it.

No argument repeats a default, and tensors are passed by position. The call is computed at once
where it needs neither symbolic tensors nor a compiler. Symbolic tensors have known shapes, and
arrays lie in memory row by row, where the fault allows it.

The call stays the same to the oracle. Its numbers and its expectation stay as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared, is_symbolic
from conformance.engine.judging.trials import Trial
from conformance.generators.structure import Structure
from conformance.generators.tensors import SYMBOLIC
from conformance.generators.twins import with_program
from conformance.program import Argument, Binding, Input, Layout, Step
from conformance.program.model import COMPILED
from conformance.specs.convention_names import ConventionName
from conformance.specs.load import signature
from conformance.specs.signature import Parameter, Signature, misprinted


def plainer(trial: Trial) -> Iterator[CallTrial]:
    """The call in plainer words, the plainest first; nothing if it has no plainer form.

    A trial without a single call, such as a gradient or a scenario, has none.
    """
    if not isinstance(trial, CallTrial):
        return
    structure = trial.prepared.structure
    plain = _uncompiled(structure) or structure
    spoken = _spoken(plain) or plain
    ordered = _row_by_row(spoken)
    compiled = None if plain is structure else _row_by_row(structure)
    known = None if compiled is None else _of_known_batches(compiled)
    forms = (_eager(ordered), _of_known_shapes(ordered), ordered, spoken, known, compiled)
    unlike = (form for form in forms if form is not None and form is not structure)
    yield from (_of(trial, form) for form in dict.fromkeys(unlike))


def _of(trial: CallTrial, structure: Structure) -> CallTrial:
    before = trial.prepared
    prepared = Prepared(structure, before.draws, before.arrays, elementwise=before.elementwise)
    return replace(trial, prepared=prepared)


def _eager(structure: Structure) -> Structure | None:
    """The same call of eager tensors; None if it has no symbolic one, or if its edition builds a
    graph of every call."""
    if not is_symbolic(structure):
        return None
    inputs = tuple(map(_bound_eagerly, structure.program.inputs))
    return with_program(structure, replace(structure.program, inputs=inputs), {})


def _of_known_shapes(structure: Structure) -> Structure | None:
    """The call of symbolic tensors whose dimensions are all known; None if they are known."""
    program = structure.program
    if not any(None in item.static_shape for item in program.inputs):
        return None
    inputs = tuple(
        item.bound(Binding.PLACEHOLDER) if None in item.static_shape else item
        for item in program.inputs
    )
    return with_program(structure, replace(program, inputs=inputs), {})


def _row_by_row(structure: Structure) -> Structure:
    """The call with arrays that lie in memory row by row; the structure itself if they do."""
    program = structure.program
    if all(item.layout is Layout.C for item in program.inputs):
        return structure
    inputs = tuple(replace(item, layout=Layout.C) for item in program.inputs)
    return with_program(structure, replace(program, inputs=inputs), {})


def _uncompiled(structure: Structure) -> Structure | None:
    """The call of a compiled call; None if it compiles nothing."""
    step = _compiled_step(structure)
    if step is None:
        return None
    function, _, *args = step.args
    call = replace(step, function=str(function), args=tuple(args))
    unsettled = (name for name in structure.unsettled if name != ConventionName.COMPILED_CALL)
    return replace(_with_step(structure, step, call), unsettled=tuple(unsettled))


def _of_known_batches(structure: Structure) -> Structure | None:
    """The compiled call without batches of any length; None if it has none."""
    step = _compiled_step(structure)
    if step is None or not isinstance(step.args[1], list):
        return None
    return _with_step(structure, step, replace(step, args=(step.args[0], False, *step.args[2:])))


def _compiled_step(structure: Structure) -> Step | None:
    return next((s for s in structure.program.steps if s.function == COMPILED), None)


def _with_step(structure: Structure, before: Step, after: Step) -> Structure:
    """The structure with another step in the place of one."""
    program = structure.program
    steps = tuple(after if step is before else step for step in program.steps)
    return replace(structure, program=replace(program, steps=steps))


def _bound_eagerly(item: Input) -> Input:
    return item.bound(Binding.CONSTANT) if item.binding in SYMBOLIC else item


def _spoken(structure: Structure) -> Structure | None:
    """The same call without arguments that repeat a default; it passes the required ones by
    position, the rest by name. None if it is written like that, or if its parameters have several
    names."""
    documented = signature(structure.spec, structure.edition)
    printed = structure.spec.signatures[structure.spec.editions[structure.edition]].text
    if documented.starred or documented.keywords or misprinted(documented, printed):
        return None
    steps = structure.program.steps
    place = next((n for n, s in enumerate(steps) if s.function == documented.name), None)
    if place is None:
        return None
    passed = _passed(documented, steps[place])
    needed = _needed(structure, documented, passed)
    step = _step(documented, steps[place], needed)
    if step == steps[place]:
        return None
    other = _with_step(structure, steps[place], step)
    dropped = {structure.spec.renamed.get(name, name) for name in passed.keys() - needed.keys()}
    return replace(other, passed=structure.passed - dropped)


def _passed(documented: Signature, step: Step) -> dict[str, Argument]:
    """The arguments of the call, by parameter in the order of the signature."""
    names = [p.name for p in documented.parameters]
    passed = {**dict(zip(names, step.args, strict=False)), **dict(step.kwargs)}
    return {p.name: passed[p.name] for p in documented.every if p.name in passed}


def _needed(
    structure: Structure, documented: Signature, passed: Mapping[str, Argument]
) -> dict[str, Argument]:
    invalid = structure.error.parameters if structure.error else ()
    by_name = {p.name: p for p in documented.every}
    return {
        name: value
        for name, value in passed.items()
        if structure.spec.renamed.get(name, name) in invalid
        or not _repeats_default(by_name[name], value)
    }


def _repeats_default(parameter: Parameter, value: Any) -> bool:
    """Whether it is the default itself: `1` repeats neither `True` nor `1.0`."""
    return not parameter.required and repr(value) == repr(parameter.value)


def _step(documented: Signature, step: Step, needed: Mapping[str, Argument]) -> Step:
    """The call with these arguments: those that every call needs by position."""
    by_position = [p.name for p in documented.parameters if p.required]
    leading = [p.name for p in documented.parameters[: len(by_position)]]
    first = by_position if by_position == leading and needed.keys() >= {*leading} else []
    named = tuple((name, value) for name, value in needed.items() if name not in first)
    return replace(step, args=tuple(needed[name] for name in first), kwargs=named)
