"""From a spec to cases: Hypothesis strategies for structures, and the numbers that fill them."""

from conformance.generators.collect import generate
from conformance.generators.drawing import shrink
from conformance.generators.structure import Structure, structures
from conformance.generators.values import PROFILES, Draw, draw_arrays

__all__ = [
    "PROFILES",
    "Draw",
    "Structure",
    "draw_arrays",
    "generate",
    "shrink",
    "structures",
]
