"""Which aspects an edition demands of a function: the denominator of every score."""

from __future__ import annotations

from conformance.editions import Edition, differentiates
from conformance.generators.exclusions import exclusions
from conformance.results import ASPECTS, Aspect
from conformance.scenarios import families_of
from conformance.specs import Spec, kinds
from conformance.specs.load import is_claimed

_NO_INPUT = (
    kinds.Boolean,
    kinds.Dtype,
    kinds.FillShape,
    kinds.Integer,
    kinds.Literals,
    kinds.Omitted,
    kinds.Real,
    kinds.Shape,
)
"""Kinds of parameters that are not arrays. A function with only these has no input to change."""
_NUMBERS_ALONE = ("range",)
"""Drawers that give no arrays."""


def demanded_aspects(spec: Spec, edition: Edition) -> list[Aspect]:
    """The aspects of a function that an edition demands, in the order of reports; the same for
    every target."""
    demanded = {Aspect.PRESENCE, Aspect.SIGNATURE}
    if spec.dtype is not None:
        demanded |= {Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE}
        if _has_input(spec):
            demanded.add(Aspect.PURITY)
        asked = differentiates(edition) or is_claimed(spec, Aspect.GRADIENT, edition)
        if spec.differentiable and asked:
            demanded.add(Aspect.GRADIENT)
    if any(edition in error.editions for error in spec.errors) or exclusions(spec, edition):
        demanded.add(Aspect.ERROR)
    for family in families_of(spec.name, edition):
        demanded |= family.aspects
    return [aspect for aspect in ASPECTS if aspect in demanded]


def _has_input(spec: Spec) -> bool:
    """Whether a function takes an array."""
    numbers = (*_NO_INPUT, kinds.FromDrawer) if spec.draw in _NUMBERS_ALONE else _NO_INPUT
    return not all(isinstance(rule, numbers) for rule in spec.parameters.values())
