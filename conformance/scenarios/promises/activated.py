"""The crossentropy of an activation's result is that of the result's numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.oracle import Expectation
from conformance.oracle.programs import expect_program
from conformance.scenarios.checks import agrees_with, only
from conformance.scenarios.model import KERAS_3, KERAS_3_DOCUMENT, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder, Result

BOOK = Book()
BINARY, CATEGORICAL = "binary_crossentropy", "categorical_crossentropy"
SPARSE = "sparse_categorical_crossentropy"
LINES: dict[str, Lines] = {
    BINARY: {"ja-1": 1324, "ja-1-text": 826, "ja-2.0": 2834, "zh-TW": 1189, "ko-2.2": 2917},
    CATEGORICAL: {"ja-1": 1298, "ja-1-text": 812, "ja-2.0": 2794, "zh-TW": 1177, "ko-2.2": 2849},
    SPARSE: {"ja-1": 1311, "ja-1-text": 819, "ja-2.0": 2814, "zh-TW": 1183, "ko-2.2": 2883},
}
SCORES = np.array([[0.5, -0.5], [-1.25, 1.25], [2.0, -2.0]], "float32")
"""Two opposite scores in a row, whose sigmoids sum to 1, so each row is also a distribution."""
TARGETS = {
    BINARY: np.array([[0.25, 0.75], [1.0, 0.5], [0.0, 1.0]], "float32"),
    CATEGORICAL: np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], "float32"),
    SPARSE: np.array([1, 0, 1], "int32"),
}


@dataclass(frozen=True)
class Loss:
    """A crossentropy of an activation's result.

    Arguments have names, because the documents differ in their order.
    """

    function: str
    activation: str

    def of(self, K: Recorder, target: Result, scores: Result, prefix: str = "") -> Result:
        """The crossentropy."""
        output = K[prefix + self.activation](scores)
        return K[prefix + self.function](target=target, output=output)

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays of the call."""
        return {"target": TARGETS[self.function], "scores": SCORES}

    @cached_property
    def expectation(self) -> Expectation:
        """The oracle's losses."""
        K = Recorder(self.function, EDITIONS[-1])
        target, scores = (K.array(name, array) for name, array in self.arrays.items())
        self.of(K, target, scores).output("losses")
        return expect_program(K.program(), self.arrays, {"losses": "float32"})["losses"]

    def test(self, values: Values) -> Problem | None:
        """The numbers are right; how they are arranged is for single calls to show."""
        expectation, got = self.expectation, only(values)
        if isinstance(got, Problem):
            return got
        if got.size != expectation.value.size:
            return Problem(f"gives shape {got.shape}", "shape", got=got)
        arranged = got.reshape(expectation.value.shape)
        return agrees_with(expectation)([replace(values[0], array=arranged)])


def _held(K: Recorder, loss: Loss, maker: str, prefix: str) -> Result:
    """The loss of tensors that hold numbers."""
    values = {name: K.array(f"{name}_value", array) for name, array in loss.arrays.items()}
    target, scores = (K[maker](v, dtype=loss.arrays[n].dtype.name) for n, v in values.items())
    return loss.of(K, target, scores, prefix)


def _fed(K: Recorder, loss: Loss, _: str, prefix: str) -> Result:
    """Of placeholders."""
    arrays = loss.arrays
    x, y = (K.placeholder(shape=a.shape, dtype=a.dtype.name) for a in arrays.values())
    compiled = K.function([x, y], [loss.of(K, x, y, prefix)])
    return compiled([K.array(name, array) for name, array in arrays.items()])


WAYS: dict[str, Callable[[Recorder, Loss, str, str], Result]] = {"in {}s": _held, "fed": _fed}
OPERATIONS = "keras.ops."
EARLIER: tuple[Edition, ...] = tuple(edition for edition in EDITIONS if edition not in KERAS_3)


@BOOK.scenario([*TARGETS], editions=EARLIER, activation=("softmax", "sigmoid"), way=WAYS)
@BOOK.scenario(
    [OPERATIONS + name for name in TARGETS],
    editions=KERAS_3,
    activation=("softmax", "sigmoid"),
    way=WAYS,
)
def crossentropy(K: Recorder, activation: str, way: str) -> None:
    """The loss of an activation's result, by tensors of either kind."""
    prefix = OPERATIONS if K.tested.startswith(OPERATIONS) else ""
    maker, name = "constant" if prefix else "variable", K.tested.removeprefix(prefix)
    loss = Loss(name, activation)
    losses = WAYS[way](K, loss, maker, prefix).output("losses")
    K.title = f"of {activation} of scores {way.format(maker)}"
    demands = f"the crossentropy of the numbers that {activation} gives"
    at = {KERAS_3_DOCUMENT: "Args"} if prefix else LINES[name]
    K.expect("the losses", losses, loss.test, demands, at=at)


FAMILIES = BOOK.families
