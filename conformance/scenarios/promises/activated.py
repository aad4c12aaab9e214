"""The crossentropy of what an activation gives is that of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.oracle import Expectation
from conformance.oracle.programs import expect_program
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, only
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    Array,
    Check,
    Family,
    Problem,
    Scenario,
    Values,
)
from conformance.scenarios.writing import ProgramWriter

BINARY, CATEGORICAL = "binary_crossentropy", "categorical_crossentropy"
SPARSE = "sparse_categorical_crossentropy"
LINES: dict[str, dict[str, int | str]] = {
    BINARY: {"ja-1": 1324, "ja-1-text": 826, "ja-2.0": 2834, "zh-TW": 1189, "ko-2.2": 2917},
    CATEGORICAL: {"ja-1": 1298, "ja-1-text": 812, "ja-2.0": 2794, "zh-TW": 1177, "ko-2.2": 2849},
    SPARSE: {"ja-1": 1311, "ja-1-text": 819, "ja-2.0": 2814, "zh-TW": 1183, "ko-2.2": 2883},
}
ACTIVATIONS = ("softmax", "sigmoid")
SCORES = np.array([[0.5, -0.5], [-1.25, 1.25], [2.0, -2.0]], "float32")
"""Two opposite scores in a row, whose sigmoids have the sum 1: each is a distribution, too."""
TARGETS = {
    BINARY: np.array([[0.25, 0.75], [1.0, 0.5], [0.0, 1.0]], "float32"),
    CATEGORICAL: np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], "float32"),
    SPARSE: np.array([1, 0, 1], "int32"),
}


@dataclass(frozen=True)
class Loss:
    """A crossentropy of what an activation gives.

    Arguments have names, as the documents differ in which comes first.
    """

    function: str
    activation: str

    def arguments(
        self, w: ProgramWriter, target: Ref, scores: Ref, prefix: str = ""
    ) -> dict[str, Argument]:
        """Those of the crossentropy."""
        return {"target": target, "output": w.call(prefix + self.activation, scores)}

    @property
    def arrays(self) -> dict[str, Array]:
        """What it is computed of."""
        return {"target": TARGETS[self.function], "scores": SCORES}

    @cached_property
    def expectation(self) -> Expectation:
        """What the oracle says."""
        w = ProgramWriter()
        target, scores = (w.array(name, array) for name, array in self.arrays.items())
        w.observe("losses", self.function, **self.arguments(w, target, scores))
        return expect_program(w.program(), self.arrays, {"losses": "float32"})["losses"]

    def test(self, values: Values) -> Problem | None:
        """The numbers are right; how they are arranged is for single calls to show."""
        wanted, got = self.expectation, only(values)
        if isinstance(got, Problem):
            return got
        if got.size != wanted.value.size:
            return Problem(f"gives shape {got.shape}", "shape", got=got)
        arranged = got.reshape(wanted.value.shape)
        return agrees_with(wanted)([replace(values[0], array=arranged)])


Way = Callable[[ProgramWriter, Loss, str], None]


def _given(maker: str) -> Way:
    """Of tensors that have their numbers."""

    def write(w: ProgramWriter, loss: Loss, prefix: str) -> None:
        named = {n: w.array(f"{n}_value", a) for n, a in loss.arrays.items()}
        target, scores = (
            w.call(maker, ref, dtype=loss.arrays[name].dtype.name) for name, ref in named.items()
        )
        arguments = loss.arguments(w, target, scores, prefix)
        w.observe("losses", prefix + loss.function, **arguments)

    return write


def _fed(w: ProgramWriter, loss: Loss, prefix: str) -> None:
    """Of placeholders."""
    arrays = loss.arrays
    target, scores = (
        w.call("placeholder", shape=array.shape, dtype=array.dtype.name)
        for array in arrays.values()
    )
    losses = w.call(prefix + loss.function, **loss.arguments(w, target, scores, prefix))
    function = w.call("function", [target, scores], [losses])
    w.observe("losses", "operator.call", function, [w.array(n, a) for n, a in arrays.items()])


WAYS: dict[str, Way] = {"in variables": _given("variable"), "fed": _fed}
KERAS_3_WAYS: dict[str, Way] = {"in constants": _given("constant"), "fed": _fed}


def _of(function: str, prefix: str = "") -> Callable[[Edition], Iterator[Scenario]]:
    ways = KERAS_3_WAYS if prefix else WAYS
    return lambda _: (
        _scenario(Loss(function, activation), prefix, way, write)
        for activation in ACTIVATIONS
        for way, write in ways.items()
    )


def _scenario(loss: Loss, prefix: str, way: str, write: Way) -> Scenario:
    w = ProgramWriter()
    write(w, loss, prefix)
    check = Check(
        "the losses",
        Aspect.VALUE,
        outputs=("losses",),
        test=loss.test,
        demands=f"the crossentropy of the numbers that {loss.activation} gives",
        at={KERAS_3_DOCUMENT: "Args"} if prefix else LINES[loss.function],
    )
    return written(prefix + loss.function, f"of {loss.activation} of scores {way}", w, check)


OPERATIONS = "keras.ops."
EARLIER: tuple[Edition, ...] = tuple(edition for edition in EDITIONS if edition not in KERAS_3)
FAMILIES: tuple[Family, ...] = (
    *(listed(function, _of(function), editions=EARLIER) for function in TARGETS),
    *(
        listed(OPERATIONS + function, _of(function, OPERATIONS), editions=KERAS_3)
        for function in TARGETS
    ),
)
