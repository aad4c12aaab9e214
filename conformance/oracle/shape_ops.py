"""Shape operations: they move elements and never compute. Therefore every result is exact.

The semantics are those that all documents agree on. `gather` gives indices.shape +
reference.shape[1:]. `one_hot` appends an axis of num_classes; for an index out of range it gives a
row of zeros (a convention, because the documents are silent). `slice` takes `size` elements from
`start` on every axis, and `repeat` inserts an axis of n after the samples.

Source: ko-2.2 lines 1139 (gather), 1940 to 2223 (concatenate to squeeze) and 2327 to 2393 (stack to
slice).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.indices import NOTHING, filled, placed


def concatenate(tensors: Sequence[Array], axis: int = -1) -> Array:
    """The tensors side by side on an axis they have.

    Shapes: equal lengths on all other axes; the axis of the result is as long as all together.
    """
    return np.concatenate(tensors, axis=axis)


def reshape(x: Array, shape: Sequence[int]) -> Array:
    """The elements in row-major order in another shape; -1 stands for one unknown length."""
    return x.reshape(tuple(int(length) for length in shape))


def permute_dimensions(x: Array, pattern: Sequence[int]) -> Array:
    """Axis i of the result is axis pattern[i] of x.

    Shapes: any x; axis i of the result has the length of axis pattern[i].
    """
    return np.transpose(x, tuple(pattern))


def repeat_elements(x: Array, rep: int, axis: int) -> Array:
    """Every slice on the axis `rep` times in a row.

    Shapes: any x; the axis of the result is `rep` times as long.
    """
    return np.repeat(x, rep, axis=axis)


def repeat(x: Array, n: int) -> Array:
    """(samples, dim) to (samples, n, dim)."""
    return np.repeat(x[:, np.newaxis, :], n, axis=1)


def tile(x: Array, n: int | Sequence[int]) -> Array:
    """The whole of x n[i] times on axis i.

    Shapes: any x; axis i of the result is n[i] times as long.
    """
    return np.tile(x, n)


def flatten(x: Array) -> Array:
    """Rank 1, row-major order.

    Shapes: any x; the result is (elements of x,).
    """
    return x.reshape(x.size)


def batch_flatten(x: Array) -> Array:
    """(samples, ...) to (samples, product of the rest)."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


def expand_dims(x: Array, axis: int = -1) -> Array:
    """One axis of length 1 more, at index `axis` of the result.

    Shapes: any x; the result has an axis of length 1 more.
    """
    return np.expand_dims(x, axis)


def squeeze(x: Array, axis: int) -> Array:
    """One axis of length 1 less.

    Shapes: any x; the result is without the axis.
    """
    return np.squeeze(x, axis)


def stack(x: Sequence[Array], axis: int = 0) -> Array:
    """Tensors of one shape side by side on a new axis."""
    return np.stack(x, axis=axis)


def one_hot(
    indices: Array, num_classes: int, beyond: str = NOTHING, *, axis: int = -1, **_: Any
) -> Array:
    """indices.shape with an axis of `num_classes` inserted, 1 where the class is the index.

    `beyond` is a reading of `indices`.
    """
    places, inside = placed(indices, num_classes, beyond)
    result: Array = places[..., np.newaxis] == np.arange(num_classes)
    return np.moveaxis(filled(result.astype(np.float64), inside, beyond), -1, axis)


def reverse(x: Array, axes: int | Iterable[int]) -> Array:
    """The order of the elements turned round on the axes.

    Shapes: any x; the result has the shape of x.
    """
    return np.flip(x, axes if isinstance(axes, int) else tuple(axes))


def slice_(x: Array, start: Sequence[int], size: Sequence[int]) -> Array:
    """x[start[i] : start[i] + size[i]] on every axis i.

    Shapes: any x; the result has the shape `size`.
    """
    pairs = zip(start, size, strict=True)
    part = tuple(slice(int(first), int(first) + int(length)) for first, length in pairs)
    result: Array = x[part]
    return result


def gather(reference: Array, indices: Array, beyond: str = NOTHING) -> Array:
    """reference[indices]: indices.shape + reference.shape[1:].

    `beyond` is a reading of `indices`.
    """
    places, inside = placed(indices, len(reference), beyond)
    return filled(np.take(reference, places, axis=0), inside, beyond)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "concatenate": concatenate,
    "reshape": reshape,
    "permute_dimensions": permute_dimensions,
    "repeat_elements": repeat_elements,
    "repeat": repeat,
    "tile": tile,
    "flatten": flatten,
    "batch_flatten": batch_flatten,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "stack": stack,
    "one_hot": one_hot,
    "reverse": reverse,
    "slice": slice_,
    "gather": gather,
}
