"""Batches of images normalised over all axes but that of the features, in the order they lie in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from conformance.editions import Edition
from conformance.oracle import Expectation, expect
from conformance.program import Argument
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Array, Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.model import Contraction

NAME = "normalize_batch_in_training"
LINES = {"ja-1": 846, "ja-1-text": 534, "ja-2.0": 1438, "zh-TW": 893, "ko-2.2": 1902}
EPSILON_LINES = {**LINES, "ja-2.0": 1434, "ko-2.2": 1898}
EPSILON = 0.001
"""Beside variances of many thousands it is nothing: only how it is normalised can be wrong."""
LARGE_EPSILON = 0.5
"""So large that it counts beside variances of about one."""


@dataclass(frozen=True)
class Batch:
    """A batch of images and the axes that are reduced."""

    shape: tuple[int, ...]
    axes: list[int] | tuple[int, ...]
    counts: bool = False
    """Whether epsilon counts."""

    @property
    def first(self) -> bool:
        """Whether the features are on the second axis, and not on the last."""
        return 1 not in self.axes

    @property
    def title(self) -> str:
        """What is normalised."""
        where = "second" if self.first else "last"
        told = f"{len(self.shape)} axes, the features on the {where}, over a {self._written}"
        return f"{told}, with an epsilon that counts" if self.counts else told

    @property
    def epsilon(self) -> float:
        """What is added to the variances."""
        return LARGE_EPSILON if self.counts else EPSILON

    @property
    def _written(self) -> str:
        return type(self.axes).__name__


BATCHES = (
    Batch((2, 3, 4, 5), [0, 2, 3]),
    Batch((2, 3, 4, 5), (0, 2, 3)),
    Batch((2, 3, 2, 2, 4), [0, 2, 3, 4]),
    Batch((4, 3, 2), [0, 2]),
    Batch((2, 4, 5, 3), [0, 1, 2]),
    Batch((2, 4, 5, 3), (0, 1, 2)),
    Batch((2, 3, 4, 5), [0, 2, 3], counts=True),
    Batch((2, 4, 5, 3), [0, 1, 2], counts=True),
)


def _batches(_edition: Edition) -> Iterator[Scenario]:
    for batch in BATCHES:
        yield _normalised(batch)


def _normalised(batch: Batch) -> Scenario:
    w = ProgramWriter()
    arrays = _arrays(batch)
    tensors = [w.call("variable", w.array(n, a), dtype="float32") for n, a in arrays.items()]
    axes: Argument = [*batch.axes] if isinstance(batch.axes, list) else batch.axes
    made = w.call(NAME, *tensors, axes, epsilon=batch.epsilon)
    w.observe("normalised", "eval", w.call("operator.getitem", made, 0))
    open_points = (ConventionName.FEATURE_VECTORS,) if batch.first else ()
    return written(NAME, batch.title, w, _check(batch, arrays), conventions=open_points)


def _arrays(batch: Batch) -> dict[str, Array]:
    rng = np.random.default_rng(7)
    most = 2.0 if batch.counts else 200.0
    x = rng.uniform(-most, most, batch.shape).astype("float32")
    gamma, beta = (np.array(numbers, "float32") for numbers in ((0.5, 2.0, -1.0), (1.0, 0.0, -3.0)))
    return {"x": x, "gamma": gamma, "beta": beta}


def _check(batch: Batch, arrays: dict[str, Array]) -> Check:
    def expectation() -> Expectation:
        given = {**arrays, "reduction_axes": [*batch.axes], "epsilon": batch.epsilon}
        return expect(f"{NAME}.normalised tensor", given, "float32", Contraction())

    under = "the root of its variance plus epsilon" if batch.counts else "its deviation"
    return Check(
        "epsilon under the root" if batch.counts else "the normalised tensor",
        Aspect.VALUE,
        outputs=("normalised",),
        test=agrees_with(expectation),
        demands=f"each feature less its mean, over {under}, times gamma, plus beta",
        at=EPSILON_LINES if batch.counts else LINES,
    )


FAMILIES: tuple[Family, ...] = (listed(NAME, _batches),)
