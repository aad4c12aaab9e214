"""How much is tried: structures for each function, and draws for each structure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.generators import Draw, Structure
from conformance.generators.coverage.effort import FEW, QUICK, SMALL, USUAL, Effort, Extent
from conformance.generators.coverage.spreading import extended
from conformance.generators.sizes import ELEMENTS
from conformance.generators.values import PROFILES as VALUES
from conformance.generators.values import suits
from conformance.program import Binding
from conformance.program.model import AS_THEY_ARE

PROBES = ("extremes", "subnormal", "special")
REBUILT = (Binding.CONSTANT, *AS_THEY_ARE)
"""Bindings that are a part of the graph."""
FEW_DRAWS = 3
"""The draws of a structure whose graph must be built again for each draw."""

MUCH = Effort(first=40, free=2, steered=2, least=2000, tries=8)


@dataclass(frozen=True, slots=True)
class Profile:
    """How many trials of each sort are run, and with which numbers."""

    name: str
    structures: int | None
    """The most structures of each function; None for as many as it takes to show every pair."""
    invalid: int
    """Structures for each documented error."""
    values: tuple[str, ...]
    """The value profiles. Every structure gets the first of them, the others in turn."""
    shrink: int
    """The most trials that are run to make a violation smaller."""
    shrink_other: int
    """The most trials that are run to make any other failure smaller."""
    scenarios: int
    """Scenarios that are drawn from each family."""
    gradients: int
    """Structures of each differentiable function whose gradients are tested."""
    compiled: int = 0
    """Structures of each function that are compiled, where the edition has that."""
    elements: int = ELEMENTS
    """The most elements of a tensor, about."""
    setups: int = 1000
    """The most configured processes that are started for the functions that share them."""
    draws: int = 4
    """Draws of each structure."""
    effort: Effort = USUAL
    """How much is drawn to find the structures."""
    exhaustive: bool = False
    """Whether elementwise functions get every number of a small dtype."""
    bare: bool = False
    """Whether each dtype that no docstring names has a call without other arguments."""

    contains: Profile | None = None
    """The next smaller profile, all of whose trials this one has, with the same numbers."""

    @property
    def chain(self) -> tuple[Profile, ...]:
        """The profiles that this one contains, from the smallest to itself: the stages of a plan.

        A plan has the trials of its stages one after the other, so that it begins with the plan of
        each smaller profile. What a smaller profile convicts, this one sees, too.
        """
        return (self,) if self.contains is None else (*self.contains.chain, self)

    @property
    def excluded(self) -> int:
        """Structures for each exclusion of a parameter."""
        return max(1, self.invalid // 2)

    @property
    def extents(self) -> list[Extent]:
        """How far the covering array of a function goes, for each profile of the chain."""
        return [Extent(p.structures, p.effort, p.elements) for p in self.chain]

    @property
    def usual_values(self) -> tuple[str, ...]:
        """The value profiles of a structure that is not of the plan: a twin, an invalid call."""
        values: tuple[str, ...] = ()
        for profile in self.chain:
            values = extended(values, profile.values, profile.draws)
        return values


def draws_of(structure: Structure, values: Sequence[str], seed: int) -> tuple[Draw, ...]:
    """The draws of a structure from these value profiles.

    A structure without any element gets one draw. A profile that does not suit it is replaced by
    ordinary numbers. One whose graph must be built again for every draw gets few. The numbers of a
    draw depend on its profile, and on how many draws before it have the same.
    """
    inputs = structure.program.inputs
    if structure.error or not any(math.prod(i.shape) for i in inputs):
        return (Draw("ordinary", seed),)
    listed = [v if suits(v, structure) else "ordinary" for v in values]
    if any(i.binding in REBUILT for i in inputs):
        listed = listed[:FEW_DRAWS]
    times = [listed[:place].count(v) for place, v in enumerate(listed)]
    return tuple(Draw(v, _numbered(v, n, seed)) for v, n in zip(listed, times, strict=True))


def _numbered(values: str, times: int, seed: int) -> int:
    """The seed of the draw from a value profile after so many others from it."""
    return seed * 1000 + [*VALUES].index(values) + len(VALUES) * times


def _values(text: str) -> tuple[str, ...]:
    """Value profiles in order; `ordinary*3` stands for three of them."""
    counted = (word.partition("*") for word in text.split())
    return tuple(name for name, _, times in counted for _ in range(int(times or 1)))


SURVEY = Profile(
    "survey",
    structures=3,
    invalid=1,
    values=_values("ordinary halves"),
    shrink=0,
    shrink_other=0,
    scenarios=1,
    gradients=1,
    compiled=1,
    elements=SMALL,
    setups=3,
    effort=QUICK,
)
"""The survey that a run with a time limit begins with: every aspect of every function once."""

SMOKE = Profile(
    "smoke",
    structures=FEW,
    invalid=2,
    values=_values("ordinary halves large special"),
    shrink=10,
    shrink_other=0,
    scenarios=2,
    gradients=1,
    compiled=1,
    elements=SMALL,
    setups=3,
    effort=QUICK,
    exhaustive=True,
    contains=SURVEY,
)
DEFAULT = Profile(
    "default",
    structures=None,
    invalid=6,
    values=_values(
        "ordinary halves large offset sparse outside unnormalised wide integers zeros"
        " extremes subnormal special"
    ),
    shrink=15,
    shrink_other=2,
    scenarios=10,
    gradients=4,
    compiled=3,
    exhaustive=True,
    bare=True,
    contains=SMOKE,
)
THOROUGH = Profile(
    "thorough",
    structures=None,
    invalid=20,
    values=_values(
        "ordinary halves ordinary*3 large*2 offset sparse outside*2 unnormalised*2 wide*2"
        " integers*2 zeros extremes*2 subnormal special*2"
    ),
    draws=12,
    effort=MUCH,
    shrink=200,
    shrink_other=50,
    scenarios=60,
    gradients=40,
    compiled=20,
    elements=100_000,
    exhaustive=True,
    bare=True,
    contains=DEFAULT,
)
PROFILES = {profile.name: profile for profile in (SMOKE, DEFAULT, THOROUGH)}
