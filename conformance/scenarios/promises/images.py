"""Images with their channels on either axis, all shapes known: normalised batches, and biases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conformance.oracle import Expectation, expect
from conformance.scenarios.checks import agrees_with, is_array
from conformance.scenarios.model import LATEST_K, Alternative, Array
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName
from conformance.specs.model import Contraction

BOOK = Book()
NAME = "normalize_batch_in_training"
LINES = {"ja-1": 846, "ja-1-text": 534, "ja-2.0": 1438, "zh-TW": 893, "ko-2.2": 1902}
EPSILON_LINES = {**LINES, "ja-2.0": 1434, "ko-2.2": 1898}
EPSILON = 0.001
"""Beside variances of many thousands it is nothing: only how it is normalised can be wrong."""
LARGE_EPSILON = 0.5
"""So large that it counts beside variances of about one."""


@dataclass(frozen=True)
class ImageBatch:
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
        where, kind = "second" if self.first else "last", type(self.axes).__name__
        title = f"{len(self.shape)} axes, the features on the {where}, over a {kind}"
        return f"{title}, with an epsilon that counts" if self.counts else title

    @property
    def arrays(self) -> dict[str, Array]:
        """The batch, and the factor and the term of each feature."""
        most = 2.0 if self.counts else 200.0
        x = np.random.default_rng(7).uniform(-most, most, self.shape)
        arrays = {"x": x, "gamma": [0.5, 2.0, -1.0], "beta": [1.0, 0.0, -3.0]}
        return {name: np.array(numbers, "float32") for name, numbers in arrays.items()}


BATCHES = (
    ImageBatch((2, 3, 4, 5), [0, 2, 3]),
    ImageBatch((2, 3, 4, 5), (0, 2, 3)),
    ImageBatch((2, 3, 2, 2, 4), [0, 2, 3, 4]),
    ImageBatch((4, 3, 2), [0, 2]),
    ImageBatch((2, 4, 5, 3), [0, 1, 2]),
    ImageBatch((2, 4, 5, 3), (0, 1, 2)),
    ImageBatch((2, 3, 4, 5), [0, 2, 3], counts=True),
    ImageBatch((2, 4, 5, 3), [0, 1, 2], counts=True),
)


@BOOK.scenario(NAME, batch=BATCHES)
def normalised(K: Recorder, batch: ImageBatch) -> None:
    """Batches normalised over all axes but that of the features."""
    epsilon = LARGE_EPSILON if batch.counts else EPSILON
    arguments = {**batch.arrays, "reduction_axes": [*batch.axes], "epsilon": epsilon}

    def expectation() -> Expectation:
        return expect(f"{NAME}.normalised tensor", arguments, "float32", Contraction())

    tensors = [K.variable(K.array(n, a), dtype="float32") for n, a in batch.arrays.items()]
    results = K.normalize_batch_in_training(*tensors, batch.axes, epsilon=epsilon)
    under = "the root of its variance plus epsilon" if batch.counts else "its deviation"
    K.title = batch.title
    K.conventions = (ConventionName.FEATURE_VECTORS,) if batch.first else ()
    K.expect(
        "epsilon under the root" if batch.counts else "the normalised tensor",
        K.eval(results[0]).output("normalised"),
        agrees_with(expectation),
        f"each feature less its mean, over {under}, times gamma, plus beta",
        at=EPSILON_LINES if batch.counts else LINES,
    )


CHANNELS = 3
IMAGES: tuple[tuple[int, ...], ...] = ((4,), (4, 2), (2, 4, 2))
"""The spatial lengths; no order of a bias's axes but one fits."""


@BOOK.scenario("bias_add", editions=LATEST_K, spatial=IMAGES)
def biased(K: Recorder, spatial: tuple[int, ...]) -> None:
    """A bias for each place of images that have their channels first."""
    x, bias = _halves((2, CHANNELS, *spatial)), _halves((*spatial, CHANNELS)) * 8
    K.title = f"a bias of rank {bias.ndim}, channels first"
    tensors = [K.variable(K.array(n, a), dtype="float32") for n, a in (("x", x), ("bias", bias))]
    reshaped = is_array(x + bias.reshape(CHANNELS, *spatial))
    K.expect(
        "the sum",
        K.eval(K.bias_add(*tensors, data_format="channels_first")).output("sum"),
        is_array(x + np.moveaxis(bias, -1, 0)),
        "the bias of its channel and place added to each element",
        at={"ko-2.2": 3386},
        alternatives=(Alternative(ConventionName.BIAS_LAYOUT, "reshaped", reshaped),),
    )


def _halves(shape: tuple[int, ...]) -> Array:
    """Other numbers everywhere, whose sums are exact."""
    return (np.arange(np.prod(shape)).reshape(shape) / 2).astype("float32")


FAMILIES = BOOK.families
