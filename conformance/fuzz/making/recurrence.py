"""Calls of `rnn` whose step function has several calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conformance.fuzz.bounds.known import exactly
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.calls import MEMBER, STATES
from conformance.fuzz.making.bodies import BodyGrowth, always, elements
from conformance.fuzz.making.growth import Growth
from conformance.fuzz.making.numbers import PROFILE
from conformance.fuzz.making.pool import Offered
from conformance.generators.values import fill
from conformance.program import Argument, Binding, Function, Input, Ref, Step

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


Made = tuple[Sequence[Input], Sequence[Mapping[str, Array]], Sequence[Step]]
"""Inputs more, with their arrays in each draw, and the steps."""


def recurrence(growth: Growth) -> Made | None:
    """A call of `rnn` over a tensor that is there, or with one as a state, and what is taken of its
    results."""
    fresh = Fresh(growth, [], [{} for _ in growth.arrays])
    found = _sequence(growth, fresh)
    if found is None:
        return None
    chosen, initial = found
    count = growth.random.randint(1, MOST_STATES)
    states = [growth.random.choice(initial) for _ in range(count)]
    body = _body(growth, chosen, states)
    if body is None:
        return None
    steps = _called(growth, fresh, body, chosen, states)
    return fresh.inputs, fresh.arrays, steps


def _sequence(growth: Growth, fresh: Fresh) -> tuple[Offered, list[Offered]] | None:
    """What is gone over, and what may be the states at the beginning."""
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
    made = inner.drawn() or []
    samples = over.type.shape[0]
    outputs = [t for t in made if t.type.dtypes == (growth.dtype,) and _has(t, samples)]
    if not outputs:
        return None
    names = [t.name for t in inner.pool if t.type == states[0].type]
    new = _new_states(growth, names, {t.name for t in made}, len(states))
    return None if new is None else _function(inner, outputs[-1].name, new)


def _has(tensor: Offered, samples: int) -> bool:
    return len(tensor.type.shape) > 1 and tensor.type.shape[0] == samples


def _new_states(
    growth: Growth, fitting: Sequence[str], made: set[str], count: int
) -> list[str] | None:
    """What was computed last is the first new state, any tensor that fits another one."""
    computed = [name for name in fitting if name in made]
    if not computed:
        return None
    return [computed[-1], *(growth.random.choice(fitting) for _ in range(count - 1))]


def _function(inner: BodyGrowth, output: str, new: Sequence[str]) -> Function:
    x, *states = inner.parameters
    given = f"{x}_states"
    taken = [Step(name, MEMBER, (Ref(given), place)) for place, name in enumerate(states)]
    returned: tuple[Argument, Argument] = (Ref(output), [Ref(name) for name in new])
    plain = inner.function(Ref(output))
    return replace(plain, parameters=(x, given), steps=(*taken, *plain.steps), returns=returned)


def _called(
    growth: Growth, fresh: Fresh, body: Function, over: Offered, states: Sequence[Offered]
) -> list[Step]:
    random, name = growth.random, growth.name()
    told: dict[str, Argument] = {}
    if random.random() < 0.4:
        told["go_backwards"] = True
    if random.random() < 0.5:
        told["unroll"] = True
        told["input_length"] = over.type.shape[1]
    masked = random.random() < MASKED
    if masked:
        told["mask"] = Ref(fresh.add(over.type.shape[:2], lambda: _mask(growth, over)).name)
    args = (body, Ref(over.name), [Ref(s.name) for s in states])
    called = Step(f"{name}_c", "rnn", args, tuple(told.items()))
    return [called, *_taken(growth, name, len(states), masked=masked)]


def _mask(growth: Growth, over: Offered) -> Array:
    """No sample is without a step that counts."""
    used = growth.rng.random(over.type.shape[:2]) < 0.6
    used[:, 0] = True
    return used.astype(growth.dtype)


def _taken(growth: Growth, name: str, states: int, *, masked: bool) -> list[Step]:
    """What is taken of the results: one of the outputs if none is masked, and a state."""
    called = Ref(f"{name}_c")
    place = growth.random.randrange(states)
    listed = Step(f"{name}_l", MEMBER, (called, STATES))
    state = Step(f"{name}_s", MEMBER, (Ref(listed.result), place))
    if masked:
        return [listed, replace(state, result=name)]
    output = Step(name, MEMBER, (called, growth.random.choice((0, 1))))
    return [listed, state, output] if growth.random.random() < 0.5 else [output]
