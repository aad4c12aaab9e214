"""Steer the drawing of a call towards classes of features, one parameter at a time.

A parameter whose argument has another class than wanted is drawn again. The choices of what was
drawn in vain are taken back, so that those that are kept make the same call without any steering:
shrinking and replaying know nothing of what was wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hypothesis.errors import UnsatisfiedAssumption

from conformance.generators import tensors
from conformance.generators.calls import CallDraft
from conformance.generators.classes import (
    BINDING_OF,
    DTYPE,
    OF_CALL,
    PART,
    PARTLY_KNOWN,
    PASSING,
    UNKNOWN,
    Classes,
    View,
    of_parameter,
    passing,
)
from conformance.generators.complex_numbers import call_of
from conformance.generators.kinds import draw_parameter
from conformance.program import Program

MOST_WANTED, MOST_DEMANDED = 4, 24
"""How many times a parameter is drawn at most to get what is wanted, and what is demanded."""
AIMED = ("rank", "binding", "known", "size", "length", "long axis")
"""Features of a tensor that one choice decides, or a few."""

_OF_PROGRAM = (PART, PASSING, *OF_CALL)
NOWHERE = "nowhere"
"""In the place of the class of a feature that a call does not have."""
Made = TypeVar("Made")


class Steering:
    """The classes that a call should have, and those without which it is rejected."""

    def __init__(self, wanted: Classes, demanded: Classes) -> None:
        self.wanted = {**wanted, **demanded}
        self.demanded = demanded
        own = self.wanted.keys() - {DTYPE}
        self._about = {*own, *(feature.partition(" ")[0] for feature in own)}
        """The parameters with a wanted feature; no other is drawn again."""
        self.sought: Classes = self.wanted
        """What is being looked for now."""
        self.had: dict[str, str] = {}
        """The demanded classes that the call has already."""

    def dtype(self, call: CallDraft) -> None:
        """Draw the dtype of tensors, which was drawn first of all, again if it is another."""
        wanted = self.wanted.get(DTYPE, call.dtype)
        if call.dtype == wanted:
            return
        call.chooser.take_back(call.chooser.position() - 1)

        def again() -> None:
            call.dtype = call.drawn_dtype()

        self._repeat(call, again, lambda _: {DTYPE: call.dtype})

    def turn(self, call: CallDraft, names: tuple[str, ...]) -> None:
        """Draw a parameter, or those that a drawer gives together."""
        call.aims, call.aims_of = self._aims_of_call(), {}
        if self._about.isdisjoint(names):
            draw_parameter(call, names[0])
            return

        def draw() -> None:
            call.aims_of = {n: {**self._aims_of_call(), **self._aims(n)} for n in names}
            call.aim(names[0])
            draw_parameter(call, names[0])

        begins = tuple(f"{name} " for name in names)
        needed = [f for f in self.demanded if f != DTYPE and f"{f} ".startswith(begins)]
        self._repeat(call, draw, lambda _: of_drafts(call, names), needed)

    def _aims(self, name: str) -> dict[str, str]:
        """What can be chosen at once, without drawing the whole parameter."""
        wanted = self.sought
        aims = {f: wanted[f"{name} {f}"] for f in AIMED if f"{name} {f}" in wanted}
        binding = aims.get("binding")
        if binding in (UNKNOWN, PARTLY_KNOWN):
            aims["partly known"] = tensors.yes_or_no(binding == PARTLY_KNOWN)
        if "known" in aims:
            aims.setdefault("binding", PARTLY_KNOWN)
            aims |= {} if aims["known"] == "none" else {"rank": str(len(aims["known"]))}
        binding = aims.get("binding")
        if binding in BINDING_OF:
            aims["binding"] = BINDING_OF[binding]
        return aims

    def _aims_of_call(self) -> dict[str, str]:
        return {f: self.sought[f] for f in OF_CALL if f in self.sought}

    def program(self, call: CallDraft) -> Program:
        """Make the program, in which the way of passing arguments and the part are drawn."""
        if self._about.isdisjoint(_OF_PROGRAM):
            call.aims = {}
            return call.program()

        def draw() -> Program:
            call.aims = self._aims_of_call()
            return call.program()

        needed = [feature for feature in _OF_PROGRAM if feature in self.demanded]
        return self._repeat(call, draw, lambda program: _of_program(call, program), needed)

    def _repeat(
        self,
        call: CallDraft,
        draw: Callable[[], Made],
        told: Callable[[Made], Classes],
        needed: Sequence[str] = (),
    ) -> Made:
        """Draw until the classes are as wanted; after a while, as demanded, with the features that
        are needed among them."""
        before = _state(call)
        for attempt in range(MOST_DEMANDED):
            start = call.chooser.position()
            self.sought = self.wanted if attempt < MOST_WANTED - 1 else self.demanded
            made = draw()
            found = {**dict.fromkeys(needed, NOWHERE), **told(made)}
            if all(self.sought.get(name, one) == one for name, one in found.items()):
                self.had |= {name: one for name, one in found.items() if name in self.demanded}
                return made
            call.chooser.take_back(start)
            vars(call).update(_copied(before))
        missed = (name for name in found if self.demanded.get(name, found[name]) != found[name])
        raise UnsatisfiedAssumption(self._why(next(missed)))

    def _why(self, feature: str) -> str:
        beside = " and ".join(f"{name} {one}" for name, one in self.had.items())
        tried = f"{feature} {self.demanded[feature]} did not come in {MOST_DEMANDED} draws"
        return f"{tried} beside {beside}" if beside else tried


def of_drafts(call: CallDraft, names: tuple[str, ...]) -> Classes:
    """The classes of parameters that have just been drawn."""
    seen = View(
        call.rules,
        {item.name: item for item in call.inputs},
        call.shapes,
        call.domains,
        call.values,
        call.passed,
    )
    return {f: one for name in names for f, one in of_parameter(seen, name).items()}


def _of_program(call: CallDraft, program: Program) -> Classes:
    mixed = call.mixtures if call.mixed else ()
    fixed = [name for name, rule in call.rules.items() if getattr(rule, "dtypes", None)]
    of_tensors = tensors.classes(program.inputs, call.passed, mixed=mixed, fixed=fixed)
    found = {PASSING: passing(call_of(program)), **of_tensors}
    return found if call.part is None else {**found, PART: call.part.name}


def _state(call: CallDraft) -> dict[str, Any]:
    return _copied(vars(call))


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    copied = dict(state)
    for name in CallDraft.COLLECTED:
        copied[name] = copied[name].copy()
    return copied
