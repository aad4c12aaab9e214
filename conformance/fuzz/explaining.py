"""Why programs differ: a call that fails by itself, or a failure of composition.

What was found of an error also explains later programs that raise it in the same words, once it is
known that no call of theirs fails by itself. What the first chunk of a run has found is known to
most others, so that what is told does not depend on the workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from conformance.adapters.session import Session
from conformance.fuzz.bounds.sessions import graph, is_session
from conformance.fuzz.calling_again import calling_again, last_alone
from conformance.fuzz.calls import calls_of
from conformance.fuzz.failures import failure, function_of, words_of
from conformance.fuzz.frame import FUNCTION, is_of_frame
from conformance.fuzz.judging import NO_ANSWER, Difference, Question, judged
from conformance.fuzz.making.growth import Composed
from conformance.fuzz.reduction import Reduction, alike, planned, rest
from conformance.fuzz.single import all_tried, blamed, lacks_shapes, right
from conformance.fuzz.single_shapes import held_by_variables, wrongly_made
from conformance.fuzz.single_steps import Blame
from conformance.fuzz.tally import Found, Tally
from conformance.program import Prelude
from conformance.results import Replacement

PROCESSES = 3
"""In how many new processes, one after the other, a failure must show itself to be filed: what
threads race for comes out in one way often, and not always."""
ROUNDS = 4
"""How many functions that fail by themselves a program is tried without, one after the other."""


@dataclass(slots=True)
class Experience:
    """Failures of composition, by the words of their errors."""

    by_words: dict[str, Found] = field(default_factory=dict)
    faults: dict[str, Blame] = field(default_factory=dict)
    """The calls that turned out to fail by themselves in a smaller program, by the words of the
    error; of one chunk."""

    @classmethod
    def of(cls, failures: Iterable[Found]) -> Self:
        """What these tell, the earlier ones first."""
        made = cls()
        for one in failures:
            made.learn(one)
        return made

    def learn(self, one: Found) -> None:
        """Remember a failure, unless one like it is known."""
        filed = one.failure
        if filed.kind == "exception" and isinstance(filed.got, str):
            self.by_words.setdefault(words_of(filed.got), one)

    def like(self, difference: Difference) -> Found | None:
        """The failure that has the same words."""
        raised = difference.kind == "exception"
        return self.by_words.get(words_of(difference.says)) if raised else None


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains the programs of one chunk to a tally, by more runs of a worker."""

    session: Session
    found: Tally
    known: Experience
    prelude: Prelude
    seed: int
    replacements: Mapping[str, Replacement] | None = None
    """Those of the subject."""

    def explain(self, one: Composed, question: Question, differences: Sequence[Difference]) -> None:
        """Blame calls that fail by themselves, or file a failure of composition.

        What is left of a program without a function that fails by itself is run again. The
        `differences` are those of the program.
        """
        begun = self._well_made(one, question, differences)
        if begun is None:
            return
        question, differences = begun
        for round_ in range(ROUNDS):
            alone = self._explained(one, question, differences)
            if alone is None:
                return
            if not round_:
                self.found.blame(one, alone.function, alone.difference.says)
            left = rest(question, alone.function)
            if left is None:
                return
            question = left
            differences = judged(question, self.session.run_batch(question.batch)).differences
            if not differences:
                self.found.credit(question)
                return

    def _well_made(
        self, one: Composed, question: Question, differences: Sequence[Difference]
    ) -> tuple[Question, Sequence[Difference]] | None:
        """The program with variables in the place of constants whose static shapes are wrong from
        the start; None if it agrees so, and `constant` is to blame."""
        wrong = wrongly_made(self.session, question, right(question)[0])
        if wrong is None:
            return question, differences
        question = held_by_variables(question, wrong.names)
        differs = judged(question, self.session.run_batch(question.batch)).differences
        if differs:
            return question, differs
        self.found.blame(one, wrong.function, wrong.says)
        self.found.credit(question)
        return None

    def _explained(
        self, one: Composed, question: Question, differences: Sequence[Difference]
    ) -> Blame | None:
        """The call that fails by itself; None if there is none, and a failure was counted."""
        alone = blamed(self.session, question, differences, self.found.blamed)
        if alone is not None:
            return alone
        again = judged(question, self.session.run_batch(question.batch)).differences
        if not again:
            self.found.counts["unrepeated"] += 1
            return None
        like = self.known.like(again[0])
        if like is not None:
            self.found.count_alike(like.function, like.failure)
            return None
        fault = self.known.faults.get(words_of(again[0].says))
        if fault is not None and _may_be(fault, question, again[0]):
            return fault
        failing = self._with_what_came_before(question, again[0])
        if failing is None:
            self.found.counts["unrepeated"] += 1
            return None
        return self._reduced(one, *failing, _whole(question, again[0].draw))

    def _with_what_came_before(
        self, question: Question, difference: Difference
    ) -> tuple[Question, Difference] | None:
        """The failing numbers alone, or else called after those before them; None if neither
        differs."""
        draw = difference.draw
        for asked in _planned(last_alone(question, draw), calling_again(question, draw)):
            differs = judged(asked, self.session.run_batch(asked.batch)).differences
            if differs:
                return asked, differs[0]
        return None

    def _anew(self, questions: Iterable[Question]) -> tuple[Question, Difference] | None:
        """The first of these that differs alike in each of several new processes."""
        return next((found for q in questions if (found := self._steadily(q))), None)

    def _steadily(self, asked: Question) -> tuple[Question, Difference] | None:
        """The question with its difference; None if a process that has computed nothing before does
        not show it: then what comes may depend on timing."""
        found: list[Difference] = []
        for _ in range(PROCESSES):
            self.session.renew()
            differs = judged(asked, self.session.run_batch(asked.batch)).differences
            if not differs or (found and not any(alike(d, found[0]) for d in differs)):
                return None
            found.append(differs[0])
        return asked, found[0]

    def _reduced(
        self, one: Composed, question: Question, difference: Difference, whole: Sequence[Question]
    ) -> Blame | None:
        """As `_explained`; of the programs in `whole` it was made smaller."""
        reduction = Reduction(self.session, question, difference)
        reduction.run()
        differs = [reduction.difference]
        alone = blamed(self.session, reduction.question, differs, self.found.blamed)
        if alone is None and _is_of_one_call(reduction):
            function = function_of(reduction.question, reduction.difference)
            alone = Blame(function, reduction.difference, reduction.question)
        if alone is None:
            self._file(one, [reduction.question, *whole])
        elif difference.kind == "exception":
            self.known.faults.setdefault(words_of(difference.says), alone)
        return alone

    def _file(self, one: Composed, questions: Iterable[Question]) -> None:
        """Count the first of these programs that fails in a new process, as its script will be."""
        anew = self._anew(questions)
        if anew is None:
            self.found.counts["unrepeated"] += 1
            return
        question, difference = anew
        filed = failure(
            question,
            difference,
            self.prelude,
            seed=self.seed,
            number=one.number,
            shapeless=shapeless(self.session, question, difference),
            tried=all_tried(question),
            replacements=self.replacements,
        )
        found = Found(function_of(question, difference), filed)
        self.found.add(found.function, filed)
        self.known.learn(found)


def _whole(question: Question, draw: int) -> list[Question]:
    """The program as one that calls its function with all numbers, and with those of one draw."""
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


def shapeless(worker: Session, question: Question, difference: Difference) -> bool:
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


def _may_be(fault: Blame, question: Question, difference: Difference) -> bool:
    """Whether an error can be the one that a call was found to raise alone."""
    if fault.function == FUNCTION:
        return is_of_frame(question, difference)
    return _calls(question, fault.function)


def _is_of_one_call(reduction: Reduction) -> bool:
    """Whether one call, or a function of one or of none, raises in a program that compiles it."""
    program = reduction.question.program
    calls = list(calls_of(graph(program), reduction.question.edition))
    return is_session(program) and reduction.difference.kind == "exception" and len(calls) < 2
