"""Results of keras.ops whose form no docstring gives: places, and singular values without vectors.

The right numbers are taken in each form that they can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.observations import Value
from conformance.oracle import Expectation
from conformance.oracle.keras_ops.matrices import spectral
from conformance.scenarios.checks import Test, agrees_with, shown
from conformance.scenarios.drawn_arrays import a_dtype, a_shape, small
from conformance.scenarios.model import KERAS_3, KERAS_3_DOCUMENT, Array, Problem, Values
from conformance.scenarios.recorder import Book, Recorder

BOOK = Book()


def _are_places(indices: Array) -> Test:
    """Indices along each axis, one array after the other, or rows or columns of one tensor, in any
    order."""

    def tested(values: Values) -> Problem | None:
        arrays = [value.array for value in values]
        columns = _in_columns(arrays, len(indices))
        right = columns is not None and _sorted(columns) == _sorted(indices)
        shapes = [getattr(a, "shape", None) for a in arrays]
        gives = f"gives {shapes}" if columns is None else f"gives {columns.tolist()}"
        problem = Problem(gives, "places", got=gives, expected=shown(indices))
        return None if right else problem

    return tested


def _sorted(columns: Array) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, columns.T.tolist()))


def _in_columns(arrays: Sequence[Any], rank: int) -> Array | None:
    """A row of indices for each axis; None if the arrays have another form."""
    if any(a is None or a.dtype.kind not in "iu" for a in arrays):
        return None
    if len(arrays) == 1 and arrays[0].ndim == 2:
        (whole,) = arrays
        return np.asarray(whole if whole.shape[0] == rank else whole.T)
    same = len(arrays) == rank and len({a.shape for a in arrays}) == 1 and arrays[0].ndim == 1
    return np.stack(arrays) if same else None


@BOOK.scenario("keras.ops.nonzero", "a tensor", editions=KERAS_3, share=2.0)
def places_of_others_than_zero(K: Recorder, draw: st.DrawFn) -> None:
    """The number of elements that are not zero differs from the rank: rows and columns differ."""
    x = small(draw, a_shape(draw), a_dtype(draw), 1)
    if np.count_nonzero(x) == x.ndim:
        x = np.ones_like(x) if x.size != x.ndim else np.zeros_like(x)
    indices = np.stack(np.nonzero(x))
    places = K[K.tested](K.tensor("x", x)).output("values")
    at = {KERAS_3_DOCUMENT: "Returns"}
    K.expect("the results", places, _are_places(indices), shown(indices), at=at)


def _are_singular_values(x: Array) -> Test:
    """In any order, alone or with nothing in the places of the vectors."""
    right = np.sort(np.linalg.svd(x.astype("float64"), compute_uv=False), -1)
    bound = 2 * np.broadcast_to(spectral(x, x.dtype.name)[1][..., None], right.shape)
    test = agrees_with(Expectation(right, bound, x.dtype.name))

    def tested(values: Values) -> Problem | None:
        arrays = [value.array for value in values if value.array is not None]
        if len(arrays) != 1 or arrays[0].shape != right.shape:
            return Problem(f"gives {[array.shape for array in arrays]}", "shape")
        got = np.sort(arrays[0], -1)
        return test((Value(got, got.dtype.name, "ndarray"),))

    return tested


@BOOK.scenario("keras.ops.svd", "without vectors", editions=KERAS_3, share=2.0)
def singular_values_alone(K: Recorder, draw: st.DrawFn) -> None:
    """Matrices, alone or in batches, for their singular values."""
    batch = draw(st.sampled_from(((), (), (2,), (2, 3))))
    sizes = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    x = small(draw, (*batch, *sizes), a_dtype(draw))
    values = K[K.tested](K.tensor("x", x), compute_uv=False).output("values")
    at = {KERAS_3_DOCUMENT: "Summary"}
    K.expect("the results", values, _are_singular_values(x), "singular values alone", at=at)


FAMILIES = BOOK.families
