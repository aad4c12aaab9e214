"""Calls of keras.ops that are compiled before a length is known, such as that of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.program.model import COMPILED
from conformance.scenarios.checks import Test, is_array, near
from conformance.scenarios.drawn_arrays import numbered
from conformance.scenarios.model import ARGS, KERAS_3, Array, Problem, Values
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCall:
    """A call of the tensor `x`, whose first length is not known, and its results.

    Arrays among the other arguments are tensors of a known shape. Results of float64 have been
    rounded, and may be off by some roundings. All other results are exact.
    """

    function: str
    x: Array
    others: Sequence[Any]
    results: Sequence[Array]
    keywords: tuple[tuple[str, Any], ...] = ()


def _call(
    function: str, x: Array, *others: Any, of: Sequence[Array], **keywords: Any
) -> CompiledCall:
    return CompiledCall(f"keras.ops.{function}", x, others, of, tuple(keywords.items()))


def _windows(x: Array) -> Array:
    """The windows of two by two, a column each."""
    starts = [(row, column) for row in range(2) for column in range(2)]
    windows = [x[:, :, r : r + 2, c : c + 2].reshape(len(x), -1) for r, c in starts]
    return np.stack(windows, axis=-1)


GATED = np.array([[1, 2], [3, 4], [0, 0], [0, 0]], "float32")
"""Two rows, and two whose sigmoid is a half."""
IMAGES = numbered(2, 3, 3, 1)
IN_ROWS = np.moveaxis(IMAGES, -1, 1)
PLACES = np.array([[0, 2], [1, 2]], "float32")
TURN = np.array([[2, 0], [0, 4]], "float32")

CALLS = [
    _call(
        "array_split",
        numbered(5),
        3,
        of=[numbered(5)[:2], numbered(5)[2:4], numbered(5)[4:]],
    ),
    _call("split", numbered(5), [1, 3], of=np.split(numbered(5), [1, 3])),
    _call("squeeze", numbered(1, 2), of=[numbered(2)], axis=0),
    _call("unstack", numbered(2, 3), of=[*numbered(2, 3)], num=2),
    _call("glu", GATED, of=[GATED[:2] / 2], axis=0),
    _call("kron", numbered(2, 1), TURN, of=[np.kron(numbered(2, 1), TURN)]),
    _call("corrcoef", numbered(2, 3), of=[np.ones((2, 2))]),
    _call("isin", numbered(3), np.array([2], "float32"), of=[np.array([False, True, False])]),
    _call("softmax", np.zeros((2, 2), "float32"), of=[np.full((2, 2), 0.25)], axis=(0, 1)),
    _call("nanmedian", numbered(3, 2), of=[numbered(3, 2)[1]], axis=0),
    _call("lstsq", TURN, np.array([2, 2], "float32"), of=[np.array([1, 0.5])]),
    _call("unfold", IN_ROWS, 2, of=[_windows(IN_ROWS)]),
    _call("image.map_coordinates", numbered(3, 3), PLACES, 1, of=[np.array([2.0, 9.0])]),
    _call(
        "image.elastic_transform",
        IMAGES,
        of=[IMAGES.astype("float64")],
        alpha=0.0,
        sigma=1.0,
        seed=1,
    ),
]


@BOOK.scenario(
    [call.function for call in CALLS],
    "compiled for any length",
    editions=KERAS_3,
    call=lambda function: [call for call in CALLS if call.function == function],
)
def of_any_length(K: Recorder, call: CompiledCall) -> None:
    """The first length is not known while the call is compiled. It may be refused."""
    x = K.tensor("x", call.x)
    others = [
        K.tensor("y", other) if isinstance(other, np.ndarray) else other for other in call.others
    ]
    compiled = K.step(COMPILED, (K.tested, [x], x, *others), dict(call.keywords))
    K.conventions = (ConventionName.COMPILED_CALL,)
    shapes = [part.shape for part in call.results]
    test, demands = _are_parts(call.results), f"shapes {shapes}"
    K.expect("the parts", compiled.output("parts"), test, demands, at=ARGS)


def _are_parts(expected: Sequence[Array]) -> Test:
    """The output is these arrays."""

    def tested(values: Values) -> Problem | None:
        shapes = [None if value.array is None else value.array.shape for value in values]
        right = [part.shape for part in expected]
        if shapes != right:
            fault = f"[np.shape(part) for part in values[0]] != {right}"
            return Problem(f"gives shapes {shapes}", "shape", fault=fault)
        pairs = zip(values, expected, strict=True)
        problems = (_is(part)((value,)) for value, part in pairs)
        return next((problem for problem in problems if problem is not None), None)

    return tested


def _is(part: Array) -> Test:
    return near(part) if part.dtype == np.float64 else is_array(part)


FAMILIES = BOOK.families
