"""The bodies of loops, and calls of `rnn` with step functions of several calls.

A body is drawn with the numbers of its first round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.tensors import Known, Typed, exactly
from conformance.fuzz.making.growth import Growth
from conformance.fuzz.making.wiring import PROFILE, Offered
from conformance.fuzz.programs import MEMBER, STATES
from conformance.generators.values import fill
from conformance.program import Argument, Binding, Function, Input, Ref, Step

MOST_IN_BODY = 3
"""The most calls of a loop's body."""
TAKEN, MOST_TAKEN = 0.5, 2
"""How often a body may take tensors from outside, and how many."""

Rows = tuple[Typed, Sequence[Sequence[Known]]]
"""The type of a parameter of a body, and its numbers in each draw, one for each time it is run."""


def elements(over: Offered, axis: int = 0) -> Rows:
    """The parameter of a loop that goes over an axis of a tensor."""
    shape = list(over.type.shape)
    count = shape.pop(axis)
    rows = [[_part(known, axis, place) for place in range(count)] for known in over.draws]
    return Typed(tuple(shape), over.type.dtypes), rows


def always(held: Offered, times: int) -> Rows:
    """The parameter of a loop that has the same tensor each time."""
    return held.type, [[known] * times for known in held.draws]


def _part(known: Known, axis: int, place: int) -> Known:
    return Known(np.take(known.value, place, axis), np.take(known.reach, place, axis))


class BodyGrowth(Growth):
    """The body of a loop: a program of its parameters, and now and then of tensors from outside."""

    adds_inputs = False

    def __init__(self, outer: Growth, parameters: Mapping[str, Rows]) -> None:
        super().__init__(outer.plan, outer.number, 0)
        self.random, self.rng, self.dtype = outer.random, outer.rng, outer.dtype
        self.prefix = f"{outer.name()}_b"
        fresh = {f"{outer.name()}_{name}": rows for name, rows in parameters.items()}
        self.parameters = [*fresh]
        times = len(next(iter(fresh.values()))[1][0])
        taken = {t.name: always(t, times) for t in self._taken(outer)}
        self.courses = _courses({**fresh, **taken})
        self.arrays = [{} for _ in self.courses]
        self.pool = [self._offered(name, 0) for name in (*taken, *fresh)]

    def _taken(self, outer: Growth) -> list[Offered]:
        if self.random.random() >= TAKEN:
            return []
        return self.random.sample(outer.pool, min(MOST_TAKEN, len(outer.pool)))

    def drawn(self) -> list[Offered] | None:
        """A few calls; their results, or None if they cannot be made."""
        known = {t.name for t in self.pool}
        for _ in range(self.random.randint(1, MOST_IN_BODY)):
            if not self.grow(must=False):
                return None
        return [t for t in self.pool if t.name not in known]

    def body(self, like: Typed | None = None) -> Function | None:
        """A callable of a few calls, the last of the type `like`; None if there is none."""
        results = self.drawn() or ()
        fitting = [
            t
            for t in results
            if t.type == like or (like is None and t.type.dtypes == (self.dtype,))
        ]
        return self.function(Ref(fitting[-1].name)) if fitting else None

    def function(self, returns: Ref) -> Function:
        """The callable that returns one of the results."""
        return Function(f"{self.prefix}ody", (*self.parameters,), (*self.steps,), returns)


def _courses(parameters: Mapping[str, Rows]) -> list[Course]:
    """The course of each run of the body."""
    draws, times = (range(len(rows)) for rows in _first(parameters))
    courses = []
    for draw in draws:
        for time in times:
            course = Course({}, {})
            for name, (kind, rows) in parameters.items():
                course.types[name], course.known[name] = kind, rows[draw][time]
            courses.append(course)
    return courses


def _first(parameters: Mapping[str, Rows]) -> tuple[Sequence[object], Sequence[object]]:
    rows = next(iter(parameters.values()))[1]
    return rows, rows[0]


Array = np.ndarray[Any, Any]
MOST_STEPS = 4
"""The most time steps."""
MASKED = 0.25
"""How often there is a mask."""
MOST_STATES, LARGEST = 2, 60
"""The most states, and the most elements of one for which there is no sequence yet."""


@dataclass(slots=True)
class Fresh:
    """Inputs that a call needs besides the tensors that are there, with their arrays."""

    growth: Growth
    inputs: list[Input]
    arrays: list[dict[str, Array]]

    def add(self, shape: tuple[int, ...], make: Callable[[], Array]) -> Offered:
        """An input more, whose numbers are made for each draw."""
        name = f"x{len(self.growth.inputs) + len(self.inputs)}"
        drawn = [make() for _ in self.arrays]
        item = Input(name, shape, drawn[0].dtype.name, Binding.PLACEHOLDER)
        self.inputs.append(item)
        for arrays, array in zip(self.arrays, drawn, strict=True):
            arrays[name] = array
        return Offered(name, Typed(shape, (item.dtype,)), [exactly(a) for a in drawn], 0)

    def numbers(self, shape: tuple[int, ...]) -> Offered:
        """An input of ordinary numbers."""
        rng, dtype = self.growth.rng, self.growth.dtype
        return self.add(shape, lambda: fill(rng, shape, dtype, "real", PROFILE))


AddedCall = tuple[Sequence[Input], Sequence[Mapping[str, Array]], Sequence[Step]]
"""Inputs more, with their arrays in each draw, and the steps."""


def recurrence(growth: Growth) -> AddedCall | None:
    """A call of `rnn` over a tensor that is there, or with one as a state, and the member of its
    results."""
    fresh = Fresh(growth, [], [{} for _ in growth.arrays])
    sequence = _sequence(growth, fresh)
    if sequence is None:
        return None
    chosen, initial = sequence
    count = growth.random.randint(1, MOST_STATES)
    states = [growth.random.choice(initial) for _ in range(count)]
    body = _body(growth, chosen, states)
    if body is None:
        return None
    steps = _called(growth, fresh, body, chosen, states)
    return fresh.inputs, fresh.arrays, steps


def _sequence(growth: Growth, fresh: Fresh) -> tuple[Offered, list[Offered]] | None:
    """The sequence to go over, and the candidates for the states at the beginning."""
    there = [t for t in growth.pool if t.type.dtypes == (growth.dtype,)]
    inputs = [t for t in there if _is_temporal(t)]
    first = [t for t in there if len(t.type.shape) > 1 and math.prod(t.type.shape) <= LARGEST]
    if inputs and growth.random.random() < 0.7:
        chosen = growth.random.choice(inputs)
        shape = (chosen.type.shape[0], *chosen.type.shape[2:])
    elif first:
        shape = growth.random.choice(first).type.shape
        steps = growth.random.randint(1, MOST_STEPS)
        chosen = fresh.numbers((shape[0], steps, *shape[1:]))
    else:
        return None
    initial = [t for t in there if t.type.shape == shape]
    return chosen, initial or [fresh.numbers(shape)]


def _is_temporal(tensor: Offered) -> bool:
    shape = tensor.type.shape
    return len(shape) > 2 and 1 <= shape[1] <= MOST_STEPS


def _body(growth: Growth, over: Offered, states: Sequence[Offered]) -> Function | None:
    """The step function: a slice and the states give an output and the new states."""
    times = over.type.shape[1]
    held = {f"s{n}": always(state, times) for n, state in enumerate(states)}
    inner = BodyGrowth(growth, {"x": elements(over, 1), **held})
    results = inner.drawn() or []
    samples = over.type.shape[0]
    outputs = [t for t in results if t.type.dtypes == (growth.dtype,) and _has(t, samples)]
    if not outputs:
        return None
    names = [t.name for t in inner.pool if t.type == states[0].type]
    new = _new_states(growth, names, {t.name for t in results}, len(states))
    return None if new is None else _function(inner, outputs[-1].name, new)


def _has(tensor: Offered, samples: int) -> bool:
    return len(tensor.type.shape) > 1 and tensor.type.shape[0] == samples


def _new_states(
    growth: Growth, fitting: Sequence[str], taken: set[str], count: int
) -> list[str] | None:
    """The last computed tensor is the first new state; any tensor that fits is another one."""
    computed = [name for name in fitting if name in taken]
    if not computed:
        return None
    return [computed[-1], *(growth.random.choice(fitting) for _ in range(count - 1))]


def _function(inner: BodyGrowth, output: str, new: Sequence[str]) -> Function:
    x, *states = inner.parameters
    states_name = f"{x}_states"
    taken = [Step(name, MEMBER, (Ref(states_name), place)) for place, name in enumerate(states)]
    returned: tuple[Argument, Argument] = (Ref(output), [Ref(name) for name in new])
    plain = inner.function(Ref(output))
    return replace(
        plain, parameters=(x, states_name), steps=(*taken, *plain.steps), returns=returned
    )


def _called(
    growth: Growth, fresh: Fresh, body: Function, over: Offered, states: Sequence[Offered]
) -> list[Step]:
    random, name = growth.random, growth.name()
    options: dict[str, Argument] = {}
    if random.random() < 0.4:
        options["go_backwards"] = True
    if random.random() < 0.5:
        options["unroll"] = True
        options["input_length"] = over.type.shape[1]
    masked = random.random() < MASKED
    if masked:
        options["mask"] = Ref(fresh.add(over.type.shape[:2], lambda: _mask(growth, over)).name)
    args = (body, Ref(over.name), [Ref(s.name) for s in states])
    called = Step(f"{name}_c", "rnn", args, tuple(options.items()))
    return [called, *_taken(growth, name, len(states), masked=masked)]


def _mask(growth: Growth, over: Offered) -> Array:
    """No sample is without a step that counts."""
    used = growth.rng.random(over.type.shape[:2]) < 0.6
    used[:, 0] = True
    return used.astype(growth.dtype)


def _taken(growth: Growth, name: str, states: int, *, masked: bool) -> list[Step]:
    """The member of the results: one of the outputs if none is masked, and a state."""
    called = Ref(f"{name}_c")
    place = growth.random.randrange(states)
    members = Step(f"{name}_l", MEMBER, (called, STATES))
    state = Step(f"{name}_s", MEMBER, (Ref(members.result), place))
    if masked:
        return [members, replace(state, result=name)]
    output = Step(name, MEMBER, (called, growth.random.choice((0, 1))))
    return [members, state, output] if growth.random.random() < 0.5 else [output]
