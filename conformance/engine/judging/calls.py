"""A call as a trial: one structure of a function with its draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Judgement, described
from conformance.engine.judging.judge import judge
from conformance.observations import Batch, StructureObservation
from conformance.program import Binding, Case, Outputs

Array = npt.NDArray[Any]


MOST_ELEMENTS = 64
"""How many single elements are tried in the place of a long array."""


@dataclass(frozen=True, slots=True, eq=False)
class CallTrial:
    """One call, valid or invalid (then the implementation must refuse it)."""

    prepared: Prepared
    outputs: Outputs = "tensors"
    setup: None = None
    differentiates: frozenset[Binding] = frozenset()
    closed: frozenset[str] = frozenset()
    """Conventions of which the target takes the suite's own reading, so that nothing is allowed
    because the call does not fit another."""

    @property
    def key(self) -> str:
        """The program as text."""
        return self.prepared.key

    @property
    def batch(self) -> Batch:
        """All draws."""
        return self.prepared.batch

    @property
    def size(self) -> tuple[int, ...]:
        """How complex the structure is; an array of every number is less simple than others."""
        doublings, inputs, *rest = self.prepared.structure.size
        shape = self.prepared.shape if self.prepared.elementwise else ()
        return (doublings, inputs, *shape, *rest)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Conventions that the structure rests on because the documents do not cover it."""
        return self.prepared.structure.unsettled

    @property
    def described(self) -> str:
        """The call in words."""
        return described(self.prepared)

    @property
    def below(self) -> Mapping[str, int]:
        """Inputs whose numbers must not change in shrinking: indices and probabilities."""
        return self.prepared.structure.fixed

    def case(self, draw: int) -> Case:
        """One draw as a case."""
        return self.prepared.case(draw)

    def judge(self, observed: StructureObservation) -> Judgement:
        """Findings on value, dtype, static shape and purity, or on the refusal of invalid input."""
        return judge(self.prepared, observed, self.closed)

    def closing(self, conventions: frozenset[str]) -> CallTrial:
        """The same call on a target that takes the suite's own reading of these conventions."""
        return replace(self, closed=conventions)

    def elements(self, draw: int, got: Any) -> list[Mapping[str, Array]]:
        """Single elements of a long elementwise call, the simplest first: some of those that `got`
        has wrong. Empty if the call is not elementwise."""
        if not self.prepared.elementwise or self.prepared.shape == (1,):
            return []
        arrays = self.prepared.arrays[draw]
        wrong = self.prepared.wrong(draw, got)
        numbers = np.stack([np.asarray(array[wrong], np.float64) for array in arrays.values()])
        _, first = np.unique(numbers.view(np.int64), axis=1, return_index=True)
        length = _written_length(numbers[:, first]).sum(axis=0)
        simplest = wrong[first[np.argsort(length, kind="stable")]][:MOST_ELEMENTS]
        return [{n: a[place : place + 1] for n, a in arrays.items()} for place in simplest]

    def fitted(self, draw: int, arrays: Mapping[str, Array]) -> Mapping[str, Array] | None:
        """These numbers in their domains; None if they are not such as the draw may have."""
        return self.prepared.fitted(draw, arrays)

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> CallTrial:
        """The same call with these numbers, which rest on the conventions that they show."""
        return CallTrial(self.prepared.refilled(draw, arrays))


def _written_length(numbers: Array) -> Array:
    """How long each number is in binary: its digits behind the first, and the zeros between these
    and the point. As long as any if it is not finite."""
    fraction, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0))
    whole = np.ldexp(fraction, _SIGNIFICAND).astype(np.int64)
    _, last = np.frexp((whole & -whole).astype(np.float64))
    length = np.where(whole == 0, 0, _SIGNIFICAND - last) + np.abs(exponent)
    return np.where(np.isfinite(numbers), length, np.iinfo(length.dtype).max // 2)


_SIGNIFICAND = 53
