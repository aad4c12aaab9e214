"""The composed program with a number, and programs with the gradient of a gradient.

Programs with second derivatives take their other choices from random numbers of their own.
Therefore a program without a place for a second derivative equals the program that its number had
without them.
"""

from __future__ import annotations

import math
import random

import numpy as np

from conformance.editions import compiles
from conformance.fuzz.bounds.curvature import is_bent, is_known
from conformance.fuzz.bounds.second_derivatives import PASSED_ON, calls_between
from conformance.fuzz.making.control_flow import MOST_WEIGHTS, SpecialGrowth
from conformance.fuzz.making.growth import ComposedProgram, Plan
from conformance.fuzz.making.joining import JoiningGrowth
from conformance.fuzz.making.sessions import SessionGrowth
from conformance.fuzz.programs import MEMBER, ProgramCall, Special
from conformance.program import Program, Ref, Step

TRIES = 8
"""How often a place for a second derivative is looked for."""
CURVED = ("square", "tanh", "sigmoid", "sin", "cos", "exp", "softplus", "softmax", "logsumexp")
"""Functions that are applied, now and then, to a tensor before it is summed up."""
OF_GRADIENTS = ("square", "tanh", "sin", "sigmoid")
MOST_TENSORS = 3


class TwiceGrowth(SpecialGrowth):
    """A program that has a second derivative, if there is a place for one."""

    def last(self) -> None:
        """Look for a place, again and again, and forget what was tried in vain."""
        self.chance = random.Random(f"{self.plan.seed}/{self.number}/{self.count}/twice")  # noqa: S311
        for _ in range(TRIES):
            forget = self.remembered()
            with np.errstate(all="ignore"):
                if self._twice():
                    return
            forget()

    def _twice(self) -> bool:
        loss = self._loss()
        if loss is None or not any(self._is_bent(loss, t.name) for t in self._floats()):
            return False
        bent = [name for name in self._sources(loss) if self._is_bent(loss, name)]
        first = self._taken(loss, bent)
        return bool(first) and self._penalised(first)

    def _is_bent(self, loss: str, name: str) -> bool:
        """Whether second derivatives are known of all calls between, and of one are not 0."""
        between = calls_between(self.courses[0].calls, name, loss)
        called = [c.oracle for c in between if isinstance(c, ProgramCall)]
        passed = [c.function for c in between if isinstance(c, Special)]
        known = all(map(is_known, called)) and {*passed} <= {*PASSED_ON, "stop_gradient"}
        return known and any(map(is_bent, called))

    def _penalised(self, first: list[str]) -> bool:
        """A sum made of one of these gradients, and its gradient."""
        again = self._summed(self.chance.choice(first), OF_GRADIENTS)
        if again is None:
            return False
        tensors = self._taken(
            again, [n for n in self._sources(again) if self._is_settled(again, n)]
        )
        return bool(tensors) and not any(course.cuts for course in self.courses)

    def _is_settled(self, loss: str, name: str) -> bool:
        """Whether the gradient has an answer in every draw."""
        step = Step("asked", "gradients", (Ref(loss), [Ref(name)]))
        member = Step("answered", MEMBER, (Ref("asked"), 0))
        forget = self.remembered()
        settled = self._added([step, member])
        forget()
        return settled

    def _loss(self) -> str | None:
        there = [t for t in self._floats() if t.depth and math.prod(t.type.shape) <= MOST_WEIGHTS]
        return self._summed(self.chance.choice(there[-6:]).name, CURVED) if there else None

    def _summed(self, name: str, ways: tuple[str, ...]) -> str | None:
        """A sum of the elements of a tensor, or of a function of them, or their mean."""
        if self.chance.random() < 0.6:
            summand = self._product(name) if self.chance.random() < 0.3 else None
            summand = summand or Step(self.name(), self.chance.choice(ways), (Ref(name),))
            if not self._added([summand]):
                return None
            name = summand.result
        loss = self.name()
        reduction = "sum" if self.chance.random() < 0.8 else "mean"
        return loss if self._added([Step(loss, reduction, (Ref(name),))]) else None

    def _product(self, name: str) -> Step | None:
        """The product of a matrix with another one."""
        kinds = {t.name: t.type for t in self._floats()}
        shape = kinds[name].shape if name in kinds else ()
        fitting = [n for n, kind in kinds.items() if len(kind.shape) == len(shape) == 2]
        fitting = [n for n in fitting if kinds[n].shape[0] == shape[1]]
        fitting = [n for n in fitting if shape[0] * kinds[n].shape[1] <= MOST_WEIGHTS]
        if not fitting:
            return None
        return Step(self.name(), "dot", (Ref(name), Ref(self.chance.choice(fitting))))

    def _taken(self, loss: str, sources: list[str]) -> list[str]:
        """The gradient by some of the sources; the names that it has, none if there is none."""
        chosen = [n for n in sources if self._stands(n)]
        self.chance.shuffle(chosen)
        chosen = chosen[: self.chance.randint(1, MOST_TENSORS)]
        steps = self._gradients(loss, chosen)
        return [s.result for s in steps[1:]] if chosen and self._added(steps) else []

    def _stands(self, name: str) -> bool:
        """Whether the tensor is one by itself: what passes on another one may be that very one."""
        makers = {c.result: c for c in self.courses[0].calls}
        return not isinstance(makers.get(name), Special)


class TwiceSession(TwiceGrowth, SessionGrowth):
    """The same of a graph that a function is compiled of."""


def is_twice(program: Program) -> bool:
    """Whether the program takes a gradient again."""
    return sum(step.function == "gradients" for step in program.steps) > 1


EVERY = 4
"""One program in this number compiles a function itself, and calls it again and again."""
TWICE = 7
"""One program in this number may have a second derivative."""


def composed(plan: Plan, number: int) -> ComposedProgram:
    """The program with this number: the same for the same plan."""
    attempt = 0
    while True:
        program = _attempted(plan, number, attempt)
        if program is not None:
            return program
        attempt += 1


def is_composable(plan: Plan, attempts: int) -> bool:
    """Whether one of several attempts makes the first program."""
    return any(_attempted(plan, 0, attempt) is not None for attempt in range(attempts))


def _attempted(plan: Plan, number: int, attempt: int) -> ComposedProgram | None:
    if compiles(plan.edition):
        return OpsGrowth(plan, number, attempt).grown()
    if number % TWICE == TWICE - 1:
        program = _twice(plan, number, attempt)
        if program is not None and is_twice(program.program):
            return program
    if number % EVERY == EVERY - 1:
        return JoiningSession(plan, number, attempt).framed()
    return JoiningGrowth(plan, number, attempt).grown()


def _twice(plan: Plan, number: int, attempt: int) -> ComposedProgram | None:
    if number % EVERY == EVERY - 1:
        return JoiningTwiceSession(plan, number, attempt).framed()
    return JoiningTwice(plan, number, attempt).grown()


class OpsGrowth(JoiningGrowth):
    """A program of `keras.ops`, which says nothing of the way in which it is run."""

    unknown = 0.0
    draws = 1

    def special(self) -> bool:
        """None."""
        return False

    def last(self) -> None:
        """No gradient."""


class JoiningSession(JoiningGrowth, SessionGrowth):
    """A graph with the pairs of a block, compiled into a function."""


class JoiningTwice(JoiningGrowth, TwiceGrowth):
    """A program with the pairs of a block and a second derivative."""


class JoiningTwiceSession(JoiningGrowth, TwiceSession):
    """The same for a graph that is compiled into a function."""
