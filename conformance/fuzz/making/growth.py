"""A program of several calls, made of a seed: the same for the same seed, number and options.

Calls are added one after the other. Each is drawn from the spec of a function that was picked, and
answered by the oracle for the numbers of every draw as soon as it is there. A call that leaves the
numbers of which the documents speak, or rests on a convention, is drawn again. So every program has
a right answer, and what follows a call is drawn with knowledge of its numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis.errors import UnsatisfiedAssumption

from conformance.editions import Edition
from conformance.fuzz.bounds.admissible import is_ordinary, open_points
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.sessions import graph
from conformance.fuzz.bounds.static_shapes import fits, static_shapes
from conformance.fuzz.bounds.tensors import Typed
from conformance.fuzz.making.placeholders import freed
from conformance.fuzz.making.wiring import Offered, WiredDraft, drawn
from conformance.fuzz.programs import ProgramCall, Special, calls_of, documented
from conformance.generators.drawing import Seeded
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from conformance.specs import Spec, kinds
from conformance.specs.rules import RuleError

Array = np.ndarray[Any, Any]
AGAIN, SPECIAL = 0.06, 0.15
"""How often an earlier call is repeated, and how often a special call is made."""
TRIES = 12
"""How often a call is drawn before another function is picked."""
SIZE = (2, 20)
"""The fewest and the most calls of a program."""
_SOURCES = (kinds.ValueKind, kinds.PlaceholderShape)
_BINDINGS = (Binding.PLACEHOLDER,) * 6 + (Binding.VARIABLE,) * 3 + (Binding.CONSTANT,)
_ELEMENTS = (24,) * 6 + (80,) * 3 + (1500,)
_DTYPES = ("float32",) * 6 + ("float64",)
OUTSIDE = (ValueError, IndexError, KeyError, RuleError, UnsatisfiedAssumption, ArithmeticError)


@dataclass(frozen=True, slots=True)
class Plan:
    """The programs to make: `size` has the fewest and the most calls. At least one of `functions`
    must occur (any, if it is empty). `draws` is the number of sets of numbers."""

    edition: Edition
    seed: int
    size: tuple[int, int] = SIZE
    functions: frozenset[str] = frozenset()
    draws: int = 2


@dataclass(frozen=True, slots=True, eq=False)
class ComposedProgram:
    """A program with the numbers of its draws, and the course of each."""

    number: int
    edition: Edition
    program: Program
    arrays: Sequence[Mapping[str, Array]]
    courses: Sequence[Course]

    @property
    def cuts(self) -> dict[str, str]:
        """The tensors at which it is cut in any draw, with the call that needs each."""
        return {name: why for course in self.courses for name, why in course.cuts.items()}

    @property
    def calls(self) -> list[ProgramCall | Special]:
        """The calls of its graph, in order."""
        return list(calls_of(graph(self.program), self.edition))


class Growth:
    """A program that grows."""

    prefix = "r"
    """The prefix of the names of results."""
    unknown = 0.25
    """How often a program has dimensions that are not known when it is built."""
    adds_inputs = True
    """Whether calls may need inputs that are not there yet."""

    def __init__(self, plan: Plan, number: int, attempt: int) -> None:
        seed = f"{plan.seed}/{number}/{attempt}"
        self.plan, self.number = plan, number
        self.random = random.Random(seed)  # noqa: S311
        self.rng = np.random.default_rng(list(seed.encode()))
        self.dtype = self.random.choice(_DTYPES)
        self.elements = self.random.choice(_ELEMENTS)
        self.inputs: list[Input] = []
        self.steps: list[Step] = []
        self.arrays: list[dict[str, Array]] = [{} for _ in range(self.draws)]
        self.courses = [Course({}, {}) for _ in range(self.draws)]
        self.pool: list[Offered] = []
        self.used: set[str] = set()
        self.count = 0
        self.begin()

    @property
    def draws(self) -> int:
        """How many sets of numbers the program has."""
        return self.plan.draws

    def begin(self) -> None:
        """Settle what is known before the first call."""

    def grown(self) -> ComposedProgram | None:
        """The whole program; None if it lacks a required call."""
        with np.errstate(all="ignore"):
            if not self.fill():
                return None
            self.last()
        program = self._freed(Program(tuple(self.inputs), tuple(self.steps), self._outputs()))
        return ComposedProgram(self.number, self.plan.edition, program, self.arrays, self.courses)

    def fill(self) -> bool:
        """Add calls; whether all that are required could be added."""
        size = self.random.randint(*self._sizes())
        must = self.random.randrange(size) if self.plan.functions else -1
        while self.count < size:
            if not self.grow(must=self.count == must):
                return False
        return True

    def remembered(self) -> Callable[[], None]:
        """A function that brings the program back to its present state."""
        state: dict[str, Any] = {
            "inputs": [*self.inputs],
            "arrays": [{**arrays} for arrays in self.arrays],
            "steps": [*self.steps],
            "pool": [*self.pool],
            "used": {*self.used},
            "courses": self.courses,
            "count": self.count,
        }
        return lambda: self.__dict__.update(state)

    def _freed(self, program: Program) -> Program:
        """Now and then, placeholders with dimensions that are not known."""
        if self.random.random() >= self.unknown:
            return program
        calls = self.courses[0].calls
        return freed(program, calls, self.courses[0].types, self.random)

    def _sizes(self) -> tuple[int, int]:
        low, high = self.plan.size
        return low, max(low, min(high, self.random.choice((4, 6, 8, 12, high, high))))

    def grow(self, *, must: bool) -> bool:
        """Add a call; whether there is one more."""
        if self.count and not must:
            way = self.random.random()
            if way < AGAIN:
                return self._again()
            if way < AGAIN + SPECIAL and self.special():
                return True
        for _ in range(40):
            name = self.random.choice(self._names(must=must))
            for _ in range(TRIES):
                if self._try(name):
                    return True
        return False

    def _names(self, *, must: bool) -> list[str]:
        names = [n for n, s in documented(self.plan.edition).items() if joins(s)]
        if must:
            names = [
                n for n in names if documented(self.plan.edition)[n].name in self.plan.functions
            ]
        return names

    def _try(self, name: str) -> bool:
        """Draw one call of the function; whether it is a part of the program now."""
        spec = documented(self.plan.edition)[name]
        try:
            dtype = self.random.choice(self.dtypes(spec))
            draft = WiredDraft(
                Seeded(self.random),
                spec,
                self.plan.edition,
                self.pool,
                dtype=dtype,
                elements=self.elements,
            )
            steps = draft.make()
            return self.add(draft, steps)
        except OUTSIDE:
            return False

    def dtypes(self, spec: Spec) -> list[str]:
        """The dtypes in which the documents compute the function and that tensors have.

        Raises:
            UnsatisfiedAssumption: no tensor has a documented dtype.
        """
        there = {self.dtype, *(d for t in self.pool for d in t.type.dtypes)}
        if not self.pool:  # the first call is given inputs, which may be of any dtype
            there |= {*spec.dtypes.documented}
        fitting: list[str] = [d for d in spec.dtypes.documented if d in there]
        if self.dtype in fitting:
            fitting += [self.dtype] * 4
        if not fitting:
            raise UnsatisfiedAssumption("no tensor has a dtype of which the documents speak")
        return fitting

    def add(self, draft: WiredDraft, steps: Sequence[Step], *, apart: bool = False) -> bool:
        """Add a drawn call. Only a call that may stand `apart` may have no tensor of another."""
        fresh = [i for i in draft.inputs if i.name not in draft.wires]
        if fresh and not self.adds_inputs:
            return False
        if self.pool and len(fresh) == len(draft.inputs) and draft.inputs and not apart:
            return False
        names = {item.name: f"x{len(self.inputs) + n}" for n, item in enumerate(fresh)}
        names |= {name: tensor.name for name, tensor in draft.wires.items()}
        inputs = [self._bound(replace(i, name=names[i.name])) for i in fresh]
        arrays = [self.numbers(draft, fresh, names) for _ in self.arrays]
        return self.answered(inputs, arrays, _named(steps, names, self.name()))

    def numbers(
        self, draft: WiredDraft, fresh: Sequence[Input], names: Mapping[str, str]
    ) -> dict[str, Array]:
        """An array for each new input of a call, by its name in the program."""
        return drawn(draft, fresh, names, self.rng)

    def _bound(self, item: Input) -> Input:
        if self.plan.edition == "keras-1":  # which has no `constant`
            return replace(item, binding=self.random.choice(_BINDINGS[:-1]))
        return replace(item, binding=self.random.choice(_BINDINGS))

    def answered(
        self,
        inputs: Sequence[Input],
        arrays: Sequence[Mapping[str, Array]],
        steps: Sequence[Step],
    ) -> bool:
        """Add the inputs and the steps if all that they give is settled."""
        tails = [_tail(c, inputs, a) for c, a in zip(self.courses, arrays, strict=True)]
        for tail in tails:
            for call in _calls(steps, self.plan.edition):
                if any(open_points(tail, call, self.plan.edition)):
                    return False
                tail.add(call, self.plan.edition)
                if not is_ordinary(tail, call):
                    return False
        if not _knows_enough(tails[0]):
            return False
        self._accept(inputs, arrays, steps, tails)
        return True

    def _accept(
        self,
        inputs: Sequence[Input],
        arrays: Sequence[Mapping[str, Array]],
        steps: Sequence[Step],
        tails: Sequence[Course],
    ) -> None:
        self.courses = list(tails)
        for mine, new in zip(self.arrays, arrays, strict=True):
            mine.update(new)
        self.inputs += inputs
        self.steps += steps
        self.count += 1
        depths = {t.name: t.depth for t in self.pool}
        calls = _calls(steps, self.plan.edition)
        self.used |= {name for call in calls for name in call.references()}
        for item in inputs:
            self.pool.append(self._offered(item.name, 0))
        for call in calls:
            depth = 1 + max((depths.get(n, 0) for n in call.references()), default=0)
            depths[call.result] = depth
            if call.part is None or not call.part.flat:
                self.pool.append(self._offered(call.result, depth))

    def _offered(self, name: str, depth: int) -> Offered:
        course = self.courses[0]
        return Offered(name, course.types[name], [c.known[name] for c in self.courses], depth)

    def _again(self) -> bool:
        """Repeat an earlier call with the same arguments."""
        results = [s for s in self.steps if "." not in s.function]
        step = self.random.choice(results)
        spec = documented(self.plan.edition).get(step.function)
        if spec is None or spec.results:
            return False
        return self.answered([], [{} for _ in self.arrays], [replace(step, result=self.name())])

    def name(self) -> str:
        """The name of the next result."""
        return f"{self.prefix}{self.count}"

    def special(self) -> bool:
        """Add a call whose meaning lies in its arguments; whether there was a place for one."""
        return False

    def last(self) -> None:
        """Add what belongs at the end."""

    def _outputs(self) -> tuple[str, ...]:
        """Most results that nothing uses, and now and then another, in any order."""
        results = [t.name for t in self.pool if t.name.startswith(self.prefix)]
        ends = [n for n in results if n not in self.used]
        chosen = [n for n in ends if self.random.random() < 0.85]
        chosen += [n for n in results if n in self.used and self.random.random() < 0.1]
        chosen = chosen or [results[-1]]
        self.random.shuffle(chosen)
        return tuple(chosen)


def joins(spec: Spec) -> bool:
    """Whether the function takes tensors, or makes one of nothing but numbers."""
    return not any(isinstance(rule, _SOURCES) for rule in spec.parameters.values())


def _knows_enough(course: Course) -> bool:
    """Whether kernels and channels are known if all dimensions of all inputs are."""
    shapes = {name: kind.shape for name, kind in course.types.items()}
    return fits(static_shapes(shapes, course.calls, course.types), course.calls)


def _tail(course: Course, inputs: Sequence[Input], arrays: Mapping[str, Array]) -> Course:
    """A copy of the course with inputs more."""
    types = {i.name: Typed(i.shape, (i.dtype,)) for i in inputs}
    copied = course.copied()
    copied.begin(types, arrays)
    return copied


def _calls(steps: Sequence[Step], edition: Edition) -> list[ProgramCall | Special]:
    return list(calls_of(Program((), tuple(steps), ()), edition))


def _named(steps: Sequence[Step], names: Mapping[str, str], name: str) -> list[Step]:
    """The steps with the program's own names for tensors and results."""
    results = {s.result: f"{name}_{s.result}" for s in steps[:-1]} | {steps[-1].result: name}
    whole = {**names, **results}

    def renamed(value: Argument) -> Argument:
        if isinstance(value, Ref):
            return Ref(whole[value.name])
        return [renamed(v) for v in value] if isinstance(value, list) else value

    return [
        replace(
            s,
            result=results[s.result],
            args=tuple(renamed(a) for a in s.args),
            kwargs=tuple((k, renamed(a)) for k, a in s.kwargs),
        )
        for s in steps
    ]
