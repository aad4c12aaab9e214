"""A call as a trial: one structure of a function with its draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Judgement, described
from conformance.engine.judging.judge import judge
from conformance.generators.collect import key
from conformance.observations import Batch, StructureObservation
from conformance.program import Binding, Case, Outputs

Array = npt.NDArray[Any]


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
        return key(self.prepared.structure)

    @property
    def batch(self) -> Batch:
        """All draws."""
        return self.prepared.batch

    @property
    def size(self) -> tuple[int, ...]:
        """How complex the structure is."""
        return self.prepared.structure.size

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

    def fitted(self, draw: int, arrays: Mapping[str, Array]) -> Mapping[str, Array] | None:
        """These numbers in their domains; None if they are not such as the draw may have."""
        return self.prepared.fitted(draw, arrays)

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> CallTrial:
        """The same call with these numbers, which rest on the conventions that they show."""
        return CallTrial(self.prepared.refilled(draw, arrays))
