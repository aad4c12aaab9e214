"""Functions that count and compare: bins, numbers that are close, members, grids.

Bounds (u the unit roundoff, n the number of terms):

* bincount: gamma_n of the sum of the magnitudes of n weights (Higham 2002, 3.1).
* histogram: an edge is low (1 - t) + high t, or low + t (high - low): gamma_6 of |low| + |high|.

`nextafter` has the next number of the dtype of the result. Each number is right or wrong: any bound
would let the number itself pass.

Which of two numbers a relative tolerance is of, and what lies at the edge of a tolerance, no
docstring says. So `isclose` must report numbers as close, or far, that are so under either meaning,
with a sixteenth to spare for the digits of every dtype. Between them any answer is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]


def isin(x: Array, y: Array, assume_unique: bool = False, invert: bool = False) -> Array:  # noqa: ARG001 - a promise
    """Whether each element of x is one of y, or none of them.

    Shapes: any x and y; the result is bool and has the shape of x.
    """
    return np.asarray(np.isin(x, y, invert=invert))


def bincount(x: Array, weights: Array | None = None, minlength: int = 0, **_: Any) -> Array:
    """How often each integer occurs, or the sum of its weights.

    Shapes: x (n,) of integers from 0, weights (n,); the result is (largest element + 1,) or
    (minlength,), whichever is longer.
    """
    size = max(int(x.max(initial=-1)) + 1, minlength)
    totals = np.zeros(size, np.int64 if weights is None else weights.dtype)
    np.add.at(totals, x, 1 if weights is None else weights)
    return totals


def bounded_bincount(
    model: Arithmetic, x: Array, weights: Array | None = None, minlength: int = 0, **_: Any
) -> Bounded:
    """Value and bound of `bincount`: those of as many sums.

    Shapes: value and bound have the shape of `bincount`.
    """
    value, counts = bincount(x, weights, minlength), bincount(x, None, minlength)
    if weights is None:
        return value, np.zeros(value.shape)
    magnitude = bincount(x, finite_magnitude(weights), minlength)
    bound = allowance(counts, model) * magnitude + counts * model.underflow
    return value, np.where(magnitude * (1 + model.unit) >= model.overflow, np.inf, bound)


def _ends(x: Array, ends: Sequence[float] | None) -> tuple[Any, Any]:
    return (x.min(), x.max()) if ends is None else (ends[0], ends[1])


def edges(x: Array, bins: int = 10, range: Sequence[float] | None = None) -> Array:
    """The edges of the bins.

    Shapes: any x; the result is (bins + 1,).
    """
    low, high = _ends(x, range)
    return np.linspace(low, high, bins + 1, dtype=np.longdouble)


def bounded_edges(
    model: Arithmetic,
    x: Array,
    bins: int = 10,
    range: Sequence[float] | None = None,
) -> Bounded:
    """Value and bound of `edges`.

    Shapes: value and bound are (bins + 1,).
    """
    low, high = _ends(x, range)
    size = float(abs(low) + abs(high))
    return edges(x, bins, range), np.full(bins + 1, allowance(6, model) * size)


def counts(x: Array, bins: int = 10, range: Sequence[float] | None = None) -> Array:
    """How many elements lie in each bin, of which the last one has its upper edge.

    Shapes: any x; the result is int64 (bins,).
    """
    return np.histogram(x, bins, _ends(x, range))[0]


def isclose(
    x: Array, y: Array, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Array:
    """The evidence of a right `isclose`: whether numbers are, or may be, close.

    Shapes: x and y broadcast; the result is bool and has their common shape.
    """
    a, b = np.broadcast_arrays(*(np.asarray(v, np.longdouble) for v in (x, y)))
    limit = (atol + rtol * np.maximum(np.abs(a), np.abs(b))) * (1 + SLACK)
    near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= np.maximum(limit, LEAST))
    return np.asarray(near | (a == b) | (np.isnan(a) & np.isnan(b) & equal_nan))


SLACK = 1 / 16
LEAST = 2.0**-126
"""The smallest normal float32. A difference below it may be 0 (JAX)."""


def allclose(x: Array, y: Array, **how: Any) -> Array:
    """The evidence of a right `allclose`.

    Shapes: x and y broadcast; the result is a bool of shape ().
    """
    return np.asarray(isclose(x, y, **how).all())


def evidence_of_closeness(  # noqa: PLR0917 - as documented
    answer: Any, x: Any, y: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False
) -> Any:
    """The answer, or True where either answer is right; an answer about all numbers is open where
    some of them are, and no others are far apart."""
    a, b = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (x, y)))
    far, sizes = np.abs(a - b), (np.abs(a), np.abs(b))
    sure = far <= (atol + rtol * np.minimum(*sizes)) * 15 / 16
    may_be = far <= np.maximum((atol + rtol * np.maximum(*sizes)) * 17 / 16, 2.0**-126)
    near = (np.isfinite(a) & np.isfinite(b) & may_be) | (a == b)
    either = near & ~sure & (a != b)
    if np.ndim(answer) < a.ndim:
        either = either.any() & (near | (np.isnan(a) & np.isnan(b) & bool(equal_nan))).all()
    return answer | either


def nextafter(x: Array, y: Array) -> Array:
    """The evidence of a right `nextafter`: each number is the next one.

    Shapes: x and y broadcast; the result has their common shape.
    """
    return np.ones(np.broadcast_shapes(x.shape, y.shape))


def evidence_of_nextafter(answer: Any, x: Any, y: Any) -> Any:
    """1 where a number is the next one of its dtype. One below the normal range may be 0. Two of
    them may count as equal, and then the second is the answer."""
    x, y = x.astype(answer.dtype), y.astype(answer.dtype)
    expected = np.nextafter(x, y)
    least = np.finfo(expected.dtype).tiny
    zero = (answer == 0) & (np.abs(expected) < least)
    equal = (answer == y) & (np.maximum(np.abs(x), np.abs(y)) < least)
    right = (answer == expected) | (np.isnan(answer) & np.isnan(expected)) | zero | equal
    return right.astype(answer.dtype)


def grid(x: Sequence[Array], indexing: str = "xy", *, item: int) -> Array:
    """One of the vectors, expanded along its own axis.

    Shapes: arrays (n,), (m,), ...; each result is (n, m, ...), or (m, n, ...) for `xy`.
    """
    return np.meshgrid(*x, indexing="ij" if indexing == "ij" else "xy")[item]


ORACLES: Mapping[str, Callable[..., Array]] = {
    "isin": isin,
    "bincount": bincount,
    "histogram.counts": counts,
    "histogram.edges": edges,
    "isclose": isclose,
    "allclose": allclose,
    "nextafter": nextafter,
    "meshgrid.grid": grid,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "bincount": bounded_bincount,
    "histogram.edges": bounded_edges,
}
EVIDENCE: Mapping[str, Evidence] = {
    "nextafter": Evidence(
        evidence_of_nextafter,
        "1 where a number is the next one",
        elementwise=True,
        demands="the next number of the dtype",
    ),
    "isclose": Evidence(
        evidence_of_closeness, "True where the tolerance leaves it open", elementwise=True
    ),
    "allclose": Evidence(
        evidence_of_closeness, "True where the tolerance leaves it open", elementwise=True
    ),
}
