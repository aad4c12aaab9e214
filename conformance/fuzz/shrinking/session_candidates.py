"""Programs a little smaller than a failing program that compiles and calls functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.fuzz.bounds.sessions import CALL, FRAME, UPDATES, GraphSession
from conformance.fuzz.judging import Question
from conformance.fuzz.programs import MEMBER, pruned, references, renamed
from conformance.fuzz.shrinking.candidates import WHOLE, parts
from conformance.program import Argument, Binding, Input, Program, Ref, Step


def _of(question: Question, program: Program) -> Question:
    """The question about a smaller program, without what nothing needs."""
    small = pruned(program)
    names = [i.name for i in small.inputs]
    arrays = [{n: a[n] for n in names} for a in question.arrays]
    return replace(question, program=small, arrays=arrays, courses=())


def fewer_looks(question: Question) -> Iterator[Question]:
    """One output less: a call of the function, or a look at a variable.

    A call that is left out as an output stays a call if it is not the last one.
    """
    program = question.program
    for name in program.outputs if len(program.outputs) > 1 else ():
        left = tuple(o for o in program.outputs if o != name)
        steps = tuple(s for s in program.steps if s.result != name)
        yield _of(question, replace(program, steps=steps, outputs=left))


def fewer_results(question: Question) -> Iterator[Question]:
    """The function gives fewer results, makes one update less, or is fed with one tensor less."""
    program = question.program
    (function,) = (s for s in program.steps if s.function == "function")
    inputs, outputs = function.args
    assert isinstance(inputs, list)
    assert isinstance(outputs, list)
    updates = dict(function.kwargs).get("updates") or []
    assert isinstance(updates, list)
    for part in parts(len(outputs)):
        left = [*outputs[: part.start], *outputs[part.stop :]]
        yield _with(question, function, inputs, left, updates)
    for place in range(len(outputs)):
        for earlier in _earlier(program, outputs, place):
            changed = [*outputs[:place], earlier, *outputs[place + 1 :]]
            yield _with(question, function, inputs, changed, updates)
    for place in range(len(updates)):
        yield _with(question, function, inputs, outputs, _without(updates, place))
    for place in range(len(inputs)) if len(inputs) > 1 else ():
        smaller = _with(question, function, _without(inputs, place), outputs, updates)
        yield _of(smaller, _fed_without(smaller.program, place))


def _earlier(program: Program, outputs: Sequence[Argument], place: int) -> Iterator[Ref]:
    """Results of the graph that were made before an output, and are none."""
    for step in program.steps:
        if Ref(step.result) == outputs[place]:
            return
        if step.function not in (*FRAME, *WHOLE) and Ref(step.result) not in outputs:
            yield Ref(step.result)


def _without(items: Sequence[Argument], place: int) -> list[Argument]:
    return [*items[:place], *items[place + 1 :]]


def _with(
    question: Question,
    function: Step,
    inputs: Sequence[Argument],
    outputs: Sequence[Argument],
    updates: Sequence[Argument],
) -> Question:
    kwargs: tuple[tuple[str, Argument], ...] = (("updates", list(updates)),) if updates else ()
    changed = replace(function, args=(list(inputs), list(outputs)), kwargs=kwargs)
    return _of(question, _replaced(question.program, {function.result: changed}))


def _replaced(program: Program, steps: dict[str, Step]) -> Program:
    return replace(program, steps=tuple(steps.get(s.result, s) for s in program.steps))


def _fed_without(program: Program, place: int) -> Program:
    changed = {}
    for step in program.steps:
        if step.function == CALL:
            function, values = step.args
            assert isinstance(values, list)
            changed[step.result] = replace(step, args=(function, _without(values, place)))
    return _replaced(program, changed)


def results_as_inputs(question: Question) -> Iterator[Question]:
    """A result of the graph becomes a tensor that is fed with its numbers."""
    program = question.program
    session = GraphSession(program, question.arrays[0], question.edition)
    session.run()
    for step in program.steps[::-1]:
        if step.function in FRAME or step.result not in session.courses[0].types:
            continue
        if {r for s in program.steps if s.function == "function" for r in references(s)} >= {
            step.result
        }:
            continue  # a function gives it
        yield _fed_with(question, session, step)


def _fed_with(question: Question, session: GraphSession, step: Step) -> Question:
    program = question.program
    kind = session.courses[0].types[step.result]
    shape = _common([c.types[step.result].shape for c in session.courses])
    placeholder = Step(step.result, "placeholder", (), (("shape", shape), ("dtype", kind.dtype)))
    changed, inputs, arrays, number = {step.result: placeholder}, [], dict(question.arrays[0]), 0
    for other in program.steps:
        if other.function == "function":
            ins, outs = other.args
            assert isinstance(ins, list)
            changed[other.result] = replace(other, args=([*ins, Ref(step.result)], outs))
        if other.function == CALL:
            function, values = other.args
            assert isinstance(values, list)
            name = f"{step.result}_{number}"
            value = session.courses[number].known[step.result].value
            inputs.append(Input(name, value.shape, value.dtype.name, Binding.ARRAY))
            arrays[name] = value
            changed[other.result] = replace(other, args=(function, [*values, Ref(name)]))
            number += 1
    whole = replace(_replaced(program, changed), inputs=(*program.inputs, *inputs))
    return _of(replace(question, arrays=[arrays]), whole)


def _common(shapes: Sequence[tuple[int, ...]]) -> tuple[int | None, ...]:
    """The dimensions that the shapes share; None for the others."""
    return tuple(each[0] if len({*each}) == 1 else None for each in zip(*shapes, strict=True))


def known_shapes(question: Question) -> Iterator[Question]:
    """A placeholder knows the dimensions that it has in all calls."""
    program = question.program
    session = GraphSession(program, question.arrays[0], question.edition)
    session.run()
    for step in program.steps:
        options = dict(step.kwargs)
        if step.function != "placeholder" or not isinstance(options["shape"], tuple):
            continue
        shape = _common([c.types[step.result].shape for c in session.courses])
        if options["shape"] != shape:
            kwargs = tuple({**options, "shape": shape}.items())
            known = replace(step, kwargs=kwargs)
            yield _of(question, _replaced(program, {step.result: known}))


def passed_over(question: Question) -> Iterator[Question]:
    """A call of the graph gives one of its own tensors instead, if that has the same type."""
    program = question.program
    session = GraphSession(program, question.arrays[0], question.edition)
    session.run()
    types = session.courses[0].types
    for number, step in enumerate(program.steps):
        kind = types.get(step.result)
        if kind is None or step.function in (*FRAME, MEMBER):
            continue
        for name in dict.fromkeys(references(step)):
            other = types.get(name)
            if other is None or (other.shape, other.dtype) != (kind.shape, kind.dtype):
                continue
            later = [renamed(s, {step.result: name}) for s in program.steps[number + 1 :]]
            steps = (*program.steps[:number], *later)
            yield _of(question, replace(program, steps=tuple(steps)))


def other_updates(question: Question) -> Iterator[Question]:
    """A plain update in place of an addition or an average."""
    for step in question.program.steps:
        if step.function in UPDATES[1:]:
            plain = replace(step, function="update", args=step.args[:2])
            yield _of(question, _replaced(question.program, {step.result: plain}))


OF_CALLS = (
    *(fewer_looks, fewer_results, results_as_inputs, passed_over, other_updates),
    known_shapes,
)
"""The ways to have fewer calls."""
