"""How much is tried: structures for each function, and draws for each structure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from conformance.generators import Draw, Structure

PROBES = ("extremes", "subnormal", "special")
FEW_DRAWS = 3
"""For a structure that must be built anew for each of them."""


@dataclass(frozen=True, slots=True)
class Profile:
    """`structures` for each function; for each of them these value profiles, one draw each."""

    name: str
    structures: int
    invalid: int
    """Structures for each documented error."""
    values: tuple[str, ...]
    shrink: int
    """How many smaller trials are run for each violation."""
    shrink_other: int
    """How many are run for each other failure."""
    scenarios: int
    """How many scenarios are drawn of each family."""
    gradients: int
    """Structures of each differentiable function of which gradients are taken."""
    setups: int = 1000
    """How many processes with a configuration of their own are started at most for functions that
    share them."""

    def draws(self, structure: Structure, seed: int) -> tuple[Draw, ...]:
        """Which numbers the structure is filled with.

        One draw serves a structure without a single number. A structure without floating inputs
        has no use for the probes; one that must be built anew for every draw gets few draws.
        """
        inputs = structure.program.inputs
        if structure.error or not any(math.prod(i.shape) for i in inputs):
            return (Draw("ordinary", seed),)
        values = self.values
        if not any(i.dtype.startswith("float") for i in inputs):
            values = tuple(v if v == "zeros" else "ordinary" for v in values if v not in PROBES)
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
    setups=1,
)
"""The first look of a run with a limit of time: every aspect of every function once."""

PROFILES = {
    p.name: p
    for p in (
        Profile(
            "smoke",
            structures=5,
            invalid=2,
            values=_values("ordinary halves ordinary special"),
            shrink=10,
            shrink_other=0,
            scenarios=2,
            gradients=1,
            setups=3,
        ),
        Profile(
            "default",
            structures=28,
            invalid=6,
            values=_values(
                "ordinary halves ordinary*9 integers*2 halves zeros extremes*2 subnormal special*2"
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
                "ordinary halves ordinary*15 integers*4 halves*3 zeros"
                " extremes*2 subnormal*2 special*2"
            ),
            shrink=200,
            shrink_other=50,
            scenarios=60,
            gradients=40,
        ),
    )
}
