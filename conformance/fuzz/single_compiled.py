"""One call of a program alone, as a program that compiles functions has it.

Its tensors are made as they are there: placeholders of which as much is known, variables,
constants, the learning phase; what other calls gave is fed, or held by a variable where nothing fed
is in it. The call is compiled, its function is called once, and its static shape is looked at.
Once, because what a second call does to the results of the first is no matter of the call that was
compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.bounds.sessions import CALL, graph, is_session
from conformance.fuzz.bounds.statics import Static, given_statics, has_unknown, statics
from conformance.fuzz.calls import Call, Special, calls_of
from conformance.fuzz.failures import words_of
from conformance.fuzz.frame import (
    FUNCTION,
    depends,
    fed_names,
    is_of_frame,
    outputs_of,
    reads_phase,
)
from conformance.fuzz.judging import NO_ANSWER, Difference, Question, judged
from conformance.fuzz.making.freedom import is_fed, maker, start_of
from conformance.fuzz.programs import references
from conformance.fuzz.single_inputs import made
from conformance.fuzz.single_shapes import STATIC, goes_on, wrong_answer
from conformance.fuzz.single_steps import Blame, input_of, steps_of
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

    def of(self, call: Call | Special, fed_too: Sequence[str] = ()) -> Question | None:
        """The call alone, fed with these inputs of the program, too; None if nothing is fed."""
        steps = steps_of(self.question.program, call)
        results = {s.result for s in steps}
        needed = dict.fromkeys(n for s in steps for n in references(s) if n not in results)
        return self._of(call.result, steps, [*needed], fed_too)

    def given(self, name: str, fed_too: Sequence[str]) -> Question | None:
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
        made_ = [maker(i) for i, _ in pairs]
        phase = [Step(_PHASE, "learning_phase", ())] if phased else []
        program = Program(inputs, (*made_, *phase, *steps, *framed), ("call_0",))
        return replace(
            self.question, program=program, arrays=[arrays], cuts=frozenset(), courses=()
        )

    def _begun(self) -> Iterator[tuple[Input, Array]]:
        """What the program begins with, with its numbers."""
        known = {n: k.value for n, k in self.right.known.items()}
        yield from made(self.question.program, self.right, known)

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
        return statics(given_statics(program, right.types), right.calls, right.types)


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
    worker: Worker, question: Question, call: Call | Special, courses: Sequence[Course]
) -> Blame | None:
    """The call, if it fails compiled by itself as in a program that compiles functions."""
    ways = itertools.product(courses, (False, True)) if is_session(question.program) else ()
    for right, held in ways:
        one = Compiled(question, right, held).of(call)
        if one is None:
            continue
        shape = right.types[call.result].shape if goes_on(question.program, call) else None
        found = _differing(worker, one, call, shape)
        if found is not None:
            return Blame(call.spec.name, found, one)
    return None


def is_tried(question: Question, call: Call | Special, courses: Sequence[Course]) -> bool:
    """Whether a call that a fed phase decides can be compiled alone with each phase."""
    return all(Compiled(question, right).of(call) is not None for right in courses)


def _differing(
    worker: Worker, one: Question, call: Call | Special, shape: tuple[int, ...] | None
) -> Difference | None:
    """The first difference of a call that is compiled alone, or, if its shape is told, its wrong
    static shape."""
    look = Step(STATIC, f"{MAYBE}int_shape", (Ref(call.result),))
    made_, (compiled, called) = one.program.steps[:-2], one.program.steps[-2:]
    shown = Program(one.program.inputs, (*made_, look, compiled, called), ("call_0", STATIC))
    observed = worker.run_batch(replace(one, program=shown).batch)
    (outcome,) = (draw.outcome for draw in observed.draws)
    if isinstance(outcome, Returned):
        answer = replace(outcome, values={"call_0": outcome.values["call_0"]})
        observed = replace(observed, draws=(DrawObservation(answer),))
    found = _first(one, observed)
    if found is None and shape is not None and isinstance(outcome, Returned):
        return wrong_answer(observed, outcome, call.result, shape)
    return found


def _first(one: Question, observed: StructureObservation) -> Difference | None:
    try:
        return next(iter(judged(one, observed).differences), None)
    except NO_ANSWER:  # alone it has none
        return None


def blamed_function(
    worker: Worker, question: Question, differences: Sequence[Difference], right: Course
) -> Blame | None:
    """`function`, if it raises the same of one output alone, fed with what the program is fed with.

    An output that is made of nothing that is fed rests on a convention: no document says that there
    may be one.
    """
    raised = next((d for d in differences if is_of_frame(question, d)), None)
    if raised is None:
        return None
    for name in outputs_of(question):
        one = _output_alone(question, right, name)
        if one is None:
            continue
        found = _first(one, worker.run_batch(one.batch))
        if found is not None and _is_same(one, found, raised):
            return Blame(FUNCTION, _resting(question, name, found), one)
    return None


def _is_same(one: Question, found: Difference, raised: Difference) -> bool:
    """Whether `function` raises here what it was found to raise, but for names and numbers."""
    return is_of_frame(one, found) and words_of(found.says) == words_of(raised.says)


def _output_alone(question: Question, right: Course, name: str) -> Question | None:
    """A function of one output of one call; None if it is a gradient, which is of several."""
    compiled, fed = Compiled(question, right), fed_names(question.program)
    for call in calls_of(graph(question.program), question.edition):
        if call.result == name:
            return None if call.spec.name == "gradients" else compiled.of(call, fed)
    return compiled.given(name, fed)


def _resting(question: Question, name: str, found: Difference) -> Difference:
    if depends(question.program, name):
        return found
    rests = f"which rests on the convention {ConventionName.INDEPENDENT_OUTPUT}"
    return replace(found, says=f"{found.says}, {rests}")
