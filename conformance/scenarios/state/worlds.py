"""The values of variables under readings other than the suite's own.

The documents do not say when the updates of a call take effect, when a function reads variables, or
by which formula a moving average is made. A world has the values of a program's variables under
some of the other readings. If updates happen in turn, a function may read a variable before or
after any of them, and a call leads from one world to several. An answer of no world, and not
the suite's own, is wrong whatever the documents leave open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from itertools import product

import numpy as np

from conformance.scenarios.model import Array
from conformance.scenarios.state.variable_model import (
    AT_CALL,
    AVERAGE,
    BEFORE,
    TOGETHER,
    Expression,
    ModelFunction,
    ModelUpdate,
    ModelVariable,
)

Taken = tuple[str, str]
"""A convention, and the name of a reading of it."""
Result = tuple[frozenset[Taken], Array]
"""A possible result, and the readings under which it is the right one."""

WHEN_MADE: Taken = (AT_CALL, "when made")
IN_TURN: Taken = (TOGETHER, "in turn")
OUTPUT_IN_TURN: Taken = (BEFORE, "in turn")
WITHOUT_BIAS: Taken = (AVERAGE, "without bias")
READINGS = (WITHOUT_BIAS, WHEN_MADE, IN_TURN, OUTPUT_IN_TURN)
"""All of them. The message names the first that a result takes."""


class GraphMode(StrEnum):
    """A reading that holds throughout a world."""

    NONE = "none"
    WHEN_MADE = "when made"
    WITHOUT_BIAS = "without bias"


@dataclass(eq=False)
class World:
    """The value of each variable, and the values that were read of it."""

    mode: GraphMode = GraphMode.NONE
    _: KW_ONLY
    taken: frozenset[Taken] = frozenset()
    values: dict[ModelVariable, Array] = field(default_factory=dict)
    held: dict[str, Array] = field(default_factory=dict)
    """Arrays that the program has read from variables, by name."""
    made: dict[int, dict[ModelVariable, Array]] = field(default_factory=dict)
    """For expressions, by `id`, what their variables held when they were written."""
    averages: dict[int, tuple[Array, int]] = field(default_factory=dict)
    """For moving averages, by `id`, the biased average and the number of its updates."""

    def write(self, expression: Expression) -> None:
        """Note that the tensor of an expression is made now."""
        if self.mode is GraphMode.WHEN_MADE and expression.variable is None:
            self.made[id(expression)] = {v: self.values[v] for v in expression.reads()}

    def possible(
        self, expression: Expression, fed: Mapping[str, Array], after: Mapping[ModelVariable, Array]
    ) -> list[Array]:
        """The values of an expression while the variables change to `after`; unchanged first."""
        return self._possible(expression, fed, after, self.made.get(id(expression), {}))

    def _possible(
        self,
        expression: Expression,
        fed: Mapping[str, Array],
        after: Mapping[ModelVariable, Array],
        made: Mapping[ModelVariable, Array],
    ) -> list[Array]:
        variable = expression.variable
        if variable is not None:
            if variable in made:
                return [made[variable]]
            now = [self.values[variable]]
            return distinct([*now, after[variable]] if variable in after else now)
        if not expression.parts:
            return [expression.value(fed)]
        sides = [self._possible(part, fed, after, made) for part in expression.parts]
        if expression.operator == "add":
            return distinct(np.asarray(left + right) for left, right in product(*sides))
        return distinct(np.asarray(left - right) for left, right in product(*sides))

    def called(
        self, function: ModelFunction, fed: Mapping[str, Array]
    ) -> Iterator[tuple[World, list[list[Result]]]]:
        """The worlds that a call leads to, each with the possible results of every output."""
        together: Mapping[ModelVariable, Array] | None = None
        seen = set()
        for after, averages in self._in_turn(function.updates, fed, {}, self.averages):
            together = after if together is None else together
            if (known := _bytes(after.values())) in seen:
                continue
            seen.add(known)
            apart = any(not np.array_equal(after[v], together[v]) for v in after)
            taken = self.taken | {IN_TURN} if apart else self.taken
            outputs = [self._results(e, fed, after, taken) for e in function.outputs]
            yield self._next(taken, after, averages), outputs

    def _in_turn(
        self,
        updates: Sequence[ModelUpdate],
        fed: Mapping[str, Array],
        after: dict[ModelVariable, Array],
        averages: dict[int, tuple[Array, int]],
    ) -> Iterator[tuple[dict[ModelVariable, Array], dict[int, tuple[Array, int]]]]:
        """The results of the updates in any order; first, all from the old values."""
        if not updates:
            yield after, averages
        for number, update in enumerate(updates):
            rest = [*updates[:number], *updates[number + 1 :]]
            for operand in self.possible(update.operand, fed, after):
                value, average = self._renewed(update, operand, averages)
                yield from self._in_turn(rest, fed, {**after, update.variable: value}, average)

    def _renewed(
        self, update: ModelUpdate, operand: Array, averages: dict[int, tuple[Array, int]]
    ) -> tuple[Array, dict[int, tuple[Array, int]]]:
        old = self.values[update.variable]
        if update.kind != "moving_average_update" or self.mode is not GraphMode.WITHOUT_BIAS:
            return update.renewed(old, operand).astype(old.dtype), averages
        biased, count = averages.get(id(update), (np.zeros_like(old), 0))
        biased = biased * update.momentum + operand * (1 - update.momentum)
        value = biased / (1 - update.momentum ** (count + 1))
        renewed = {**averages, id(update): (biased.astype(old.dtype), count + 1)}
        return np.asarray(value, old.dtype), renewed

    def _results(
        self,
        expression: Expression,
        fed: Mapping[str, Array],
        after: Mapping[ModelVariable, Array],
        taken: frozenset[Taken],
    ) -> list[Result]:
        (old, *others) = self.possible(expression, fed, after)
        return [(self.taken, old), *((taken | {OUTPUT_IN_TURN}, other) for other in others)]

    def _next(
        self,
        taken: frozenset[Taken],
        after: Mapping[ModelVariable, Array],
        averages: dict[int, tuple[Array, int]],
    ) -> World:
        values, held, made = {**self.values, **after}, dict(self.held), dict(self.made)
        return replace(
            self, taken=taken, values=values, held=held, made=made, averages=dict(averages)
        )

    @property
    def key(self) -> tuple[object, ...]:
        """The same for two worlds that are equal from now on."""
        averages = [(name, a.tobytes(), count) for name, (a, count) in self.averages.items()]
        held = [(name, a.tobytes()) for name, a in self.held.items()]
        return (self.mode, _bytes(self.values.values()), tuple(averages), tuple(held))


def initial(*, averages: bool) -> list[World]:
    """The worlds in which a program begins; `averages`: whether it may have moving averages."""
    worlds = [World(), World(GraphMode.WHEN_MADE, taken=frozenset({WHEN_MADE}))]
    if averages:
        worlds.append(World(GraphMode.WITHOUT_BIAS, taken=frozenset({WITHOUT_BIAS})))
    return worlds


def merged(worlds: Iterable[World]) -> list[World]:
    """The worlds that differ; of equal worlds, that with the fewest readings."""
    distinct_worlds: dict[tuple[object, ...], World] = {}
    for world in sorted(worlds, key=lambda w: len(w.taken)):
        distinct_worlds.setdefault(world.key, world)
    return list(distinct_worlds.values())


def distinct(arrays: Iterable[Array]) -> list[Array]:
    """The different arrays, in order of first appearance."""
    return list({a.tobytes(): a for a in arrays}.values())


def _bytes(arrays: Iterable[Array]) -> tuple[bytes, ...]:
    return tuple(a.tobytes() for a in arrays)
