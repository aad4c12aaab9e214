"""Programs that are a little smaller or simpler than a failing program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.fuzz.bounds.course import Course, course
from conformance.fuzz.judging import Question
from conformance.fuzz.programs import MEMBER, SEVERAL, pruned, references, renamed
from conformance.generators.tensors import reshaped
from conformance.program import Binding, Input, Program, Ref, Step

Array = npt.NDArray[Any]


PLAIN = "abs"
"""The function that takes the place of others whose sort makes no difference."""
WHOLE = (*SEVERAL, "normalize_batch_in_training")
"""Functions that return several tensors."""


def fewer_outputs(question: Question) -> Iterator[Question]:
    """One result alone, or a part of the outputs less; steps that nothing needs are left out."""
    program = question.program
    small = pruned(program)
    if small != program:
        yield _of(question, small)
    for outputs in (*_alone(program), *_fewer(program.outputs), *_earlier_ones(program)):
        yield _of(question, pruned(replace(program, outputs=outputs)))


def _alone(program: Program) -> Iterator[tuple[str, ...]]:
    """Each output, and each result that is none."""
    yield from ((name,) for name in program.outputs if len(program.outputs) > 1)
    for step in program.steps[:-1]:
        if step.result not in program.outputs and step.function not in WHOLE:
            yield (step.result,)


def _fewer(outputs: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Two or more of them."""
    for part in parts(len(outputs)):
        left = tuple(name for name in outputs if name not in outputs[part])
        if len(left) > 1:
            yield left


def _earlier_ones(program: Program) -> Iterator[tuple[str, ...]]:
    """An earlier result in place of one of several outputs."""
    for place, name in enumerate(program.outputs if len(program.outputs) > 1 else ()):
        for earlier in _earlier(program, name):
            yield (*program.outputs[:place], earlier, *program.outputs[place + 1 :])


def parts(count: int) -> Iterator[slice]:
    """Which of `count` things to leave out together: halves, quarters, and so on; last each one."""
    size = count // 2
    while size:
        yield from (slice(start, start + size) for start in range(0, count, size))
        size //= 2


def _earlier(program: Program, name: str) -> Iterator[str]:
    """Results that were made before an output, and are none."""
    for step in program.steps:
        if step.result == name:
            return
        if step.function not in WHOLE and step.result not in program.outputs:
            yield step.result


def _of(question: Question, program: Program) -> Question:
    """The question about another program with some of its inputs."""
    names = [i.name for i in program.inputs]
    arrays = [{n: a[n] for n in names} for a in question.arrays]
    return replace(question, program=program, arrays=arrays)


def with_inputs(question: Question, program: Program) -> Question:
    """The question about another program, with those of its inputs that it needs."""
    used = {name for step in program.steps for name in references(step)} | {*program.outputs}
    inputs = tuple(item for item in program.inputs if item.name in used)
    return _of(question, replace(program, inputs=inputs))


def results_as_inputs(question: Question) -> Iterator[Question]:
    """A result becomes an input, the last ones first."""
    right = course(question.program, question.arrays[0], question.edition)
    program = question.program
    for step in program.steps[-2::-1]:
        known = right.known.get(step.result)
        if known is None or step.result in program.outputs:
            continue
        value = known.value
        item = Input(step.result, value.shape, value.dtype.name, Binding.PLACEHOLDER)
        steps = tuple(s for s in program.steps if s is not step)
        smaller = pruned(Program((*program.inputs, item), steps, program.outputs))
        arrays = [{**a, step.result: value} for a in question.arrays]
        yield _of(replace(question, arrays=arrays), smaller)


def passed_over(question: Question) -> Iterator[Question]:
    """A call gives one of its own tensors instead, if that has the same type."""
    right = course(question.program, question.arrays[0], question.edition)
    program = question.program
    for number, step in enumerate(program.steps):
        kind = right.types.get(step.result)
        if kind is None or step.result in program.outputs or step.function == MEMBER:
            continue
        for name in dict.fromkeys(references(step)):
            other = right.types.get(name)
            if other is None or (other.shape, other.dtype) != (kind.shape, kind.dtype):
                continue
            later = [renamed(s, {step.result: name}) for s in program.steps[number + 1 :]]
            steps = (*program.steps[:number], *later)
            yield _of(question, pruned(replace(program, steps=tuple(steps))))


def plainer(question: Question) -> Iterator[Question]:
    """A call of `abs` in place of another one of a tensor."""
    right = course(question.program, question.arrays[0], question.edition)
    yield from _plainer(question, right)


def _plainer(question: Question, right: Course) -> Iterator[Question]:
    program = question.program
    for number, step in enumerate(program.steps):
        if step.function in (PLAIN, MEMBER, *WHOLE) or step.result not in right.known:
            continue
        for name in dict.fromkeys(n for n in references(step) if _is_floating(right, n)):
            plain = Step(step.result, PLAIN, (Ref(name),))
            steps = (*program.steps[:number], plain, *program.steps[number + 1 :])
            yield _of(question, pruned(replace(program, steps=steps)))


def _is_floating(right: Course, name: str) -> bool:
    return name in right.types and right.types[name].dtype.startswith("float")


def smaller_shapes(question: Question) -> Iterator[Question]:
    """One length of axes becomes a smaller one, in all inputs."""
    program = question.program
    lengths = sorted({d for i in program.inputs for d in i.shape if d > 1}, reverse=True)
    for length in lengths:
        for less in (1, 2):
            if less < length:
                yield _cut(question, length, less)


def _cut(question: Question, length: int, less: int) -> Question:
    def shape(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(less if d == length else d for d in old)

    inputs = tuple(reshaped(i, shape(i.shape)) for i in question.program.inputs)
    arrays = [
        {n: a[tuple(slice(d) for d in shape(a.shape))] for n, a in numbers.items()}
        for numbers in question.arrays
    ]
    return replace(question, program=replace(question.program, inputs=inputs), arrays=arrays)


def known_shapes(question: Question) -> Iterator[Question]:
    """A placeholder whose dimensions are all known."""
    inputs = question.program.inputs
    for place, item in enumerate(inputs):
        if item.binding is Binding.PLACEHOLDER_NONE:
            changed = (*inputs[:place], item.bound(Binding.PLACEHOLDER), *inputs[place + 1 :])
            yield replace(question, program=replace(question.program, inputs=changed))


def simpler_numbers(question: Question) -> Iterator[Question]:
    """Numbers of one input become integers, halves, or have two digits."""
    for item in question.program.inputs:
        for simpler in (_ones, _whole, _halves, _short):
            arrays = [{**a, item.name: simpler(a[item.name])} for a in question.arrays]
            before = question.arrays[0][item.name]
            if before.dtype.kind == "f" and _is_simpler(arrays[0][item.name], before):
                yield replace(question, arrays=arrays)


def _is_simpler(new: Array, old: Array) -> bool:
    """Whether the numbers take fewer characters to write. Therefore simplification ends."""
    return _written(new) < _written(old)


def _written(array: Array) -> int:
    return sum(len(str(v).removesuffix(".0")) for v in array.flat)


def _ones(array: Array) -> Array:
    return np.ones_like(array)


def _whole(array: Array) -> Array:
    return np.asarray(np.where(array == 0, 0, np.sign(array) * np.ceil(np.abs(array)))).astype(
        array.dtype
    )


def _halves(array: Array) -> Array:
    return np.asarray(np.round(array * 2) / 2).astype(array.dtype)


def _short(array: Array) -> Array:
    return np.asarray(np.round(array.astype(np.float64), 2)).astype(array.dtype)


OF_CALLS = (fewer_outputs, results_as_inputs, passed_over, plainer)
"""The ways to have fewer calls."""
OF_NUMBERS = (known_shapes, smaller_shapes, simpler_numbers)
"""The ways to simpler shapes and numbers."""
