"""Why programs differ: a call that fails by itself, or a failure of composition.

An explained error also explains later programs that raise it in the same words, once it is known
that no call of theirs fails by itself. Most other chunks know the findings of the first chunk.
Therefore the report does not depend on the workers.

A program may also fail only for its later numbers, because a target computes them one after the
other with the same graph. If the last of them alone are right, the fault lies in the earlier calls.
Then the suite tries a program that calls its function again (`calling_again`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from conformance.adapters.session import Session
from conformance.fuzz.blame.calls import all_tried, blamed, lacks_shapes, right
from conformance.fuzz.blame.static_shapes import held_by_variables, wrong_constants
from conformance.fuzz.blame.steps import Blame
from conformance.fuzz.bounds.sessions import CALL, graph, is_session
from conformance.fuzz.judging import NO_ANSWER, Mismatch, Question, judged
from conformance.fuzz.making.growth import ComposedProgram
from conformance.fuzz.making.placeholders import is_fed, maker, start_of
from conformance.fuzz.programs import calls_of
from conformance.fuzz.records.failures import FUNCTION, failure, function_of, is_of_frame, words_of
from conformance.fuzz.records.tally import FiledFailure, ProgramTally
from conformance.fuzz.shrinking.reduction import Reduction, alike, planned, rest
from conformance.program import Binding, Input, Program, Ref, Step
from conformance.results import Replacement
from conformance.scripts import Prelude


def last_alone(question: Question, draw: int) -> Question:
    """The question with the numbers of one draw."""
    return replace(question, arrays=[question.arrays[draw]], courses=())


def calling_again(question: Question, draw: int) -> Question | None:
    """The function of the program, compiled once and called with the draws up to this one.

    Variables and constants have the numbers of this draw all along. None if nothing is fed.
    """
    program, known = question.program, question.arrays[: draw + 1]
    if question.way is not None:
        return None
    fed = [i for i in program.inputs if is_fed(i)]
    if is_session(program) or not fed or any(i.binding is Binding.ARRAY for i in program.inputs):
        return None
    arrays = {f"{i.name}_{n}": a[i.name] for n, a in enumerate(known) for i in fed}
    arrays |= {start_of(i): known[draw][i.name] for i in program.inputs if i not in fed}
    parameters, outputs = [Ref(i.name) for i in fed], [Ref(name) for name in program.outputs]
    calls = tuple(
        Step(f"call_{n}", CALL, (Ref("f"), [Ref(f"{i.name}_{n}") for i in fed]))
        for n in range(draw + 1)
    )
    compiled = Step("f", "function", (list(parameters), list(outputs)))
    steps = (*map(maker, program.inputs), *program.steps, compiled, *calls)
    inputs = tuple(
        Input(name, np.shape(a), np.asarray(a).dtype.name, Binding.ARRAY)
        for name, a in arrays.items()
    )
    whole = Program(inputs, steps, tuple(call.result for call in calls))
    return Question(whole, [arrays], question.edition)


PROCESSES = 3
"""The number of new processes, one after the other, in which a failure must show itself to be
filed: threads that race give one result often, and not always."""
ROUNDS = 4
"""How many functions that fail by themselves a program is tried without, one after the other."""


@dataclass(slots=True)
class Experience:
    """Failures of composition, by the words of their errors."""

    by_words: dict[str, FiledFailure] = field(default_factory=dict)
    faults: dict[str, Blame] = field(default_factory=dict)
    """The calls that turned out to fail by themselves in a smaller program, by the words of the
    error; of one chunk."""

    @classmethod
    def of(cls, failures: Iterable[FiledFailure]) -> Self:
        """The experience of these failures, the earlier ones first."""
        experience = cls()
        for item in failures:
            experience.learn(item)
        return experience

    def learn(self, item: FiledFailure) -> None:
        """Remember a failure, unless one like it is known."""
        filed = item.failure
        if filed.kind == "exception" and isinstance(filed.got, str):
            self.by_words.setdefault(words_of(filed.got), item)

    def like(self, difference: Mismatch) -> FiledFailure | None:
        """The failure that has the same words."""
        raised = difference.kind == "exception"
        return self.by_words.get(words_of(difference.says)) if raised else None


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains the programs of one chunk to a tally, by more runs of a worker."""

    session: Session
    tally: ProgramTally
    known: Experience
    prelude: Prelude
    seed: int
    replacements: Mapping[str, Replacement] | None = None
    """Those of the subject."""

    def explain(
        self, program: ComposedProgram, question: Question, differences: Sequence[Mismatch]
    ) -> None:
        """Blame calls that fail by themselves, or file a failure of composition.

        The program without a function that fails by itself is run again. The `differences` are
        those of the program.
        """
        begun = self._with_right_constants(program, question, differences)
        if begun is None:
            return
        question, differences = begun
        for round_ in range(ROUNDS):
            alone = self._explained(program, question, differences)
            if alone is None:
                self.tally.cover(question)
                return
            if not round_:
                self.tally.blame(program, alone.function, alone.difference.says)
            left = rest(question, alone.function)
            if left is None:
                return
            question = left
            differences = judged(question, self.session.run_batch(question.batch)).differences
            if not differences:
                self.tally.credit(question)
                return

    def _with_right_constants(
        self, program: ComposedProgram, question: Question, differences: Sequence[Mismatch]
    ) -> tuple[Question, Sequence[Mismatch]] | None:
        """The program with variables in place of constants whose static shapes are wrong from
        the start; None if it agrees so, and `constant` is to blame."""
        known = right(question)[0]
        wrong = None if question.way else wrong_constants(self.session, question, known)
        if wrong is None:
            return question, differences
        question = held_by_variables(question, wrong.names)
        differs = judged(question, self.session.run_batch(question.batch)).differences
        if differs:
            return question, differs
        self.tally.blame(program, wrong.function, wrong.says)
        self.tally.credit(question)
        return None

    def _explained(
        self, program: ComposedProgram, question: Question, differences: Sequence[Mismatch]
    ) -> Blame | None:
        """The call that fails by itself; None if there is none, and a failure was counted."""
        alone = blamed(self.session, question, differences, self.tally.blamed)
        if alone is not None:
            return alone
        again = judged(question, self.session.run_batch(question.batch)).differences
        if not again:
            self.tally.counts["unrepeated"] += 1
            return None
        like = self.known.like(again[0])
        if like is not None:
            self.tally.count_alike(like.function, like.failure)
            return None
        fault = self.known.faults.get(words_of(again[0].says))
        if fault is not None and _may_be(fault, question, again[0]):
            return fault
        failing = self._with_earlier_numbers(question, again[0])
        if failing is None:
            self.tally.counts["unrepeated"] += 1
            return None
        return self._reduced(program, *failing, _whole(question, again[0].draw))

    def _with_earlier_numbers(
        self, question: Question, difference: Mismatch
    ) -> tuple[Question, Mismatch] | None:
        """The failing numbers alone, or else called after those before them; None if neither
        differs."""
        draw = difference.draw
        for asked in _planned(last_alone(question, draw), calling_again(question, draw)):
            differs = judged(asked, self.session.run_batch(asked.batch)).differences
            if differs:
                return asked, differs[0]
        return None

    def _first_steady(self, questions: Iterable[Question]) -> tuple[Question, Mismatch] | None:
        """The first of these that differs alike in each of several new processes."""
        return next((steady for q in questions if (steady := self._steadily(q))), None)

    def _steadily(self, asked: Question) -> tuple[Question, Mismatch] | None:
        """The question with its difference; None if a process that has computed nothing before does
        not show it: then the result may depend on timing."""
        shown: list[Mismatch] = []
        for _ in range(PROCESSES):
            self.session.renew()
            differs = judged(asked, self.session.run_batch(asked.batch)).differences
            if not differs or (shown and not any(alike(d, shown[0]) for d in differs)):
                return None
            shown.append(differs[0])
        return asked, shown[0]

    def _reduced(
        self,
        program: ComposedProgram,
        question: Question,
        difference: Mismatch,
        whole: Sequence[Question],
    ) -> Blame | None:
        """As `_explained`; of the programs in `whole` it was made smaller."""
        reduction = Reduction(self.session, question, difference)
        reduction.run()
        differs = [reduction.difference]
        alone = blamed(self.session, reduction.question, differs, self.tally.blamed)
        if alone is None and _is_of_one_call(reduction):
            function = function_of(reduction.question, reduction.difference)
            alone = Blame(function, reduction.difference, reduction.question)
        if alone is None:
            self._file(program, [reduction.question, *whole])
        elif difference.kind == "exception":
            self.known.faults.setdefault(words_of(difference.says), alone)
        return alone

    def _file(self, program: ComposedProgram, questions: Iterable[Question]) -> None:
        """Count the first of these programs that fails in a new process, as its script will be."""
        anew = self._first_steady(questions)
        if anew is None:
            self.tally.counts["unrepeated"] += 1
            return
        question, difference = anew
        filed = failure(
            question,
            difference,
            self.prelude,
            seed=self.seed,
            number=program.number,
            shapeless=shapeless(self.session, question, difference),
            tried=all_tried(question),
            replacements=self.replacements,
        )
        composed = FiledFailure(function_of(question, difference), filed)
        self.tally.add(composed.function, filed)
        self.known.learn(composed)


def _whole(question: Question, draw: int) -> list[Question]:
    """The program with one call of its function for all numbers, and with the numbers of one
    draw."""
    last = len(question.arrays) - 1
    return [*_planned(calling_again(question, last), last_alone(question, draw))]


def _planned(*questions: Question | None) -> Iterator[Question]:
    """Those of the questions that have an answer."""
    for question in questions:
        try:
            if question is not None and (asked := planned(question)):
                yield asked
        except NO_ANSWER:
            continue


def shapeless(worker: Session, question: Question, difference: Mismatch) -> bool:
    """Whether a program raises because the target does not know the shape of a result."""
    if difference.kind != "exception":
        return False
    words = words_of(difference.says)
    return lacks_shapes(worker, question, lambda other: words_of(other.says) == words)


def _calls(question: Question, function: str) -> bool:
    """Whether a program calls a function."""
    calls = calls_of(graph(question.program), question.edition)
    steps = (step.function for step in question.program.steps)
    return function in {*steps, *(call.spec.name for call in calls)}


def _may_be(fault: Blame, question: Question, difference: Mismatch) -> bool:
    """Whether an error can be the error that a call raises alone."""
    if fault.function == FUNCTION:
        return is_of_frame(question, difference)
    return _calls(question, fault.function)


def _is_of_one_call(reduction: Reduction) -> bool:
    """Whether one call, or a function of one or of none, raises in a program that compiles it."""
    program = reduction.question.program
    calls = list(calls_of(graph(program), reduction.question.edition))
    return is_session(program) and reduction.difference.kind == "exception" and len(calls) < 2
