"""Along which axis functions of keras.ops work, where other axes have the same length.

A square matrix shows an axis that is mistaken for another by its numbers only, not by a shape. The
axis itself may be an integer of NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.program import Made
from conformance.results import Aspect
from conformance.scenarios.checks import has_static_shape, is_array, near, shown
from conformance.scenarios.drawn_arrays import numbered
from conformance.scenarios.model import ARGS, KERAS_3, SUMMARY, SYMBOL
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
SQUARE = np.array([[1, 2], [3, 5]], "float32")
BROADCAST: Mapping[str, Any] = {
    "keras.ops.add": np.add,
    "keras.ops.subtract": np.subtract,
    "keras.ops.multiply": np.multiply,
    "keras.ops.divide": np.divide,
    "keras.ops.true_divide": np.divide,
    "keras.ops.maximum": np.maximum,
    "keras.ops.minimum": np.minimum,
    "keras.ops.power": np.power,
    "keras.ops.equal": np.equal,
    "keras.ops.greater": np.greater,
    "keras.ops.greater_equal": np.greater_equal,
    "keras.ops.less": np.less,
    "keras.ops.less_equal": np.less_equal,
    "keras.ops.not_equal": np.not_equal,
}
"""Functions of two tensors, and the function of NumPy with the same numbers."""


@BOOK.scenario(
    BROADCAST.keys(),
    "{first} and {second}",
    editions=KERAS_3,
    first=((2, 2), (1, 2, 2)),
    second=((2, 1), (1, 2), (2,)),
)
def beside_a_square(K: Recorder, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """A row is beside each row, and a column beside each column."""
    x, y = SQUARE.reshape(first), np.array([1, 4], "float32").reshape(second)
    expected = BROADCAST[K.tested](x, y)
    result = K[K.tested](K.tensor("x", x), K.tensor("y", y)).output("values")
    K.expect("the numbers", result, is_array(expected), shown(expected), at=SUMMARY)


@BOOK.scenario(
    ("keras.ops.rms_normalization", "keras.ops.layer_normalization"),
    "axis {axis} of a square matrix",
    editions=KERAS_3,
    axis=(0, -2, 1),
)
def normalised_along(K: Recorder, axis: int) -> None:
    """Columns are normalized by their own numbers, or rows."""
    x = SQUARE.astype("float64")
    mean = x.mean(axis, keepdims=True) if K.tested.endswith("layer_normalization") else 0
    expected = (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis, keepdims=True))
    result = K[K.tested](K.tensor("x", SQUARE), axis=axis, epsilon=0.0).output("values")
    K.expect("the numbers", result, near(expected), shown(expected), at=ARGS)


@BOOK.scenario("keras.ops.cross", "three vectors of three elements", editions=KERAS_3)
def of_rows(K: Recorder) -> None:
    """By default the vectors are along the last axis."""
    x, y = numbered(3, 3), np.array([[1, 0, 0], [0, 2, 0], [1, 1, 3]], "float32")
    expected = np.cross(x, y)
    result = K[K.tested](K.tensor("x", x), K.tensor("y", y)).output("values")
    K.expect("the products", result, is_array(expected), shown(expected), at=SUMMARY)


@BOOK.scenario(
    ("keras.ops.take", "keras.ops.take_along_axis"),
    "{indices} without an axis",
    editions=KERAS_3,
    indices=([-1], [0, -6], [-4, 3]),
)
def from_the_end(K: Recorder, indices: list[int]) -> None:
    """Indices below zero count from the end of the flattened tensor, as along an axis."""
    x, places = numbered(2, 3), np.array(indices, "int32")
    expected = x.reshape(-1)[places]
    tensors = K.tensor("x", x), K.tensor("indices", places)
    how = {} if K.tested.endswith("take") else {"axis": None}
    K.expect(
        "the elements",
        K[K.tested](*tensors, **how).output("values"),
        is_array(expected),
        shown(expected),
        at=ARGS,
    )


@BOOK.scenario("keras.ops.vstack", "vectors", editions=KERAS_3)
def vectors_as_rows(K: Recorder) -> None:
    """Row wise, each vector is a row."""
    x, y = numbered(3), np.array([4, 6, 9], "float32")
    expected = np.stack([x, y])
    result = K[K.tested]([K.tensor("x", x), K.tensor("y", y)]).output("values")
    K.expect("the rows", result, is_array(expected), shown(expected), at=SUMMARY)


REDUCED, KEPT, ADDED = (3,), (2, 3), (1, 2, 3)
"""The shapes that a matrix of two rows has without axis 0, with it, and with a new one."""
NAMED: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(
        (
            *("all", "amax", "amin", "any", "argmax", "argmin", "average", "count_nonzero"),
            *("logsumexp", "max", "mean", "median", "min", "nanmax", "nanmean", "nanmin"),
            *("nanprod", "nanstd", "nansum", "nanvar", "prod", "ptp", "std", "sum", "var"),
        ),
        REDUCED,
    ),
    **dict.fromkeys(
        (
            *("argsort", "cumprod", "cumsum", "flip", "log_softmax", "normalize", "softmax"),
            *("sort", "sparsemax"),
        ),
        KEPT,
    ),
    "expand_dims": ADDED,
}
"""Functions with an axis, and the shape of their result along axis 0."""
FUNCTIONS = tuple(f"keras.ops.{name}" for name in NAMED)
OF_NUMPY = Made("int64", (0,))


@BOOK.scenario(
    FUNCTIONS,
    "an axis of NumPy's integers, {kind}",
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    kind=lambda function: ("computed", "symbolic") if function.endswith(".sum") else ("computed",),
)
def named_by_numpy(K: Recorder, kind: str) -> None:
    """The integer names the same axis as an integer of Python.

    The symbolic calls of all reductions share the code that reads it, and one of them stands for
    all.
    """
    shape = NAMED[K.tested.removeprefix("keras.ops.")]
    K.conventions = (ConventionName.NUMBER_TYPE,)
    x = K.placeholder(shape=(2, 3)) if kind == "symbolic" else K.tensor("x", numbered(2, 3))
    static = K.int_shape(K[K.tested](x, axis=OF_NUMPY)).output("shape")
    at = SYMBOL if kind == "symbolic" else ARGS
    K.expect("the shape", static, has_static_shape(shape), f"shape {shape}", at=at)


FAMILIES = BOOK.families
