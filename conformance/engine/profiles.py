"""How much is tried: structures for each function, and draws for each structure."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.generators import Draw, Structure

SETTLED = ("ordinary", "halves", "integers", "zeros")
PROBES = ("extremes", "subnormal", "special")


@dataclass(frozen=True, slots=True)
class Profile:
    """`structures` for each function; for each of them these value profiles, one draw each."""

    name: str
    structures: int
    invalid: int
    """Structures for each documented error."""
    values: tuple[str, ...]
    shrink: int
    """How many smaller structures are tried for each failure."""

    def draws(self, structure: Structure, seed: int) -> tuple[Draw, ...]:
        """Which numbers the structure is filled with.

        A structure without floating inputs has no use for the probes; one that must be built
        anew for every draw gets few.
        """
        inputs = structure.program.inputs
        if not inputs or structure.error:
            return (Draw("ordinary", seed),)
        values = self.values
        if not any(i.dtype.startswith("float") for i in inputs):
            values = tuple(v if v == "zeros" else "ordinary" for v in values if v not in PROBES)
        if any(i.binding in ("constant", "array") for i in inputs):
            values = values[:2] + tuple(v for v in values[2:] if v in PROBES)[-1:]
        return tuple(Draw(v, seed * 1000 + i) for i, v in enumerate(values))


PROFILES = {
    p.name: p
    for p in (
        Profile("smoke", 8, 2, ("ordinary", "halves", "ordinary", "special"), 20),
        Profile(
            "default",
            40,
            6,
            ("ordinary", "halves", *("ordinary",) * 7, "integers", "integers", "halves", "zeros")
            + PROBES,
            40,
        ),
        Profile(
            "thorough",
            200,
            20,
            ("ordinary", "halves", *("ordinary",) * 15, *("integers",) * 4, *("halves",) * 3)
            + ("zeros", *PROBES, *PROBES),
            200,
        ),
    )
}
