"""Shapes and parts of keras.ops that docstrings settle and that no draw asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import has_dtype, has_static_shape, is_array, shown
from conformance.scenarios.drawn_arrays import numbered
from conformance.scenarios.model import (
    ARGS,
    KERAS_3,
    OWN_PROCESS,
    SUMMARY,
    SYMBOL,
    Array,
)
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()


def _expect(K: Recorder, result: Any, expected: Array, at: Any = ARGS) -> None:
    values = result.output("values")
    K.expect("the elements", values, is_array(expected), shown(expected), at=at)


@BOOK.scenario("keras.ops.broadcast_to", "a whole number as shape", editions=KERAS_3)
def shape_of_one_axis(K: Recorder) -> None:
    """An integer is the length of the only axis."""
    _expect(
        K, K[K.tested](K.tensor("x", np.array([1.5], "float32")), 3), np.full(3, 1.5, "float32")
    )


@BOOK.scenario("keras.ops.squeeze", "no axes", editions=KERAS_3)
def no_axes(K: Recorder) -> None:
    """An empty subset of the axes of length one: none is removed."""
    x = numbered(1, 2, 1)
    _expect(K, K[K.tested](K.tensor("x", x), axis=()), x)


@BOOK.scenario("keras.ops.tri", "no columns", editions=KERAS_3)
def no_columns(K: Recorder) -> None:
    """M is 0, which is not the same as left out."""
    K.conventions = (ConventionName.EMPTY,)
    _expect(K, K[K.tested](3, 0), np.zeros((3, 0), "float32"))


@BOOK.scenario("keras.ops.cross", "rows and a vector", editions=KERAS_3)
def beside_one_vector(K: Recorder) -> None:
    """The vector is beside each row."""
    x, y = numbered(2, 3), np.array([1, 0, 2], "float32")
    _expect(K, K[K.tested](K.tensor("x", x), K.tensor("y", y)), np.cross(x, y), SUMMARY)


@BOOK.scenario(
    "keras.ops.full",
    "numbers of {dtype}",
    Aspect.VALUE,
    Aspect.DTYPE,
    editions=KERAS_3,
    dtype=("int32", "float16"),
)
def filled_with_several(K: Recorder, dtype: str) -> None:
    """The result has the requested dtype, though the numbers have another."""
    row = K.tensor("row", np.array([1, 2], "float32"))
    values = K[K.tested]((2, 2), row, dtype=dtype).output("values")
    expected = np.array([[1, 2], [1, 2]], dtype)
    K.expect("the elements", values, is_array(expected), shown(expected), at=ARGS)
    K.expect("the dtype", values, has_dtype(dtype), dtype, aspect=Aspect.DTYPE, at=ARGS)


@BOOK.scenario("keras.ops.repeat", "no repetitions", editions=KERAS_3, counts=(0, (0, 0, 0)))
def not_repeated(K: Recorder, counts: Any) -> None:
    """No element is left."""
    K.setup, K.conventions = OWN_PROCESS, (ConventionName.EMPTY,)
    repeats = counts if isinstance(counts, int) else list(counts)
    _expect(K, K[K.tested](K.tensor("x", numbered(3)), repeats), np.zeros(0, "float32"))


KEYS: Mapping[str, Any] = {
    "one slice": slice(1, 3),
    "a new axis": None,
    "one slice backwards": (slice(None, None, -1),),
    "a slice, a new axis and a place": (slice(0, 2), None, 1),
}
TABLE = numbered(4, 2)


@BOOK.scenario(
    "keras.ops.get_item",
    "{key} of a {kind}",
    Aspect.VALUE,
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    key=KEYS.keys(),
    kind=("tensor", "symbolic tensor"),
)
def lone_keys(K: Recorder, key: str, kind: str) -> None:
    """A key that is not a tuple, and keys that go backwards or skip an axis."""
    chosen, symbolic = KEYS[key], kind.startswith("symbolic")
    expected = TABLE[chosen]
    parts = chosen if isinstance(chosen, tuple) else (chosen,)
    written = [
        K.operator.slice(part.start, part.stop, part.step) if isinstance(part, slice) else part
        for part in parts
    ]
    x = K.placeholder(shape=TABLE.shape) if symbolic else K.tensor("x", TABLE)
    part = K[K.tested](x, tuple(written) if isinstance(chosen, tuple) else written[0])
    if symbolic:
        shape, demands = K.int_shape(part).output("static"), str(expected.shape)
        is_shape = has_static_shape(expected.shape)
        K.expect("the shape", shape, is_shape, demands, aspect=Aspect.STATIC_SHAPE, at=SYMBOL)
    else:
        K.expect("the part", part.output("values"), is_array(expected), shown(expected), at=SUMMARY)


FAMILIES = BOOK.families
