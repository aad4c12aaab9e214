"""Whether the plan could have drawn these numbers for a structure.

What `values.draw_arrays` draws is admissible; `tests/generators/test_admissible.py` asks this of
every draw of a plan. The minimiser shows no case that is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import has_all, is_floating
from conformance.generators.domains import DOMAINS
from conformance.generators.structure import CONVENTION_OF_PROFILE, Distributed, Structure
from conformance.generators.values import (
    BEYOND,
    FAR_INTEGER,
    MOST_INTEGER,
    MOST_LARGE,
    MOST_OFFSET,
    MOST_ORDINARY,
    as_float32,
    beyond_float32,
    domain_in,
    fits_truths,
    most_integer,
)
from conformance.program import Input
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]

NEAR_ONE = 2.0**-5
"""How far from 1 a row of probabilities in bfloat16 may sum, at most."""
MOST: Mapping[str, float] = {
    "large": MOST_LARGE,
    "offset": MOST_OFFSET,
    **dict.fromkeys(CONVENTION_OF_PROFILE, math.inf),
}
"""The largest magnitude that each profile draws, where it is not that of ordinary numbers."""


def admissible(structure: Structure, arrays: Mapping[str, Array], profile: str) -> bool:
    """Whether a draw from this profile may have these numbers.

    They belong to the domains of the parameters, indices are in range and distributions sum to one,
    as far as the profile has it so; none is larger than the profile draws them.
    """
    if ConventionName.MIXED_DTYPES in structure.unsettled:
        arrays_agree = (np.array_equal(as_float32(a), a, equal_nan=True) for a in _floats(arrays))
        if not all(arrays_agree):
            return False
    items = structure.program.inputs
    return all(_admits(structure, item, arrays[item.name], profile) for item in items)


def fitted(structure: Structure, arrays: Mapping[str, Array], profile: str) -> dict[str, Array]:
    """The numbers moved into their domains, where that needs no chance."""

    def fit(name: str, array: Array) -> Array:
        name_of_domain = domain_in(profile, structure.domains.get(name, "real"))
        domain = DOMAINS[name_of_domain]
        untouched = array.dtype.kind == "b" and not fits_truths(name_of_domain)
        if not domain.plain or untouched or domain.admits(array).all():
            return array
        return np.asarray(domain.fit(_NO_CHANCE, array), array.dtype)

    return {name: fit(name, array) for name, array in arrays.items()}


_NO_CHANCE = np.random.Generator(np.random.PCG64(0))
"""For plain domains, which do not use it."""


def _floats(arrays: Mapping[str, Array]) -> list[Array]:
    return [array for array in arrays.values() if array.dtype == np.float64]


def _admits(structure: Structure, item: Input, array: Array, profile: str) -> bool:
    if not has_all(item.dtype, array):
        return False
    if item.name in structure.below:
        return _are_indices(array, structure.below[item.name], profile)
    if item.name in structure.distributions:
        return _is_distribution(array, structure.distributions[item.name], profile)
    domain = structure.domains.get(item.name, "real")
    if array.dtype.kind == "b":
        return not fits_truths(domain) or bool(DOMAINS[domain].admits(array).all())
    if not is_floating(item.dtype):
        beyond = profile == "offset" and item in beyond_float32(structure)
        integer = FAR_INTEGER + 2 * MOST_INTEGER if beyond else most_integer(domain)
        return _are_integers(array, domain, profile, integer)
    numbers = DOMAINS[domain_in(profile, structure.domains.get(item.name, "real"))].admits(array)
    most = math.inf if DOMAINS[domain].far else MOST.get(profile, MOST_ORDINARY)
    far = np.abs(array) > most  # which NaN is not
    return bool((numbers & ~far).all())


def _are_indices(array: Array, below: int, profile: str) -> bool:
    """Indices in range; in the profile `outside` also some out of it, all on one side."""
    right = (array >= 0) & (array < max(below, 1))
    if profile != "outside":
        return bool(right.all())
    negative, beyond = (array >= -below) & (array < 0), (array >= below) & (array < below + BEYOND)
    return bool((right | negative).all() or (right | beyond).all())


def _is_distribution(array: Array, along: Distributed, profile: str) -> bool:
    """Probabilities that sum to one, but for those that are made not to."""
    if profile == "special":
        return True
    if profile == "unnormalised" and not along.target:
        return bool(((array >= 0) & (array <= 1)).all())
    return is_distribution(array, along.axis)


def is_distribution(array: Array, axis: int) -> bool:
    """Whether the numbers are from 0 to 1, and sum to one along an axis."""
    inside = bool(((array >= 0) & (array <= 1)).all())
    total = array.astype(np.float64).sum(axis=axis)
    return inside and bool((np.abs(total - 1) <= NEAR_ONE).all())


def _are_integers(array: Array, domain: str, profile: str, most: int) -> bool:
    if profile == "wide" and domain == "real":
        return True
    low = 0 if domain in ("nonnegative", "positive", "truth") else -most
    inside = ((array >= low) & (array <= most)) | DOMAINS[domain].far
    return bool((inside & DOMAINS[domain].admits(array)).all())
