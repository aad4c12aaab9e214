"""The tensors that a program under construction has made so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.types import Typed

Array = npt.NDArray[Any]
LEAST_PROBABILITY = 0.01
MOST_LOGIT = 5.0
LEAST_POSITIVE = 1e-3
NEAR_ONE = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Offered:
    """A tensor that later calls may take: its type, its numbers in each draw, and how many calls it
    is away from the inputs."""

    name: str
    type: Typed
    draws: Sequence[Known]
    depth: int

    def within(self, domain: str) -> bool:
        """Whether all that it may hold belongs to the domain of a parameter."""
        rule = _DOMAINS.get(domain)
        return rule is not None and all(rule(k.value, k.reach) for k in self.draws)

    def below(self, bound: int) -> bool:
        """Whether its elements are known integers from 0 to less than `bound`."""
        return all(
            k.exact
            and k.value.dtype.kind in "iu"
            and bool(((k.value >= 0) & (k.value < bound)).all())
            for k in self.draws
        )

    def sums_to_one(self, axis: int) -> bool:
        """Whether its elements are probabilities that sum to one along an axis."""
        return self.within("probability") and all(
            bool((np.abs(k.value.sum(axis=axis) - 1) < NEAR_ONE).all()) for k in self.draws
        )


def _positive(value: Array, reach: Array) -> bool:
    return bool((value - reach >= LEAST_POSITIVE).all())


def _nonzero(value: Array, reach: Array) -> bool:
    return bool((np.abs(value) - reach >= LEAST_POSITIVE).all())


_DOMAINS: Mapping[str, Callable[[Array, Array], bool]] = {
    "real": lambda _value, _reach: True,
    "nonnegative": lambda value, reach: bool((value - reach >= 0).all()),
    "positive": _positive,
    "nonzero": _nonzero,
    "vector": _nonzero,
    "truth": lambda value, reach: bool(((np.abs(value) > reach) | (reach == 0)).all()),
    "probability": lambda value, _reach: bool(
        ((value >= LEAST_PROBABILITY) & (value <= 1 - LEAST_PROBABILITY)).all()
    ),
    "fraction": lambda value, reach: bool(((value - reach >= 0) & (value + reach <= 1)).all()),
    "logit": lambda value, _reach: bool((np.abs(value) <= MOST_LOGIT).all()),
    "factor": lambda value, _reach: bool((np.abs(value) <= MOST_LOGIT).all()),
}
"""What numbers, with their reach, must be like to belong to each domain. Numbers for kernels that
are made to fit each other (`mirrored`, `even`) come from inputs alone."""
