"""The right answers of a program, with a bound that runs along with it, and where it is cut.

Where the bound of a tensor has become useless (`Known.useless`), the program is cut before the
call: the tensors that it is given are observed, too, and from there on the target's own numbers are
the right ones, of which nothing is off but one rounding (what an implementation passes on may have
more digits than what it shows). What is still useless with these is cut off: no number of it is
judged, and what is made of it is judged by its own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.answer import answer
from conformance.fuzz.bounds.gradients import gradient
from conformance.fuzz.bounds.known import Array, Known, exactly
from conformance.fuzz.bounds.special import special_answer
from conformance.fuzz.bounds.types import Typed, typed
from conformance.fuzz.calls import Call, Special, calls_of
from conformance.oracle.rounding import arithmetic, ulp
from conformance.program import Program

Arrays = Mapping[str, Array]


@dataclass(slots=True)
class Course:
    """What is known of each tensor of one draw, in the order in which a program makes them.

    `shown` has the target's own numbers of the tensors at which it is cut; until the target has
    answered the right ones stand for them, and `cuts` are found.
    """

    types: dict[str, Typed]
    known: dict[str, Known]
    shown: Arrays = field(default_factory=dict)
    planned: bool = True
    cuts: dict[str, str] = field(default_factory=dict)
    """The tensors that have to be observed, with the call that needs them."""
    unjudged: set[str] = field(default_factory=set)
    """Tensors of which nothing is known, whatever is observed."""
    phase: int | None = None
    """The learning phase, if it is given."""
    calls: list[Call | Special] = field(default_factory=list)
    """What was answered so far."""
    sweeps: dict[str, Any] = field(default_factory=dict)
    """What each tensor contributes to a loss, by the name of the loss."""

    def add(self, call: Call | Special, edition: Edition) -> None:
        """Answer one call more. ValueError, IndexError: the oracle has no answer."""
        self.calls.append(call)
        found = self._answer(call, edition)
        if found.useless and self.planned:
            self._cut(call)
            found = self._answer(call, edition)
        if found.useless:
            self.unjudged.add(call.result)
            if self.planned:
                self.cuts.setdefault(call.result, call.result)
        self.known[call.result] = found

    def begin(self, types: Mapping[str, Typed], arrays: Arrays) -> None:
        """Add inputs with their numbers."""
        self.types.update(types)
        self.known.update({name: exactly(arrays[name]) for name in types})

    def copied(self) -> Course:
        """The same so far, to be gone on with."""
        return Course(
            dict(self.types),
            dict(self.known),
            self.shown,
            self.planned,
            dict(self.cuts),
            set(self.unjudged),
            self.phase,
            list(self.calls),
            dict(self.sweeps),
        )

    def _answer(self, call: Call | Special, edition: Edition) -> Known:
        if isinstance(call, Special):
            self.types[call.result], found = self._special(call, edition)
            return found
        given = {name: self.given(name) for name in call.references()}
        if call.result not in self.types:
            kind = typed(call, self.types, ())
            found = answer(call, given, kind.dtype)
            self.types[call.result] = typed(call, self.types, found.value.shape)
            return found
        return answer(call, given, self.types[call.result].dtype)

    def _special(self, call: Special, edition: Edition) -> tuple[Typed, Known]:
        if call.function != "gradients":
            return special_answer(self, call, edition)
        with np.errstate(all="ignore"):
            return gradient(self, call)

    def given(self, name: str) -> Known:
        """What is passed on of a tensor: the target's own numbers where it is cut."""
        if name in self.shown:
            return roughly(self.shown[name].astype(self.types[name].dtype))
        if name in self.cuts:
            return roughly(self.known[name].value)
        return self.known[name]

    def _cut(self, call: Call | Special) -> None:
        for name in call.references():
            if not self.known[name].exact:
                self.cuts.setdefault(name, call.result)


def roughly(value: Array) -> Known:
    """Numbers that were observed; floating ones may have been rounded once on the way."""
    model = arithmetic(value.dtype.name, False)
    if model is None:
        return exactly(value)
    return Known(value, np.asarray(ulp(value, model), np.float64))


def course(
    program: Program, arrays: Arrays, edition: Edition, shown: Arrays | None = None
) -> Course:
    """The whole course of a program; with what a target has shown, if it has."""
    found = Course({}, {}, shown or {}, planned=shown is None)
    found.begin({i.name: Typed(i.shape, (i.dtype,)) for i in program.inputs}, arrays)
    for call in calls_of(program, edition):
        found.add(call, edition)
    return found
