"""Static shapes in a failing program that are wrong from the start.

An input whose static shape is wrong as it is made is the failure of the function that made it, as
`conformance run` has it. So is the result of a call. A later call that refuses such a tensor is not
to blame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from conformance.adapters.session import Session as Worker
from conformance.engine.judging.metadata import compatible
from conformance.fuzz.blame.steps import program_inputs
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.sessions import graph
from conformance.fuzz.judging import Mismatch, Question
from conformance.fuzz.programs import ProgramCall, Special, references
from conformance.observations import Returned, StructureObservation
from conformance.program import Binding, Program, Ref, Step

STATIC = "static"
"""The output that is what `int_shape` says of a result."""
Shape = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class WrongConstants:
    """Inputs whose static shapes are wrong, and a sentence on the first."""

    names: frozenset[str]
    function: str
    says: str


def wrong_constants(worker: Worker, question: Question, first: Course) -> WrongConstants | None:
    """The constants whose static shapes are wrong as they are made. WorkerStartError."""
    pairs = [*program_inputs(question.program, first, question.arrays[0])]
    items = tuple(i for i, _ in pairs if i.binding is Binding.CONSTANT)
    if not items:
        return None
    program = Program(items, (Step("axes", "ndim", (Ref(items[0].name),)),), ("axes",))
    arrays = {i.name: a for i, a in pairs if i in items}
    attempt = replace(question, program=program, arrays=[arrays], cuts=frozenset(), courses=())
    shapes = {i.name: i.shape for i in items}
    wrong = [
        (seen.name, seen.metadata.shape)
        for seen in worker.run_batch(attempt.batch).inputs
        if seen.metadata.shape is not None
        and not compatible(seen.metadata.shape, shapes[seen.name])
    ]
    if not wrong:
        return None
    name, shape = wrong[0]
    names = frozenset(name for name, _ in wrong)
    return WrongConstants(names, str(Binding.CONSTANT), _words(shape, shapes[name]))


def held_by_variables(question: Question, names: frozenset[str]) -> Question:
    """The question with variables in place of these constants."""
    program, plain = question.program, Binding.VARIABLE
    inputs = tuple(i.bound(plain) if i.name in names else i for i in program.inputs)
    steps = tuple(
        replace(s, function=str(plain)) if s.result in names else s for s in program.steps
    )
    return replace(question, program=replace(program, inputs=inputs, steps=steps))


def goes_on(program: Program, call: ProgramCall | Special) -> bool:
    """Whether another call is given the result: what is wrong with its static shape may show."""
    return any(call.result in references(step) for step in graph(program).steps)


def wrong_shape(
    observed: StructureObservation, name: str, real: tuple[int, ...]
) -> Mismatch | None:
    """The static shape of the only output, if it contradicts the real one."""
    for metadata in observed.outputs[0].metadata if observed.outputs else ():
        if metadata.promised and not metadata.not_integers:
            return _contradiction(metadata.shape, name, real)
    return None


def wrong_answer(
    observed: StructureObservation, outcome: Returned, name: str, real: tuple[int, ...]
) -> Mismatch | None:
    """The same of what `int_shape` gave as the output `STATIC`."""
    is_sequence = any(o.name == STATIC and o.container != "tensor" for o in observed.outputs)
    return _contradiction(_dimensions(outcome), name, real) if is_sequence else None


def _dimensions(outcome: Returned) -> Shape | None:
    dimensions = [v.array for v in outcome.values[STATIC]]
    if any(d is not None and (d.shape or d.dtype.kind not in "iu") for d in dimensions):
        return None
    return tuple(None if d is None else int(d) for d in dimensions)


def _contradiction(shape: Shape | None, name: str, real: tuple[int, ...]) -> Mismatch | None:
    if shape is None or compatible(shape, real):
        return None
    return Mismatch("static shape", name, 0, _words(shape, real))


def _words(shape: Shape | None, real: tuple[int, ...]) -> str:
    return f"has the static shape {shape}, not {real}"
