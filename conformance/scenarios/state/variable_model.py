"""The effect of a program on variables, in plain NumPy: the model of the state machines.

An expression is a tree over variables, fed inputs and constants of one shape and dtype. It has sums
and differences only: small numbers stay exact. Every value carries the conventions it rests on; a
value that follows from the documents alone has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

import numpy as np

from conformance.scenarios.model import Array
from conformance.scenarios.recorder import Result
from conformance.specs.convention_names import ConventionName

Conventions = frozenset[str]
NONE: Conventions = frozenset()

AT_CALL = ConventionName.READ_AT_CALL
TOGETHER = ConventionName.SIMULTANEOUS_UPDATES
BEFORE = ConventionName.OUTPUTS_BEFORE_UPDATES
AVERAGE = ConventionName.MOVING_AVERAGE


@dataclass(eq=False)
class ModelVariable:
    """A variable of the program: its current value and its earlier ones."""

    ref: Result
    value: Array
    _: KW_ONLY
    conventions: Conventions = NONE
    history: list[Array] = field(default_factory=list)
    """All values so far, the current one last."""
    made: str | None = None
    """The output that holds the dtype that it was made with; None if nobody asked."""

    def __post_init__(self) -> None:
        self.history.append(self.value)

    @property
    def version(self) -> int:
        """The number of values so far: it grows with every change."""
        return len(self.history)

    @property
    def kind(self) -> tuple[tuple[int, ...], str]:
        """Shape and dtype."""
        return self.value.shape, self.value.dtype.name

    def set(self, value: Array, conventions: Conventions = NONE) -> None:
        """A new value, kept in the variable's dtype."""
        self.value = value.astype(self.value.dtype)
        self.conventions = conventions
        self.history.append(self.value)


@dataclass(frozen=True)
class Expression:
    """A leaf (a variable, or a fixed array, or a fed input) or a sum or difference of two."""

    operator: Literal["variable", "fixed", "fed", "add", "sub"]
    parts: tuple[Expression, ...] = ()
    _: KW_ONLY
    variable: ModelVariable | None = None
    fixed: Array | None = None
    name: str = ""

    def value(self, fed: Mapping[str, Array]) -> Array:
        """Its current value."""
        if self.variable is not None:
            return self.variable.value
        if self.operator in ("add", "sub"):
            left, right = (part.value(fed) for part in self.parts)
            return np.asarray(left + right if self.operator == "add" else left - right)
        return fed[self.name] if self.fixed is None else self.fixed

    def reads(self) -> Iterator[ModelVariable]:
        """The variables in it."""
        if self.variable is not None:
            yield self.variable
        for part in self.parts:
            yield from part.reads()

    def feeds(self) -> bool:
        """Whether it depends on a fed input."""
        return self.operator == "fed" or any(part.feeds() for part in self.parts)

    def conventions(self) -> Conventions:
        """The conventions that its current value rests on."""
        return NONE.union(*(variable.conventions for variable in self.reads()))


UpdateKind = Literal["pair", "update", "update_add", "update_sub", "moving_average_update"]


@dataclass(frozen=True)
class ModelUpdate:
    """A new value for a variable, made of an expression."""

    kind: UpdateKind
    variable: ModelVariable
    _: KW_ONLY
    operand: Expression
    momentum: float = 0.0

    def value(self, fed: Mapping[str, Array]) -> Array:
        """The new value, from the old values of all variables."""
        return self.renewed(self.variable.value, self.operand.value(fed))

    def renewed(self, old: Array, operand: Array) -> Array:
        """The new value, from the old one of the variable and the value of the operand."""
        if self.kind == "update_add":
            return np.asarray(old + operand)
        if self.kind == "update_sub":
            return np.asarray(old - operand)
        if self.kind == "moving_average_update":
            return np.asarray(old * self.momentum + operand * (1 - self.momentum))
        return operand

    def conventions(self) -> Conventions:
        """Conventions that the new value rests on, less what depends on other updates."""
        resting = self.operand.conventions()
        if self.kind in ("pair", "update"):
            return resting
        mean = {AVERAGE} if self.kind == "moving_average_update" else set()
        return resting | self.variable.conventions | mean


@dataclass(eq=False)
class ModelFunction:
    """A function made of expressions and updates, and the facts at its making."""

    ref: Result
    inputs: Sequence[tuple[str, tuple[tuple[int, ...], str]]]
    _: KW_ONLY
    outputs: Sequence[Expression]
    updates: Sequence[ModelUpdate]
    ranks: Sequence[str | None] = ()
    """For each output the program's output with its rank, if the program has one."""
    versions: dict[ModelVariable, int] = field(default_factory=dict)
    history: list[list[Array]] = field(default_factory=list)
    """For each output the values that it has had."""

    def __post_init__(self) -> None:
        expressions = [*self.outputs, *(update.operand for update in self.updates)]
        self.versions = {v: v.version for e in expressions for v in e.reads()}
        self.history = [[] for _ in self.outputs]

    def call(self, fed: Mapping[str, Array]) -> list[tuple[Array, Conventions]]:
        """The outputs; the variables get their new values."""
        outputs = [(e.value(fed), self._resting(e)) for e in self.outputs]
        for values, (value, _) in zip(self.history, outputs, strict=True):
            values.append(value)
        new = [(u.variable, u.value(fed), self._renewed(u)) for u in self.updates]
        for variable, value, conventions in new:
            variable.set(value, conventions)
        return outputs

    def _changed(self, expression: Expression) -> Conventions:
        """A variable that changed after the function was made is read again by convention."""
        changed = any(v.version != self.versions[v] for v in expression.reads())
        return frozenset({AT_CALL} if changed else ())

    def _resting(self, output: Expression) -> Conventions:
        updated = {update.variable for update in self.updates}
        before = {BEFORE} if updated & {*output.reads()} else set()
        return output.conventions() | self._changed(output) | before

    def _renewed(self, update: ModelUpdate) -> Conventions:
        others = {u.variable for u in self.updates} - {update.variable}
        together = {TOGETHER} if others & {*update.operand.reads()} else set()
        return update.conventions() | self._changed(update.operand) | together
