"""Indices out of range, which no document mentions: what they stand for under each reading.

Source: convention `indices-out-of-range` of `specs/conventions.yaml` and its readings.
"""

from __future__ import annotations

import numpy as np

from conformance.oracle.expectation import Array

NOTHING = "nothing"
"""An index out of range names nothing: zeros stand in its place."""
NOT_A_NUMBER = "not a number"
"""NaN stands in its place."""
CLIPPED = "clipped"
"""It stands for the first or the last, whichever is nearer."""
FROM_THE_END = "from the end"
"""One below zero counts from the end."""


def placed(indices: Array, count: int, beyond: str) -> tuple[Array, Array]:
    """Indices from 0 to `count` - 1, and which of them name anything.

    Shapes: any integer indices; both results have their shape.

    Raises:
        ValueError: the reading has no answer for an index.
    """
    positions = (
        np.where(indices < 0, indices + count, indices) if beyond == FROM_THE_END else indices
    )
    inside = (positions >= 0) & (positions < count)
    if beyond == FROM_THE_END and not inside.all():
        raise ValueError("an index is out of range, counted from the end, too")
    if beyond == CLIPPED:
        inside = np.ones(inside.shape, np.bool_)
    return np.clip(positions, 0, max(count - 1, 0)), inside


def filled(values: Array, inside: Array, beyond: str) -> Array:
    """The values, with zeros or NaN where an index names nothing.

    `inside` has the first axes of `values`.

    Shapes: values (..., and more axes), inside (...); the result has the shape of the values.

    Raises:
        ValueError: the dtype of the values has no NaN.
    """
    if inside.all():
        return values
    if beyond == NOT_A_NUMBER and values.dtype.kind != "f":
        raise ValueError(f"{values.dtype} has no NaN")
    where = inside.reshape(inside.shape + (1,) * (values.ndim - inside.ndim))
    blank = values.dtype.type(np.nan if beyond == NOT_A_NUMBER else 0)
    return np.where(where, values, blank)
