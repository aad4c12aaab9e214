"""Tensors whose shapes no document gives: one of the shapes that they can have must be taken.

A convention lets a shape be refused where another one is what an implementation expects. That
excuses none that takes no shape at all for axes that are documented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import one_is_taken
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Array, Check, Family, Scenario
from conformance.scenarios.writing import FunctionWriter, ProgramWriter

NORMALISED: Mapping[str, int] = {"ja-2.0": 1433, "ko-2.2": 1896}
"""The axes to be normalised are an iterable of integers."""
FEATURES: Mapping[str, int] = {"ko-2.2": 1926}
"""The axis of the features is an integer, mostly."""
CLASSES: Mapping[str, int] = {"ko-2.2": 2893}
"""axis=1 goes with channels_first."""
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Asked:
    """A call with an array, an axis or several, and the tensors whose shape is open."""

    function: str
    shape: Shape
    axes: Argument
    features: int
    """The axis that the open tensors have a place for."""
    at: Mapping[str, int]

    @property
    def title(self) -> str:
        """What is asked."""
        return f"x {self.shape}, axes {self.axes}: a vector, or all axes"

    @property
    def forms(self) -> Mapping[str, Shape]:
        """The shapes that the open tensors can have."""
        count = self.shape[self.features]
        kept = [1] * len(self.shape)
        kept[self.features] = count
        return {"vector": (count,), "kept": tuple(kept)}


@dataclass(frozen=True)
class Labelled(Asked):
    """The same where what is open has every axis but that of the classes, or that with length 1."""

    @property
    def title(self) -> str:
        """What is asked."""
        return f"output {self.shape}, axis {self.axes}: labels without the axis, or with it"

    @property
    def forms(self) -> Mapping[str, Shape]:
        """The shapes that the labels can have."""
        before, after = self.shape[: self.features], self.shape[self.features + 1 :]
        return {"bare": (*before, *after), "kept": (*before, 1, *after)}


NORMALISE, BATCH = "normalize_batch_in_training", "batch_normalization"
LOSS = "sparse_categorical_crossentropy"
NORMALISATIONS = (
    Asked(NORMALISE, (2, 3, 4, 5), [0, 2, 3], 1, NORMALISED),
    Asked(NORMALISE, (2, 3, 4, 5), (0, 2, 3), 1, NORMALISED),
    Asked(NORMALISE, (4, 3, 2), [0, 2], 1, NORMALISED),
    Asked(NORMALISE, (3, 2), [1], 0, NORMALISED),
    Asked(BATCH, (2, 3, 4, 5), 1, 1, FEATURES),
    Asked(BATCH, (4, 3, 2), 1, 1, FEATURES),
    Asked(BATCH, (4, 3, 2), 0, 0, FEATURES),
)
LABELLED = (
    Labelled(LOSS, (2, 3, 4), 1, 1, CLASSES),
    Labelled(LOSS, (2, 3, 2, 4), 1, 1, CLASSES),
)
Compute = Callable[..., Ref]
"""Computes with a writer, and the two tensors."""


def _along(function: str) -> Callable[[Edition], Iterator[Scenario]]:
    return lambda _: (_scenario(asked) for asked in NORMALISATIONS if asked.function == function)


def _scenario(asked: Asked) -> Scenario:
    w = ProgramWriter()
    outputs: list[str] = []
    for name, shape in asked.forms.items():
        vector = np.ones(asked.shape[asked.features], "float32")
        arrays = {"x": _spread(asked.shape), name: vector}
        outputs += _attempts(w, name, arrays, partial(_normalised, asked, shape))
    return written(asked.function, asked.title, w, _check(asked.forms, outputs, asked))


def _spread(shape: Shape) -> Array:
    """Numbers of which no two in a row are equal."""
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype("float32")


def _normalised(asked: Asked, shape: Shape, body: FunctionWriter, x: Ref, vector: Ref) -> Ref:
    """The normalised tensor, with each open tensor of that shape.

    It is made by `reshape`: a variable's axis of length 1 does not broadcast on Theano.
    """
    open_tensor = vector if len(shape) == 1 else body.call("reshape", vector, shape)
    if asked.function == BATCH:
        return body.call(BATCH, x, *[open_tensor] * 4, asked.axes)
    made = body.call(NORMALISE, x, open_tensor, open_tensor, asked.axes)
    return body.call("operator.getitem", made, 0)


def _attempts(
    w: ProgramWriter, name: str, arrays: Mapping[str, Array], compute: Compute
) -> Iterator[str]:
    """Compute it of variables, and of what is fed; the names of what came of it."""
    given = [w.array(f"{name}_{n}", a) for n, a in arrays.items()]
    dtypes = [str(a.dtype) for a in arrays.values()]
    held = [w.call("variable", a, dtype=d) for a, d in zip(given, dtypes, strict=True)]
    body = FunctionWriter(f"{name}_held")
    evaluated = body.call("eval", compute(body, *held))
    w.attempt(f"{name}_in_variables", "operator.call", body.returning(evaluated))
    yield f"{name}_in_variables"
    fed: list[Argument] = [
        w.call("placeholder", shape=a.shape, dtype=d)
        for a, d in zip(arrays.values(), dtypes, strict=True)
    ]
    body = FunctionWriter(f"{name}_asked")
    outputs: list[Argument] = [compute(body, *fed)]
    answer = body.call("operator.call", body.call("function", fed, outputs), [*given])
    w.attempt(f"{name}_fed", "operator.call", body.returning(answer))
    yield f"{name}_fed"


def _labelled(_edition: Edition) -> Iterator[Scenario]:
    for asked in LABELLED:
        w = ProgramWriter()
        outputs: list[str] = []
        for name, shape in asked.forms.items():
            arrays = {"output": _spread(asked.shape) + 1, name: np.ones(shape, "int32")}
            outputs += _attempts(w, name, arrays, _loss)
        yield written(asked.function, asked.title, w, _check(asked.forms, outputs, asked))


def _loss(body: FunctionWriter, output: Ref, target: Ref) -> Ref:
    return body.call(LOSS, target, output, axis=1)


def _check(forms: Mapping[str, Shape], outputs: Sequence[str], asked: Asked) -> Check:
    one, other = forms.values()
    return Check(
        "a shape is taken",
        Aspect.VALUE,
        outputs=tuple(outputs),
        test=one_is_taken,
        demands=f"a result along {asked.axes} for {one} or for {other}, of variables or fed",
        at=asked.at,
    )


NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
NEWEST: tuple[Edition, ...] = ("keras-2.2",)
FAMILIES: tuple[Family, ...] = (
    listed(NORMALISE, _along(NORMALISE), editions=NEWER),
    listed(BATCH, _along(BATCH), editions=NEWEST),
    listed(LOSS, _labelled, editions=NEWEST),
)
