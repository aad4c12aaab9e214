"""The right answers of a program, with a bound that runs along with it, and where it is cut.

Where the bound of a tensor has become useless (`Known.useless`), the program is cut before the
call: the arguments of the call are observed as well. From there on the target's own numbers are the
right ones, off by one rounding at most (an implementation may pass on more digits than it shows). A
tensor that is still useless with these is cut off: none of its numbers is judged, and everything
made of it is judged by its own numbers.

**One call.** A correct implementation rounds its way through a program. It passes other numbers
than the right ones to a call, each within its reach. Its result strays from the rounded value by at
most

    spread + 2 B + |value rounded to the dtype - value|

Here `spread` is how far the function moves in the box of its arguments (`bounds.spread`). B is the
call's own bound (`oracle.expect`): the largest of three, at the centre of the box and at two
opposite corners. One corner is farthest from zero, the other nearest to it or beyond. A tensor that
is divided by (`DIVISORS`) moves the other way. B counts twice because it holds at these places and
the whole box needs it. There magnitudes differ by less than half of the digits, or the box is cut.
A sum of the very numbers at a place that needs no rounding says nothing about the box (`nearby`).
Where the arguments are known exactly, the reach is B and the last rounding alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.control_flow import special_answer
from conformance.fuzz.bounds.gradients import gradient
from conformance.fuzz.bounds.keras_spread import KERAS_RULES
from conformance.fuzz.bounds.spread import Box, unknown, unmoved
from conformance.fuzz.bounds.tensors import Array, Known, Typed, exactly, typed
from conformance.fuzz.programs import ProgramCall, Special, calls_of
from conformance.generators.gradients import resolved
from conformance.oracle import ORACLES, Expectation, expect
from conformance.oracle.evaluate import widened
from conformance.oracle.rounding import arithmetic, ulp
from conformance.program import Program

Tensors = Mapping[str, Known]
DIVISORS: Mapping[str, str] = {"batch_normalization": "var"}
"""The tensor of a function with which its bound falls: that has 1 / sqrt(var + epsilon) in it."""


def answer(call: ProgramCall, tensors: Tensors, dtype: str) -> Known:
    """Knowledge of the call's result, which has this dtype.

    ValueError, IndexError: the oracle has no answer.
    """
    names = set(call.references())
    arguments = resolved(call.answered, {n: tensors[n].value for n in names})
    centre = expect(call.oracle, arguments, dtype, call.accuracy)
    if all(tensors[n].exact for n in names):
        return _rounded(centre, centre.bound, dtype)
    reaches = _reaches(call, tensors)
    with np.errstate(all="ignore"):
        spread = _spread(call, arguments, reaches, dtype, centre.value)
        places = (_moved(call, arguments, reaches, outwards) for outwards in (0, 1, -1))
        bounds = [expect(call.oracle, a, dtype, call.accuracy, nearby=True).bound for a in places]
    reach = np.asarray(spread, np.float64) + 2 * np.maximum.reduce(bounds)
    return _rounded(centre, np.where(np.isnan(reach), np.inf, reach), dtype)


def _rounded(centre: Expectation, reach: Array, dtype: str) -> Known:
    value = centre.value.astype(dtype)
    with np.errstate(invalid="ignore"):
        lost = np.abs(np.subtract(value, centre.value, dtype=np.float64))
    return Known(value, np.asarray(reach + np.where(value == centre.value, 0, lost), np.float64))


def _reaches(call: ProgramCall, tensors: Tensors) -> dict[str, Any]:
    """The reach of each tensor argument, or the list of them."""
    known = {name: tensors[name].reach for name in call.references()}
    held = {n: v for n, v in call.arguments.items() if _has_tensors(call, n)}
    return resolved(held, known)


def _has_tensors(call: ProgramCall, name: str) -> bool:
    value = call.arguments[name]
    first = value[0] if isinstance(value, list) and value else value
    return type(first).__name__ == "Ref"


def _spread(
    call: ProgramCall,
    arguments: Mapping[str, Any],
    reaches: Mapping[str, Any],
    dtype: str,
    value: Array,
) -> Array:
    rule = KERAS_RULES.get(call.oracle, unknown)
    wide = widened(arguments, dtype)
    box = Box(ORACLES[call.oracle], wide, reaches, value)
    if rule is not unmoved and _jumps(wide, reaches):
        return unknown(box)
    exact = np.asarray(box.oracle(**wide))
    return np.asarray(rule(Box(box.oracle, wide, reaches, exact)))


def _jumps(wide: Mapping[str, Any], reaches: Mapping[str, Any]) -> bool:
    """Whether a tensor that is not of floating numbers is not known."""
    for name, reach in reaches.items():
        pairs = (
            zip(wide[name], reach, strict=True)
            if isinstance(reach, list)
            else [(wide[name], reach)]
        )
        if any(x.dtype.kind != "f" and r.any() for x, r in pairs):
            return True
    return False


def _moved(
    call: ProgramCall, arguments: Mapping[str, Any], reaches: Mapping[str, Any], outwards: int
) -> dict[str, Any]:
    """The arguments with tensors as far from zero as they may be, or (-1) as near, or beyond."""
    falls = DIVISORS.get(call.oracle)
    ways = {name: -outwards if name == falls else outwards for name in reaches}
    return {n: _away(v, reaches[n], ways[n]) if n in ways else v for n, v in arguments.items()}


def _away(value: Any, reach: Any, outwards: int) -> Any:
    """A tensor, or each of a list, moved by its reach."""
    if isinstance(value, list):
        return [_away(v, r, outwards) for v, r in zip(value, reach, strict=True)]
    if value.dtype.kind != "f" or not outwards:
        return value
    return np.asarray(value + outwards * np.where(value < 0, -reach, reach)).astype(value.dtype)


Arrays = Mapping[str, Array]


@dataclass(slots=True)
class Course:
    """Knowledge of each tensor of one draw, in the order in which a program makes them.

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
    """Tensors that no observation bounds."""
    phase: int | None = None
    """The learning phase, if it is given."""
    calls: list[ProgramCall | Special] = field(default_factory=list)
    """The calls that were answered so far."""
    sweeps: dict[str, Any] = field(default_factory=dict)
    """Each tensor's share of a loss, by the name of the loss."""

    def add(self, call: ProgramCall | Special, edition: Edition) -> None:
        """Answer one call more.

        Raises:
            ValueError: the oracle has no answer.
            IndexError: the oracle has no answer.
        """
        self.calls.append(call)
        known = self._answer(call, edition)
        if known.useless and self.planned:
            self._cut(call)
            known = self._answer(call, edition)
        if known.useless:
            self.unjudged.add(call.result)
            if self.planned:
                self.cuts.setdefault(call.result, call.result)
        self.known[call.result] = known

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

    def _answer(self, call: ProgramCall | Special, edition: Edition) -> Known:
        if isinstance(call, Special):
            self.types[call.result], known = self._special(call, edition)
            return known
        arguments = {name: self.argument(name) for name in call.references()}
        if call.result not in self.types:
            kind = typed(call, self.types, ())
            known = answer(call, arguments, kind.dtype)
            self.types[call.result] = typed(call, self.types, known.value.shape)
            return known
        return answer(call, arguments, self.types[call.result].dtype)

    def _special(self, call: Special, edition: Edition) -> tuple[Typed, Known]:
        if call.function != "gradients":
            return special_answer(self, call, edition)
        with np.errstate(all="ignore"):
            return gradient(self, call)

    def argument(self, name: str) -> Known:
        """The tensor as a call receives it: the target's own numbers where it is cut."""
        if name in self.shown:
            return roughly(self.shown[name].astype(self.types[name].dtype))
        if name in self.cuts:
            return roughly(self.known[name].value)
        return self.known[name]

    def _cut(self, call: ProgramCall | Special) -> None:
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
    """The whole course of a program, by the numbers that a target has shown if it has."""
    whole = Course({}, {}, shown or {}, planned=shown is None)
    whole.begin({i.name: Typed(i.shape, (i.dtype,)) for i in program.inputs}, arrays)
    for call in calls_of(program, edition):
        whole.add(call, edition)
    return whole
