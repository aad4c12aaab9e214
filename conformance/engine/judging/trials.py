"""A trial: one thing that is run on a target and judged, whatever sort of test it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy.typing as npt

from conformance.engine.judging.findings import Judgement
from conformance.observations import Batch, StructureObservation
from conformance.program import Binding, Case, Outputs
from conformance.scenarios import Setup

Array = npt.NDArray[Any]


class Trial(Protocol):
    """What the engine needs to know of a call, a gradient or a scenario."""

    @property
    def key(self) -> str:
        """Two trials with the same key are the same."""

    @property
    def batch(self) -> Batch:
        """What is sent to a worker."""

    @property
    def size(self) -> tuple[int, ...]:
        """How complex it is: what is smaller is easier to understand."""

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Conventions without which the documents do not cover it."""

    @property
    def described(self) -> str:
        """The call in words: `sum(x, axis=1) with x float32 (2, 3)`."""

    @property
    def outputs(self) -> Outputs:
        """What the outputs of its program are."""

    @property
    def setup(self) -> Setup | None:
        """The process of its own that it needs, if any."""

    @property
    def differentiates(self) -> frozenset[Binding]:
        """The bindings of inputs with respect to which it takes gradients to test another
        function than `gradients`; empty if it takes none."""

    @property
    def below(self) -> Mapping[str, int]:
        """Inputs whose numbers must not change in shrinking."""

    def case(self, draw: int) -> Case:
        """One draw as a case."""

    def judge(self, observed: StructureObservation) -> Judgement:
        """Everything that the observation shows; ValueError or IndexError if nobody can tell."""

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> Trial | None:
        """The same with these numbers, in the manner of `draw`; None if that makes no sense."""
