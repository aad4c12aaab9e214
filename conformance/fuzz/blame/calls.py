"""Whether the calls of a failing program fail by themselves.

Each call is run alone, in a program of its own, on the right numbers and on those that the target
itself had there. A difference there is a failure of that function, which `conformance run` is there
to find, and not a failure of composition.

The calls in the body of a loop run alone before the loop does, with the numbers of each round.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.editions import Edition
from conformance.fuzz.blame.compiled import blamed_compiled, blamed_function, is_tried
from conformance.fuzz.blame.gradients import blamed_gradient
from conformance.fuzz.blame.static_shapes import goes_on, wrong_shape
from conformance.fuzz.blame.steps import (
    MAKERS,
    Blame,
    blamed_input,
    blamed_update,
    input_of,
    steps_of,
)
from conformance.fuzz.bounds.control_flow import run_body, special_answer, takes_state
from conformance.fuzz.bounds.course import Course, course
from conformance.fuzz.bounds.sessions import GraphSession, graph, is_session
from conformance.fuzz.bounds.static_shapes import Static, has_unknown, initial_shapes, static_shapes
from conformance.fuzz.bounds.tensors import Known, Typed
from conformance.fuzz.judging import NO_ANSWER, Mismatch, Question, differing, judged
from conformance.fuzz.programs import ProgramCall, Special, calls_of, references
from conformance.fuzz.records.failures import depends, reads_phase
from conformance.generators.tensors import told
from conformance.observations import DrawObservation, Returned, StructureObservation
from conformance.program import Binding, Function, Input, Program, Ref, Step


@dataclass(slots=True)
class _Watched(Course):
    """A course that keeps what is known in each round of its loops."""

    rounds: list[Course] = field(default_factory=list)

    def copied(self) -> Course:
        """The same so far; the round that it is of is kept."""
        inner = Course.copied(self)
        self.rounds.append(inner)
        return inner


@dataclass(frozen=True, slots=True, eq=False)
class LoopBody:
    """The calls of a loop's body, as calls of a program, and the course of each round."""

    question: Question
    calls: Sequence[ProgramCall | Special]
    rounds: Sequence[Course]


def body_of(
    question: Question, call: ProgramCall | Special, courses: Sequence[Course]
) -> LoopBody | None:
    """The body of a loop; None if the call is none, or what is in it is not known."""
    body = next(iter(_bodies(call)), None)
    if body is None or not isinstance(call, Special):
        return None
    steps = tuple(step for step in body.steps if not takes_state(body, step))
    program, edition = question.program, question.edition
    inside = Program(program.inputs, (*program.steps, *steps), program.outputs)
    rounds = [r for course in courses for r in _rounds(course, call, edition)]
    calls = list(calls_of(Program((), steps, ()), edition))
    whole = all(c.result in r.known for r in rounds for c in calls)
    return LoopBody(replace(question, program=inside), calls, rounds) if rounds and whole else None


def _bodies(call: ProgramCall | Special) -> Iterator[Function]:
    step: Step | None = call.step if isinstance(call, Special) else None
    yield from (v for v in (step.args if step else ()) if isinstance(v, Function))


def _rounds(course: Course, call: Special, edition: Edition) -> Sequence[Course]:
    """The course of each round of the loop."""
    before = course.copied()
    watched = _Watched(
        before.types,
        before.known,
        before.shown,
        before.planned,
        before.cuts,
        before.unjudged,
        before.phase,
        before.calls,
        before.sweeps,
    )
    try:
        special_answer(watched, call, edition)
        if not watched.rounds:
            _of_one_element(watched, call, edition)
    except NO_ANSWER:
        return []
    return watched.rounds


def _of_one_element(course: Course, call: Special, edition: Edition) -> None:
    """Run the body of `foldl` that is given one element alone, which computes nothing: a graph has
    the body all the same."""
    body, elements = call.step.args[:2]
    assert isinstance(body, Function)
    assert isinstance(elements, Ref)
    kind, known = course.types[elements.name], course.argument(elements.name)
    first = Typed(kind.shape[1:], kind.dtypes), Known(known.value[0], known.reach[0])
    run_body(course, body, dict.fromkeys(body.parameters, first), [body.returns], edition)


Array = npt.NDArray[Any]


def blamed(
    worker: Worker,
    question: Question,
    differences: Sequence[Mismatch] = (),
    suspects: Container[str] = (),
) -> Blame | None:
    """The first call that fails by itself; None if none does.

    Each trial may be compiled, so the likeliest calls are tried first. These are the call that
    raised among the program's `differences`, and the calls whose results are wrong when every
    tensor is observed. The functions in `suspects` follow.

    Raises:
        WorkerStartError: the target does not start.
    """
    return next(_blames(worker, question, differences, suspects), None)


def _blames(
    worker: Worker,
    question: Question,
    differences: Sequence[Mismatch],
    suspects: Container[str],
) -> Iterator[Blame]:
    """Calls and other parts that fail by themselves: the call that raised, inputs, calls, updates,
    gradients of calls, and `function` of one output."""
    calls = list(calls_of(graph(question.program), question.edition))
    courses = right(question)
    raised = _raised(question.program, calls, differences)
    yield from _at_fault(worker, question, raised, [*_of_same_shapes(courses, _nothing(courses))])
    draws = [] if is_session(question.program) else _in_full_view(worker, question).draws
    groups = [*_of_same_shapes(courses, _own_numbers(draws) or _nothing(courses))]
    yield from (b for b in [blamed_input(worker, question, groups[0][0][0])] if b)
    wrong = _wrong(courses, draws)
    likely = sorted(calls, key=lambda c: (c.result not in wrong, c.spec.name not in suspects))
    yield from _at_fault(worker, question, likely, groups)
    first = groups[0][0][0]
    if is_session(question.program):
        yield from (b for b in [blamed_update(worker, question, first)] if b)
    if any(isinstance(c, Special) and c.function == "gradients" for c in calls):
        yield from (b for g in groups if (b := blamed_gradient(worker, question, g[0][0])))
    if question.way is None:
        yield from (b for b in [blamed_function(worker, question, differences, first)] if b)


def _raised(
    program: Program, calls: Sequence[ProgramCall | Special], differences: Sequence[Mismatch]
) -> Sequence[ProgramCall | Special]:
    """The calls with a step that raised."""
    steps = {program.steps[d.step].result for d in differences if d.step is not None}
    return [c for c in calls if any(s.result in steps for s in steps_of(program, c))]


def _wrong(courses: Sequence[Course], draws: Sequence[DrawObservation]) -> frozenset[str]:
    """The tensors with wrong numbers on the target."""
    return frozenset(
        name
        for number, (known, draw) in enumerate(zip(courses, draws, strict=False))
        if isinstance(draw.outcome, Returned)
        for name, values in draw.outcome.values.items()
        if name in known.known and any(differing(known, name, number, values))
    )


Group = tuple[Sequence[Course], Sequence[Mapping[str, Array]]]
"""Courses whose tensors have the same shapes, with the target's own numbers of each."""


def right(question: Question) -> Sequence[Course]:
    """The right answer of each draw, or of each call of a program that compiles a function."""
    if not is_session(question.program):
        return [course(question.program, a, question.edition) for a in question.arrays]
    run = GraphSession(question.program, question.arrays[0], question.edition)
    run.run()
    return run.courses


def _of_same_shapes(
    courses: Sequence[Course], own: Sequence[Mapping[str, Array]]
) -> Iterator[Group]:
    shapes = [{name: kind.shape for name, kind in c.types.items()} for c in courses]
    for number, mine in enumerate(shapes):
        if mine not in shapes[:number]:
            alike = [n for n, other in enumerate(shapes) if other == mine]
            yield [courses[n] for n in alike], [own[n] for n in alike]


def _at_fault(
    worker: Worker,
    question: Question,
    calls: Iterable[ProgramCall | Special],
    groups: Sequence[Group],
) -> Iterator[Blame]:
    """The calls that fail by themselves."""
    for call in calls:
        for courses, own in groups:
            body = body_of(question, call, courses)
            if body is not None:
                inside = [*_of_same_shapes(body.rounds, _nothing(body.rounds))]
                yield from _at_fault(worker, body.question, body.calls, inside)
            yield from (b for b in [_fault(worker, question, call, (courses, own))] if b)


def _fault(
    worker: Worker, question: Question, call: ProgramCall | Special, group: Group
) -> Blame | None:
    """The call, if it fails by itself: made, or compiled as the program has it."""
    if isinstance(call, Special) and call.function == "gradients":
        return None
    for alone in _each_alone(question, call, *group) if _stands_alone(call) else ():
        observed = worker.run_batch(alone.batch)
        differences = judged(alone, observed).differences
        shape = group[0][0].types[call.result].shape
        if not differences and goes_on(question.program, call):
            differences = [d for d in [wrong_shape(observed, call.result, shape)] if d]
        if differences:
            return Blame(call.spec.name, differences[0], alone)
    return blamed_compiled(worker, question, call, group[0])


def _each_alone(
    question: Question,
    call: ProgramCall | Special,
    courses: Sequence[Course],
    own: Sequence[Mapping[str, Array]],
) -> Iterator[Question]:
    """The call with its tensors made in each way: with unknown dimensions, too, if there are some
    in the program."""
    yield from (_alone(question, call, courses, own, way) for way in (_fed, _held))
    free = {n: depends(question.program, n) for n in call.references()}
    if len({*free.values()}) > 1:  # together: some functions mind what is fed beside what is not
        yield _alone(question, call, courses, own, lambda n: _fed(n) if free.get(n) else _held(n))
    if has_unknown(question.program):
        right = courses[0]
        begun = initial_shapes(question.program, right.types)
        known = static_shapes(begun, right.calls, right.types)
        fed = _alone(question, call, courses, own, _fed)
        yield replace(fed, program=_unknown(fed.program, known))


def lacks_shapes(worker: Worker, question: Question, alike: Callable[[Mismatch], bool]) -> bool:
    """Whether a call alone fails alike where some lengths of what other calls gave are not known.

    Then the program fails because the target does not know these lengths. WorkerStartError.
    """
    courses = right(question)[:1]
    for call in calls_of(graph(question.program), question.edition):
        if _stands_alone(call):
            alone = _alone(question, call, courses, _nothing(courses), _fed)
            for program in _of_fewer_lengths(alone.program, question.program):
                attempt = replace(alone, program=program)
                if any(map(alike, judged(attempt, worker.run_batch(attempt.batch)).differences)):
                    return True
    return False


def _of_fewer_lengths(program: Program, whole: Program) -> Iterator[Program]:
    """The program in which the results of other calls of the whole one have axes of any length:
    each set of axes, the largest first."""
    begun = {i.name for i in whole.inputs}
    begun |= {s.result for s in whole.steps if s.function in MAKERS}
    results = [i for i in program.inputs if i.name not in begun]
    axes = range(max((len(i.shape) for i in results), default=0))
    for count in range(len(axes), 0, -1):
        for free in itertools.combinations(axes, count):
            known = {
                i.name: tuple(None if axis in free else d for axis, d in enumerate(i.shape))
                for i in results
            }
            yield _unknown(program, known)


def _unknown(program: Program, known: Mapping[str, Static]) -> Program:
    """The program with placeholders whose known dimensions are only these."""
    return replace(program, inputs=tuple(_less_known(i, known) for i in program.inputs))


def _less_known(item: Input, known: Mapping[str, Static]) -> Input:
    if item.binding is not Binding.PLACEHOLDER or None not in known.get(item.name, ()):
        return item
    return told(replace(item, binding=Binding.PLACEHOLDER_NONE), known[item.name])


def _fed(_: str) -> Binding:
    return Binding.PLACEHOLDER


def _held(_: str) -> Binding:
    """Some functions, such as `zeros`, return variables."""
    return Binding.VARIABLE


def _stands_alone(call: ProgramCall | Special) -> bool:
    """Whether the call has a meaning by itself. A gradient has none. Neither has a call that reads
    a fed phase, which is compiled alone."""
    if isinstance(call, ProgramCall):
        return True
    return call.function != "gradients" and not reads_phase(call.step)


def all_tried(question: Question) -> bool:
    """Whether every call of a program can be tried alone."""
    courses = right(question)
    calls = calls_of(graph(question.program), question.edition)
    phased = [c for c in calls if isinstance(c, Special) and reads_phase(c.step)]
    return all(is_tried(question, call, courses) for call in phased)


def _nothing(courses: Sequence[Course]) -> Sequence[Mapping[str, Array]]:
    return [{} for _ in courses]


def _in_full_view(worker: Worker, question: Question) -> StructureObservation:
    """The same program with every tensor observed."""
    calls = calls_of(question.program, question.edition)
    everything = frozenset(c.result for c in calls if c.part is None or not c.part.flat)
    return worker.run_batch(replace(question, cuts=everything, courses=()).batch)


def _own_numbers(draws: Sequence[DrawObservation]) -> Sequence[Mapping[str, Array]]:
    """The target's own numbers of each draw, where it has shown them."""
    numbers = []
    for draw in draws:
        shown: dict[str, Array] = {}
        if isinstance(draw.outcome, Returned):
            for name, values in draw.outcome.values.items():
                if len(values) == 1 and values[0].array is not None:
                    shown[name] = values[0].array
        numbers.append(shown)
    return numbers


def _alone(
    question: Question,
    call: ProgramCall | Special,
    courses: Sequence[Course],
    own: Sequence[Mapping[str, Array]],
    binding: Callable[[str], Binding],
) -> Question:
    """The call in a program of its own; results of others are inputs of such a binding."""
    steps = steps_of(question.program, call)
    results = {s.result for s in steps}
    needed = [n for n in dict.fromkeys(r for s in steps for r in references(s)) if n not in results]
    inputs = tuple(input_of(question.program, n, courses[0], binding(n)) for n in needed)
    program = Program(inputs, steps, (call.result,))
    right = [{i.name: c.known[i.name].value for i in inputs} for c in courses]
    shown = [_shown(inputs, numbers, arrays) for numbers, arrays in zip(own, right, strict=True)]
    draws = [*right, *(s for s in shown if s is not None)]
    return replace(question, program=program, arrays=draws, cuts=frozenset(), courses=())


def _shown(
    inputs: Sequence[Input], own: Mapping[str, Array], right: Mapping[str, Array]
) -> Mapping[str, Array] | None:
    """The target's own numbers for these inputs; None where none differs, or one cannot be fed."""
    numbers, differs = dict(right), False
    for item in inputs:
        array = own.get(item.name)
        if array is None:
            continue
        if array.shape != item.shape or array.dtype.kind not in "fiub":
            return None
        numbers[item.name] = array.astype(item.dtype)
        differs = differs or not np.array_equal(numbers[item.name], right[item.name])
    finite = all(np.isfinite(a).all() for a in numbers.values() if a.dtype.kind == "f")
    return numbers if differs and finite else None
