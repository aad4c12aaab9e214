"""Trials: the programs that the suite runs on a target and judges.

A *trial* pairs one program with the knowledge of its right answers. The plan of a function is a
list of trials of three kinds:

* A *call* (`judging.calls`) is one step made from the spec: `K.sum(x, axis=1)`.
* A *gradient* (`judging.gradients`) is the same call with three more steps, up to `K.gradients`
  of a weighted sum of the result.
* A *scenario* (`judging.scenarios`) is a program of several steps with checks.

A trial goes through four stages. It builds a `Batch`: the program once, with the numbers of every
draw, because building a graph costs more than running it. A worker answers with a
`StructureObservation`. The trial then judges the observation and returns a `Judgement`: findings,
and the number of cases by aspect. If findings remain, the tally groups them, and the minimiser
asks the trial for smaller versions of itself.

One *case* is a trial with the numbers of one draw. Reports count cases; workers receive batches.
"""

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
    """What the engine needs of a call, a gradient or a scenario."""

    @property
    def key(self) -> str:
        """Two trials with the same key are the same."""

    @property
    def batch(self) -> Batch:
        """What is sent to a worker."""

    @property
    def size(self) -> tuple[int, ...]:
        """A measure of complexity: of two failing trials the smaller one is shown."""

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Conventions that it rests on because the documents do not cover it."""

    @property
    def described(self) -> str:
        """The call in words: `sum(x, axis=1) with x float32 (2, 3)`."""

    @property
    def outputs(self) -> Outputs:
        """What the outputs of its program are."""

    @property
    def setup(self) -> Setup | None:
        """The configuration of the process that it must have for itself; None if it needs none."""

    @property
    def differentiates(self) -> frozenset[Binding]:
        """The bindings of the inputs that it differentiates by, if it uses `gradients` to test
        another function; empty otherwise."""

    @property
    def below(self) -> Mapping[str, int]:
        """Inputs whose numbers must not change in shrinking."""

    def case(self, draw: int) -> Case:
        """One draw as a case."""

    def judge(self, observed: StructureObservation) -> Judgement:
        """Judge the observation; ValueError or IndexError if the oracle has no answer."""

    def fitted(self, draw: int, arrays: Mapping[str, Array]) -> Mapping[str, Array] | None:
        """These numbers, moved into the domains of their parameters, to take the place of those of
        `draw`; None if the plan could not have drawn them, or if they rest on more conventions."""

    def refilled(self, draw: int, arrays: Sequence[Mapping[str, Array]]) -> Trial | None:
        """The same trial with these numbers in place of those of `draw`; None if its numbers must
        not change."""
