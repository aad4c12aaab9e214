"""Functions that choose, split, join and arrange elements, and products of vectors.

Elements that are only moved are exact. `vander`: a power is made of at most N - 1 products, which
one rounding of the element moves as far; so it is conditioned. `cross`: two products and their
difference are off by at most gamma_2 of the sum of the products' magnitudes (Higham 2002, 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.linear_algebra import inner_product
from conformance.oracle.rounding import Arithmetic

Bounded = tuple[Array, Array]
Axis = int | Sequence[int] | None


def where(condition: Array, x: Array, y: Array) -> Array:
    """Elements of x where the condition holds, and of y elsewhere.

    Shapes: condition, x and y broadcast; the result has their common shape.
    """
    return np.where(condition, x, y)


def select(condlist: Sequence[Array], choicelist: Sequence[Array], default: Any = 0) -> Array:
    """Elements of the choice of the first condition that holds.

    Shapes: conditions and choices broadcast; the result has their common shape.
    """
    choices = [*choicelist]
    return np.select([*condlist], choices, choices[0].dtype.type(default))


def split(x: Array, indices_or_sections: Any, axis: int = 0, *, item: int) -> Array:
    """One of the parts along an axis.

    Shapes: any x; the axis of the result has the length of the part.
    """
    return np.array_split(x, indices_or_sections, axis)[item]


def hsplit(x: Array, indices_or_sections: Any, *, item: int) -> Array:
    """One of the parts along the second axis, or the only one.

    Shapes: any x; the second axis of the result, or the only one, has the length of the part.
    """
    return split(x, indices_or_sections, min(x.ndim - 1, 1), item=item)


def dsplit(x: Array, indices_or_sections: Any, *, item: int) -> Array:
    """One of the parts along the third axis.

    Shapes: x of rank 3 or more; the third axis of the result has the length of the part.
    """
    return split(x, indices_or_sections, 2, item=item)


def unstack(x: Array, num: int | None = None, axis: int = 0, *, item: int) -> Array:
    """One of the slices along an axis, of which there are `num`.

    Shapes: any x; the result has the shape of x without the axis.
    """
    assert num in (None, x.shape[axis])
    return np.asarray(x.take(item, axis))


def squeeze(x: Array, axis: Axis = None) -> Array:
    """Without these axes of length 1, or without all.

    Shapes: any x; the result has the shape of x without these axes.
    """
    return np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis)


def extract_sequences(x: Array, sequence_length: int, sequence_stride: int) -> Array:
    """Windows along the last axis, so many elements apart.

    Shapes: x (..., n); the result is (..., windows, sequence_length).
    """
    windows = np.lib.stride_tricks.sliding_window_view(x, sequence_length, -1)
    return windows[..., ::sequence_stride, :]


def vander(x: Array, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803
    """The powers of each element, N of them.

    Shapes: x (n,); the result is (n, N), square without N.
    """
    return np.vander(x, N, increasing)


Ends = tuple[int, int, int]


def _ends(axisa: int, axisb: int, axisc: int, axis: int | None) -> Ends:
    """The axes of the vectors of x, of y and of the result."""
    return (axisa, axisb, axisc) if axis is None else (axis, axis, axis)


def _terms(x: Array, y: Array, ends: Ends) -> tuple[Array, Array]:
    """The factors of the two terms of each element, the terms along the first axis and the elements
    along the last; of two vectors of two elements there is one element."""
    vectors = [np.moveaxis(v, end, -1) for v, end in zip((x, y), ends, strict=False)]
    flat = all(v.shape[-1] == 2 for v in vectors)
    a, b = (np.concatenate([v, np.zeros_like(v[..., :1])], -1)[..., :3] for v in vectors)
    j, k = ([0], [1]) if flat else ([1, 2, 0], [2, 0, 1])
    return np.stack([a[..., j], -a[..., k]]), np.stack([b[..., k], b[..., j]])


def _placed(elements: Array, ends: Ends) -> Array:
    if elements.shape[-1] == 1:
        return elements[..., 0]
    return np.moveaxis(elements, -1, ends[2])


def _summed(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(0))


def cross(  # noqa: PLR0917 - as documented
    x: Array, y: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """The cross product of vectors; a third element that is missing is zero.

    Shapes: as `bounded_cross`.
    """
    ends = _ends(axisa, axisb, axisc, axis)
    return _placed(_summed(*_terms(x, y, ends)), ends)


def bounded_cross(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    x: Array,
    y: Array,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Bounded:
    """The product, and the bound of inner products of two terms.

    Shapes: x and y with 2 or 3 elements on their axes; the other axes broadcast. Value and bound
    have the shape of the product.
    """
    ends = _ends(axisa, axisb, axisc, axis)
    value, bound = inner_product(_summed, 2, model, *_terms(x, y, ends), direct=True)
    return _placed(value, ends), _placed(bound, ends)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "where": where,
    "select": select,
    "split.part": split,
    "hsplit.part": hsplit,
    "dsplit.part": dsplit,
    "unstack.slice": unstack,
    "keras.squeeze": squeeze,
    "extract_sequences": extract_sequences,
    "vander": vander,
    "cross": cross,
    "size": lambda x: np.asarray(x.size),
    "ndim": lambda x: np.asarray(x.ndim),
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {"cross": bounded_cross}
