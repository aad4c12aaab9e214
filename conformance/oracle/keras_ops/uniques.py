"""`unique`: elements or slices, each once, with their places, the inverse and counts.

The order of values that are not sorted is open. So is the shape of the inverse, which is compared
in a row. Where numbers fill a result up, their first places are open, and their counts unless
zeros fill it.

Source: the docstring of `keras.ops.unique`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array

Row = tuple[Any, ...]


def _lines(x: Array, axis: int | None) -> list[Row]:
    """The slices along an axis, or all elements without one, as tuples of numbers."""
    slices = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0)
    return [*map(tuple, slices.reshape(len(slices), -1).tolist())]


def _ordered(lines: Sequence[Row]) -> list[Row]:
    """Each line once, in ascending order: by first elements, then by the next."""
    return sorted({*lines})


def _of_size(numbers: Array, size: int | None, fill: Any) -> Array:
    """The first `size` along the first axis, and as many more of `fill` as are lacking."""
    if size is None:
        return numbers
    beside = [(0, max(0, size - len(numbers))), *[(0, 0)] * (numbers.ndim - 1)]
    return np.pad(numbers[:size], beside, constant_values=fill or 0)


def values(
    x: Array, axis: int | None = None, size: int | None = None, fill_value: Any = None, **_: Any
) -> Array:
    """The evidence of right values: the lines in ascending order.

    Shapes: any x; the result is (n,) for n values, or (n, ...) with the other axes of x; n is
    `size` if passed.
    """
    lines = _lines(x, axis)
    slices = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    places = [lines.index(line) for line in _ordered(lines)]
    return _of_size(slices[places], size, fill_value)


def places(x: Array, axis: int | None = None, size: int | None = None, **_: Any) -> Array:
    """The evidence of right first places.

    Shapes: any x; the result is int64 (n,) for n values; n is `size` if passed.
    """
    lines = _lines(x, axis)
    return _of_size(np.array([lines.index(line) for line in _ordered(lines)]), size, 0)


def inverse(x: Array, axis: int | None = None, **_: Any) -> Array:
    """The evidence of a right inverse: the place of each line among the values.

    Shapes: any x; the result is int64 (elements of x,), or (length of the axis,).
    """
    lines = _lines(x, axis)
    ordered = _ordered(lines)
    return np.array([ordered.index(line) for line in lines])


def counts(x: Array, axis: int | None = None, size: int | None = None, **_: Any) -> Array:
    """The evidence of right counts.

    Shapes: any x; the result is int64 (n,) for n values; n is `size` if passed.
    """
    lines = _lines(x, axis)
    return _of_size(np.array([lines.count(line) for line in _ordered(lines)]), size, 0)


def evidence_of_values(answer: Any, sorted: Any = True, axis: Any = None, **_: Any) -> Any:
    """The slices along the axis, in ascending order if `sorted` is false."""
    slices = np.moveaxis(
        np.asarray(answer[0] if isinstance(answer, list) else answer), axis or 0, 0
    )
    if sorted:
        return slices
    return slices[np.lexsort(slices.reshape(len(slices), -1).T[::-1])]


def evidence_of_places(answer: Any, x: Any, sorted: Any = True, axis: Any = None, **_: Any) -> Any:
    """The first places in the order of the values; 0 for what fills them up."""
    slices = np.moveaxis(np.asarray(answer[0]), axis or 0, 0)
    order = np.arange(len(slices))
    if not sorted:
        order = np.lexsort(slices.reshape(len(slices), -1).T[::-1])
    lines = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    numbers = np.asarray(answer[1])[order].astype(np.float64)
    numbers[len(np.unique(lines, axis=0)) :] = 0
    return numbers


def evidence_of_counts(
    answer: Any, x: Any, sorted: Any = True, axis: Any = None, fill_value: Any = None, **_: Any
) -> Any:
    """The counts in the order of the values; 0 for what other numbers than zeros fill up."""
    slices = np.moveaxis(np.asarray(answer[0]), axis or 0, 0)
    order = np.arange(len(slices))
    if not sorted:
        order = np.lexsort(slices.reshape(len(slices), -1).T[::-1])
    lines = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    numbers = np.asarray(answer[-1])[order].astype(np.float64)
    if fill_value:
        numbers[len(np.unique(lines, axis=0)) :] = 0
    return numbers


def evidence_of_inverse(
    answer: Any, sorted: Any = True, axis: Any = None, return_index: Any = False, **_: Any
) -> Any:
    """The inverse in a row, with places in the order of the values; -1 for other numbers."""
    slices = np.moveaxis(np.asarray(answer[0]), axis or 0, 0)
    rank = np.arange(len(slices))
    if not sorted:
        rank[np.lexsort(slices.reshape(len(slices), -1).T[::-1])] = np.arange(len(slices))
    numbers = np.asarray(answer[2 if return_index else 1]).reshape(-1)
    inside = (numbers >= 0) & (numbers < len(rank))
    return np.where(inside, rank[np.where(inside, numbers, 0).astype(int)], -1)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "unique.values": values,
    "unique.places": places,
    "unique.inverse": inverse,
    "unique.counts": counts,
}
EVIDENCE: Mapping[str, Evidence] = {
    "unique.values": Evidence(evidence_of_values, "the slices in order"),
    "unique.places": Evidence(evidence_of_places, "the first places in the order of the values"),
    "unique.inverse": Evidence(evidence_of_inverse, "the inverse of values in order, in a row"),
    "unique.counts": Evidence(evidence_of_counts, "the counts in the order of the values"),
}
