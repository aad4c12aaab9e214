"""How much is tried: structures for each function, and draws for each structure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from conformance.generators import Draw, Structure
from conformance.generators.sizes import ELEMENTS
from conformance.generators.values import suits

PROBES = ("extremes", "subnormal", "special")
FEW_DRAWS = 3
"""The draws of a structure whose graph must be built again for each draw."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How many trials of each sort are run, and with which numbers: `values` names a value profile
    for each draw of a structure."""

    name: str
    structures: int
    invalid: int
    """Structures for each documented error."""
    values: tuple[str, ...]
    shrink: int
    """The most trials that are run to make a violation smaller."""
    shrink_other: int
    """The most trials that are run to make any other failure smaller."""
    scenarios: int
    """Scenarios that are drawn from each family."""
    gradients: int
    """Structures of each differentiable function whose gradients are tested."""
    elements: int = ELEMENTS
    """The most elements of a tensor, about."""
    setups: int = 1000
    """The most configured processes that are started for the functions that share them."""

    def draws(self, structure: Structure, seed: int) -> tuple[Draw, ...]:
        """The draws of the structure.

        A structure without any element gets one draw. Without floating inputs it gets no draw of
        `PROBES`. One whose graph must be built again for every draw gets few.
        """
        inputs = structure.program.inputs
        if structure.error or not any(math.prod(i.shape) for i in inputs):
            return (Draw("ordinary", seed),)
        values = self.values
        if not any(i.dtype.startswith("float") for i in inputs):
            values = tuple(v for v in values if v not in PROBES)
        values = tuple(v if suits(v, structure) else "ordinary" for v in values)
        if any(i.binding in ("constant", "array") for i in inputs):
            values = values[: FEW_DRAWS - 1] + tuple(v for v in values if v in PROBES)[-1:]
        return tuple(Draw(v, seed * 1000 + i) for i, v in enumerate(values))


def _values(text: str) -> tuple[str, ...]:
    """Value profiles in order; `ordinary*3` stands for three of them."""
    counted = (word.partition("*") for word in text.split())
    return tuple(name for name, _, times in counted for _ in range(int(times or 1)))


SURVEY = Profile(
    "survey",
    structures=3,
    invalid=1,
    values=_values("ordinary special"),
    shrink=0,
    shrink_other=0,
    scenarios=1,
    gradients=1,
    elements=500,
    setups=4,
)
"""The survey that a run with a time limit begins with: every aspect of every function once."""

PROFILES = {
    p.name: p
    for p in (
        Profile(
            "smoke",
            structures=5,
            invalid=2,
            values=_values("ordinary halves large special"),
            shrink=10,
            shrink_other=0,
            scenarios=2,
            gradients=1,
            elements=500,
            setups=3,
        ),
        Profile(
            "default",
            structures=28,
            invalid=6,
            values=_values(
                "ordinary halves large ordinary*2 large offset sparse outside*2 unnormalised wide"
                " integers halves zeros extremes*2 subnormal special*2"
            ),
            shrink=15,
            shrink_other=2,
            scenarios=10,
            gradients=4,
        ),
        Profile(
            "thorough",
            structures=200,
            invalid=20,
            values=_values(
                "ordinary halves large ordinary*6 large*2 offset*2 sparse*2 outside*3"
                " unnormalised*2 wide*2 integers*4 halves*3 zeros extremes*2 subnormal*2 special*2"
            ),
            shrink=200,
            shrink_other=50,
            scenarios=60,
            gradients=40,
            elements=100_000,
        ),
    )
}
