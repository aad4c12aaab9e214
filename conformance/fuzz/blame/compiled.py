"""One call of a program alone, as a program that compiles functions has it.

Its tensors are made as they are there: placeholders of which as much is known, variables,
constants, the learning phase. Results of other calls are fed, or held by a variable where they
depend on nothing fed. The call is compiled, its function is called once, and its static shape is
looked at. It is called once, because a second call's effect on the first results does not concern
the call that was compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.fuzz.blame.static_shapes import STATIC, goes_on, wrong_answer
from conformance.fuzz.blame.steps import Blame, input_of, program_inputs, steps_of
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.sessions import CALL, graph, is_session
from conformance.fuzz.bounds.static_shapes import Static, has_unknown, initial_shapes, static_shapes
from conformance.fuzz.judging import NO_ANSWER, Mismatch, Question, judged
from conformance.fuzz.making.placeholders import is_fed, maker, start_of
from conformance.fuzz.programs import ProgramCall, Special, calls_of, references
from conformance.fuzz.records.failures import (
    FUNCTION,
    depends,
    fed_names,
    is_of_frame,
    outputs_of,
    reads_phase,
    words_of,
)
from conformance.generators.tensors import told
from conformance.observations import DrawObservation, Returned, StructureObservation
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from conformance.program.marks import MAYBE
from conformance.program.model import AS_THEY_ARE
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
_PHASE = "phase"


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """How calls of a program are compiled alone, with the numbers of one of its calls."""

    question: Question
    right: Course
    held: bool = False
    """Whether variables hold what other calls gave, also where something fed is in it."""

    def of(self, call: ProgramCall | Special, fed_too: Sequence[str] = ()) -> Question | None:
        """The call alone, also fed with these inputs of the program; None if nothing is fed."""
        steps = steps_of(self.question.program, call)
        results = {s.result for s in steps}
        needed = dict.fromkeys(n for s in steps for n in references(s) if n not in results)
        return self._of(call.result, steps, [*needed], fed_too)

    def input_alone(self, name: str, fed_too: Sequence[str]) -> Question | None:
        """A tensor that the program begins with, alone, as an output."""
        return self._of(name, (), [name], fed_too)

    def _of(
        self, result: str, steps: Sequence[Step], needed: Sequence[str], fed_too: Sequence[str]
    ) -> Question | None:
        begun = {item.name: (item, array) for item, array in self._begun()}
        names = dict.fromkeys([*needed, *(n for n in fed_too if n in begun)])
        pairs = [begun.get(n) or self._result(n) for n in names]
        if any(item.binding in AS_THEY_ARE for item, _ in pairs):
            return None
        phased = any(map(reads_phase, steps)) or any(n not in begun for n in fed_too)
        arrays = {f"{i.name}_0" if is_fed(i) else start_of(i): a for i, a in pairs}
        inputs = tuple(Input(n, a.shape, a.dtype.name, Binding.ARRAY) for n, a in arrays.items())
        fed = [i.name for i, _ in pairs if is_fed(i)]
        if not (fed or phased) or (phased and self.right.phase is None):
            return None
        framed = _framed(fed, self.right.phase if phased else None, result)
        makers = [maker(i) for i, _ in pairs]
        phase = [Step(_PHASE, "learning_phase", ())] if phased else []
        program = Program(inputs, (*makers, *phase, *steps, *framed), ("call_0",))
        return replace(
            self.question, program=program, arrays=[arrays], cuts=frozenset(), courses=()
        )

    def _begun(self) -> Iterator[tuple[Input, Array]]:
        """The tensors that the program begins with, with their numbers."""
        known = {n: k.value for n, k in self.right.known.items()}
        yield from program_inputs(self.question.program, self.right, known)

    def _result(self, name: str) -> tuple[Input, Array]:
        """The input that takes the place of what another call gave."""
        program = self.question.program
        fed = depends(program, name) and not self.held
        binding = Binding.PLACEHOLDER if fed else Binding.VARIABLE
        item = input_of(program, name, self.right, binding)
        known = self._statics().get(name, ())
        if is_fed(item) and None in known:
            item = told(replace(item, binding=Binding.PLACEHOLDER_NONE), known)
        return item, np.asarray(self.right.known[name].value)

    def _statics(self) -> Mapping[str, Static]:
        program, right = self.question.program, self.right
        if not has_unknown(program):
            return {}
        return static_shapes(initial_shapes(program, right.types), right.calls, right.types)


def _framed(fed: Sequence[str], phase: int | None, result: str) -> Iterator[Step]:
    """The steps that compile the result, and call the function once."""
    inputs: list[Argument] = [Ref(n) for n in fed]
    values: list[Argument] = [Ref(f"{n}_0") for n in fed]
    if phase is not None:
        inputs.append(Ref(_PHASE))
        values.append(phase)
    yield Step("f", FUNCTION, (inputs, [Ref(result)]))
    yield Step("call_0", CALL, (Ref("f"), values))


def blamed_compiled(
    worker: Worker, question: Question, call: ProgramCall | Special, courses: Sequence[Course]
) -> Blame | None:
    """The call, if it fails compiled by itself as in a program that compiles functions."""
    ways = itertools.product(courses, (False, True)) if is_session(question.program) else ()
    for right, held in ways:
        alone = Compiled(question, right, held).of(call)
        if alone is None:
            continue
        shape = right.types[call.result].shape if goes_on(question.program, call) else None
        difference = _differing(worker, alone, call, shape)
        if difference is not None:
            return Blame(call.spec.name, difference, alone)
    return None


def is_tried(question: Question, call: ProgramCall | Special, courses: Sequence[Course]) -> bool:
    """Whether a call that a fed phase decides can be compiled alone with each phase."""
    return all(Compiled(question, right).of(call) is not None for right in courses)


def _differing(
    worker: Worker, alone: Question, call: ProgramCall | Special, shape: tuple[int, ...] | None
) -> Mismatch | None:
    """The first difference of a call that is compiled alone, or its wrong static shape if `shape`
    is given."""
    look = Step(STATIC, f"{MAYBE}int_shape", (Ref(call.result),))
    makers, (compiled, called) = alone.program.steps[:-2], alone.program.steps[-2:]
    shown = Program(alone.program.inputs, (*makers, look, compiled, called), ("call_0", STATIC))
    observed = worker.run_batch(replace(alone, program=shown).batch)
    (outcome,) = (draw.outcome for draw in observed.draws)
    if isinstance(outcome, Returned):
        answer = replace(outcome, values={"call_0": outcome.values["call_0"]})
        observed = replace(observed, draws=(DrawObservation(answer),))
    difference = _first(alone, observed)
    if difference is None and shape is not None and isinstance(outcome, Returned):
        return wrong_answer(observed, outcome, call.result, shape)
    return difference


def _first(alone: Question, observed: StructureObservation) -> Mismatch | None:
    try:
        return next(iter(judged(alone, observed).differences), None)
    except NO_ANSWER:  # alone it has none
        return None


def blamed_function(
    worker: Worker, question: Question, differences: Sequence[Mismatch], right: Course
) -> Blame | None:
    """`function`, if it raises the same for one output alone, fed as the program is fed.

    An output that is made of nothing that is fed rests on a convention: no document says that there
    may be one.
    """
    raised = next((d for d in differences if is_of_frame(question, d)), None)
    if raised is None:
        return None
    for name in outputs_of(question):
        alone = _output_alone(question, right, name)
        if alone is None:
            continue
        difference = _first(alone, worker.run_batch(alone.batch))
        if difference is not None and _is_same(alone, difference, raised):
            return Blame(FUNCTION, _resting(question, name, difference), alone)
    return None


def _is_same(alone: Question, difference: Mismatch, raised: Mismatch) -> bool:
    """Whether `function` raises the same here as in the program, names and numbers aside."""
    return is_of_frame(alone, difference) and words_of(difference.says) == words_of(raised.says)


def _output_alone(question: Question, right: Course, name: str) -> Question | None:
    """A function of one output of one call; None if it is a gradient, which is of several."""
    compiled, fed = Compiled(question, right), fed_names(question.program)
    for call in calls_of(graph(question.program), question.edition):
        if call.result == name:
            return None if call.spec.name == "gradients" else compiled.of(call, fed)
    return compiled.input_alone(name, fed)


def _resting(question: Question, name: str, difference: Mismatch) -> Mismatch:
    if depends(question.program, name):
        return difference
    rests = f"which rests on the convention {ConventionName.INDEPENDENT_OUTPUT}"
    return replace(difference, says=f"{difference.says}, {rests}")
