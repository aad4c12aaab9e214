"""Programs that compile a function and call it again: other numbers, phases and variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.fuzz.bounds.sessions import AVERAGE, CALL, UPDATES, GraphSession, is_settled
from conformance.fuzz.bounds.static_shapes import initial_shapes, static_shapes
from conformance.fuzz.bounds.tensors import Typed
from conformance.fuzz.making.control_flow import SpecialGrowth
from conformance.fuzz.making.growth import OUTSIDE, ComposedProgram
from conformance.fuzz.making.placeholders import (
    free_lengths,
    is_fed,
    maker,
    of_lengths,
    other_lengths,
    start_of,
)
from conformance.program import Argument, Binding, Input, Program, Ref, Step

Array = np.ndarray[Any, Any]
PHASE = "phase"
APART = 0.4
"""How often there is a variable, or one more, that the graph does not read."""
MOMENTA = (0.9, 0.99, 0.5, 0.25)


class SessionGrowth(SpecialGrowth):
    """A graph that a function is compiled of, which is called two or three times."""

    phased = True
    unknown = 0.6

    def begin(self) -> None:
        """The learning phase is one of the fed inputs."""
        for course in self.courses:
            course.phase = 1

    def framed(self) -> ComposedProgram | None:
        """The whole program; None if it has nothing to feed, or no answer."""
        graph = self.grown()
        if graph is None or not any(map(is_fed, graph.program.inputs)):
            return None
        free = free_lengths(graph.program.inputs, graph.courses[0].calls)
        for lengths in (*other_lengths(free, self.random), {}):
            program = self._with_lengths(graph, lengths)
            if program is not None:
                return program
        return None

    def _with_lengths(
        self, graph: ComposedProgram, lengths: Mapping[int, int]
    ) -> ComposedProgram | None:
        """The whole program, one of whose calls is fed with tensors of other lengths."""
        frame = _Frame(self, graph, lengths)
        program, arrays = frame.program(), frame.arrays
        try:
            session = GraphSession(program, arrays, self.plan.edition)
            session.run()
            settled = is_settled(session)
        except OUTSIDE:
            return None
        if not settled or not _of_one_form(session):
            return None
        return ComposedProgram(graph.number, graph.edition, program, [arrays], session.courses[:1])


def _of_one_form(session: GraphSession) -> bool:
    """Whether the same axes have one element in all calls: these broadcast, others do not."""
    forms = [
        {name: [length == 1 for length in kind.shape] for name, kind in course.types.items()}
        for course in session.courses
    ]
    return all(form == forms[0] for form in forms)


class _Frame:
    """The steps around a graph."""

    def __init__(
        self, growth: SessionGrowth, inner: ComposedProgram, lengths: Mapping[int, int]
    ) -> None:
        self.random, self.inner, self.lengths = growth.random, inner, lengths
        self.rng, self.types = growth.rng, dict(inner.courses[0].types)
        self.apart: list[str] = []
        """Variables that the graph does not read."""
        self.arrays: dict[str, Array] = {}
        self.inputs: list[Input] = []

    def program(self) -> Program:
        """The program."""
        graph = self.inner.program
        fed = [i for i in graph.inputs if is_fed(i)]
        steps = [self._maker(item) for item in graph.inputs]
        steps += self._held_apart()
        phased = any(_asks_for_phase(step) for step in graph.steps)
        if phased:
            steps.append(Step(PHASE, "learning_phase", ()))
        updates = list(self._updates())
        ends = self._ends(fed, [u.result for u in updates], phased=phased)
        looks = [Step(f"after_{u.result}", "get_value", (u.args[0],)) for u in updates]
        outputs = tuple(s.result for s in ends[1:]) + tuple(s.result for s in looks)
        return Program(tuple(self.inputs), (*steps, *graph.steps, *updates, *ends, *looks), outputs)

    def _maker(self, item: Input) -> Step:
        """The step that makes an input of the graph."""
        if not is_fed(item):
            self._array(start_of(item), self.inner.arrays[0][item.name])
        return maker(item)

    def _array(self, name: str, array: Array, kind: Typed | None = None) -> Ref:
        array = array if kind is None else np.asarray(array, kind.dtype)
        self.inputs.append(Input(name, array.shape, array.dtype.name, Binding.ARRAY))
        self.arrays[name] = array
        return Ref(name)

    def _updates(self) -> list[Step]:
        """Updates of variables by results of the same type, in any order."""
        graph, updates = self.inner.program, []
        results = [s.result for s in graph.steps if s.result in self.types]
        held = [i.name for i in graph.inputs if i.binding is Binding.VARIABLE]
        for name in (*held, *self.apart):
            fitting = [n for n in results if self.types[n] == self.types[name]]
            if fitting and self.random.random() < 0.8:
                updates.append(self._update(name, self.random.choice(fitting)))
        self.random.shuffle(updates)
        return updates

    def _update(self, variable: str, new: str) -> Step:
        kinds = UPDATES[:-1] if self.inner.edition == "keras-1" else UPDATES
        kind = self.random.choice(kinds)
        args: tuple[Argument, ...] = (Ref(variable), Ref(new))
        if kind == AVERAGE:
            args = (*args, self.random.choice(MOMENTA))
        return Step(f"u_{variable}", kind, args)

    def _held_apart(self) -> list[Step]:
        """Variables of the types of results, which nothing reads but an update and a look."""
        steps = []
        while self.random.random() < APART:
            fitting = [n for n in self._settled() if self.types[n].dtype.startswith("float")]
            if not fitting:
                break
            kind, name = self.types[self.random.choice(fitting)], f"held_{len(self.apart)}"
            start = self._array(f"{name}_start", self.rng.integers(-4, 5, kind.shape) / 2, kind)
            steps.append(Step(name, "variable", (start,), (("dtype", kind.dtype),)))
            self.apart.append(name)
            self.types[name] = kind
        return steps

    def _settled(self) -> list[str]:
        """Results that have the same shape in every call."""
        graph, first = self.inner.program, self.inner.courses[0]
        known = static_shapes(initial_shapes(graph, {}), first.calls, first.types)
        return [c.result for c in first.calls if None not in known[c.result]]

    def _ends(self, fed: Sequence[Input], updates: Sequence[str], *, phased: bool) -> list[Step]:
        """The function, and its calls."""
        graph = self.inner.program
        inputs: list[Argument] = [Ref(i.name) for i in fed]
        inputs += [Ref(PHASE)] if phased else []
        outputs: list[Argument] = [Ref(o) for o in graph.outputs]
        updated: list[Argument] = [Ref(u) for u in updates]
        kwargs: tuple[tuple[str, Argument], ...] = (("updates", updated),) if updated else ()
        steps = [Step("f", "function", (inputs, outputs), kwargs)]
        phases = self.random.choice(((1, 0), (0, 1), (1, 1), (1, 0, 1)))
        other = self.random.randrange(len(phases)) if self.lengths else None
        for number, phase in enumerate(phases):
            values: list[Argument] = list(self._fed(fed, number, resized=number == other))
            values += [phase] if phased else []
            steps.append(Step(f"call_{number}", CALL, (Ref("f"), values)))
        return steps

    def _fed(self, fed: Sequence[Input], number: int, *, resized: bool) -> list[Ref]:
        draws: Sequence[Mapping[str, Array]] = self.inner.arrays
        arrays, lengths = draws[number % len(draws)], self.lengths if resized else {}
        return [
            self._array(f"{i.name}_{number}", of_lengths(arrays[i.name], i.static_shape, lengths))
            for i in fed
        ]


def _asks_for_phase(step: Step) -> bool:
    own = step.function in ("in_train_phase", "in_test_phase")
    return own and "training" not in dict(step.kwargs)
