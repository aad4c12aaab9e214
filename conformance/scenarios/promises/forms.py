"""Tensors whose shapes no document gives: one of the shapes that they can have must be taken.

A convention lets a shape be refused where another one is what an implementation expects. That
excuses none that takes no shape at all for axes that are documented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from conformance.scenarios.checks import one_is_taken
from conformance.scenarios.model import KERAS_2, LATEST_K, Array
from conformance.scenarios.recorder import Book, Lines, Recorder, Result

BOOK = Book()
NORMALISED: Lines = {"ja-2.0": 1433, "ko-2.2": 1896}
"""The axes to be normalised are an iterable of integers."""
FEATURES: Lines = {"ko-2.2": 1926}
"""The axis of the features is an integer, mostly."""
CLASSES: Lines = {"ko-2.2": 2893}
"""axis=1 goes with channels_first."""
Shape = tuple[int, ...]


class AxisCase(NamedTuple):
    """The shape of an array, an axis or several, and the axis that the open tensors are about."""

    shape: Shape
    axes: Any
    features: int


NORMALISE, BATCH = "normalize_batch_in_training", "batch_normalization"
LOSS = "sparse_categorical_crossentropy"
NORMALISATIONS = (
    AxisCase((2, 3, 4, 5), [0, 2, 3], 1),
    AxisCase((2, 3, 4, 5), (0, 2, 3), 1),
    AxisCase((4, 3, 2), [0, 2], 1),
    AxisCase((3, 2), [1], 0),
)
BATCHES = AxisCase((2, 3, 4, 5), 1, 1), AxisCase((4, 3, 2), 1, 1), AxisCase((4, 3, 2), 0, 0)


@BOOK.scenario(NORMALISE, editions=KERAS_2, along=NORMALISATIONS)
@BOOK.scenario(BATCH, editions=LATEST_K, along=BATCHES)
def normalised(K: Recorder, along: AxisCase) -> None:
    """The open tensors are vectors, or have all axes."""
    shape, axes, features = along
    count = shape[features]
    K.title = f"x {shape}, axes {axes}: a vector, or all axes"
    with_axes = tuple(count if axis == features else 1 for axis in range(len(shape)))
    forms: dict[str, Shape] = {"vector": (count,), "kept": with_axes}

    def compute(form: Shape, x: Result, vector: Result) -> Result:
        # made by `reshape`: a variable's axis of length 1 does not broadcast on Theano
        open_tensor = vector if len(form) == 1 else K.reshape(vector, form)
        if K.tested == BATCH:
            return K.batch_normalization(x, *[open_tensor] * 4, axes)
        return K.normalize_batch_in_training(x, open_tensor, open_tensor, axes)[0]

    arrays = {name: {"x": _spread(shape), name: np.ones(count, "float32")} for name in forms}
    at = FEATURES if K.tested == BATCH else NORMALISED
    _one_is_taken(K, forms, arrays, compute, axes=axes, at=at)


@BOOK.scenario(LOSS, editions=LATEST_K, shape=((2, 3, 4), (2, 3, 2, 4)))
def labelled(K: Recorder, shape: Shape) -> None:
    """Labels have every axis but that of the classes, or that with length 1."""
    K.title = f"output {shape}, axis 1: labels without the axis, or with it"
    forms: dict[str, Shape] = {
        "bare": (shape[0], *shape[2:]),
        "kept": (shape[0], 1, *shape[2:]),
    }

    def compute(_: Shape, output: Result, target: Result) -> Result:
        return K.sparse_categorical_crossentropy(target, output, axis=1)

    arrays = {n: {"output": _spread(shape) + 1, n: np.ones(f, "int32")} for n, f in forms.items()}
    _one_is_taken(K, forms, arrays, compute, axes=1, at=CLASSES)


def _spread(shape: Shape) -> Array:
    """Numbers of which no two in a row are equal."""
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype("float32")


def _one_is_taken(
    K: Recorder,
    forms: Mapping[str, Shape],
    arrays: Mapping[str, Mapping[str, Array]],
    compute: Callable[..., Result],
    *,
    axes: Any,
    at: Lines,
) -> None:
    attempts = [
        attempt
        for name, form in forms.items()
        for attempt in _attempts(K, name, arrays[name], lambda *t, form=form: compute(form, *t))
    ]
    first, second = forms.values()
    demands = f"a result along {axes} for {first} or for {second}, of variables or fed"
    K.expect("a shape is taken", attempts, one_is_taken, demands, at=at)


def _attempts(
    K: Recorder, name: str, arrays: Mapping[str, Array], compute: Callable[..., Result]
) -> Iterator[Result]:
    """Compute it from variables, and from fed arrays."""
    values = [K.array(f"{name}_{n}", array) for n, array in arrays.items()]
    kinds = [(array.shape, str(array.dtype)) for array in arrays.values()]
    held = [K.variable(v, dtype=dtype) for v, (_, dtype) in zip(values, kinds, strict=True)]
    evaluated = K.body(f"{name}_held", lambda: K.eval(compute(*held)))
    yield K.attempt(K.operator.call, evaluated).output(f"{name}_in_variables")
    fed = [K.placeholder(shape=shape, dtype=dtype) for shape, dtype in kinds]
    called = K.body(f"{name}_asked", lambda: K.function(fed, [compute(*fed)])(values))
    yield K.attempt(K.operator.call, called).output(f"{name}_fed")


FAMILIES = BOOK.families
