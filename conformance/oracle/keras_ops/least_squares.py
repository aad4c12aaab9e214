"""Pseudo-inverses, least squares and ranks, with singular values that a tolerance cuts off.

Where no singular value is cut off, the result follows from exact fractions. Elsewhere it follows
from a decomposition in float64, whose own error is part of the bound. A pseudo-inverse and a
solution of least squares move with the matrix as Wedin's theorem says (N. J. Higham, Accuracy and
Stability of Numerical Algorithms, 2002, theorem 20.1). The matrix moves by the losses of the
reflections of a decomposition (`matrices.spectral`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle import rational
from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops.matrices import spectral
from conformance.oracle.rounding import Arithmetic

Bounded = tuple[Array, Array]
WEDIN = 4
"""Twice the constant of the theorem: its second order, and the products that follow."""
GAP = 2
"""The cut singular vectors move more: by the part of the smallest kept singular value between it
and the next (8/7), times the constant of the theorem."""


def _singular_values(x: Array) -> Array:
    return np.linalg.svd(x.astype(np.float64), compute_uv=False)


def _cuts(x: Array, rcond: Any) -> bool:
    """Whether a singular value of a matrix is below the ratio to the largest."""
    values = _singular_values(x)
    return rcond is not None and bool((values <= rcond * values.max(initial=0)).any())


def _inverse(x: Array, rcond: Any) -> Array:
    """The pseudo-inverse of one matrix, which has full rank unless something is cut off."""
    if _cuts(x, rcond):
        return np.linalg.pinv(x.astype(np.float64), rcond).astype(np.longdouble)
    if x.shape[0] >= x.shape[1]:
        return rational.solution(_products(x.T), x.T)
    return rational.solution(_products(x), x).T


def _products(rows: Array) -> Array:
    """The products of all pairs of rows, of moderate numbers and so of few digits."""
    return rows.astype(np.longdouble) @ rows.T.astype(np.longdouble)


def _matrices(x: Array) -> Array:
    return x.reshape(-1, *x.shape[-2:])


def pinv(x: Array, rcond: Any = None) -> Array:
    """The pseudo-inverse of each matrix.

    Shapes: x (..., m, n); the result is (..., n, m).
    """
    inverses = [_inverse(matrix, rcond) for matrix in _matrices(x)]
    return np.reshape(inverses, (*x.shape[:-2], x.shape[-1], x.shape[-2]))


def _moved(model: Arithmetic, x: Array, inverse: Array, rcond: Any) -> tuple[float, float]:
    """The size of the pseudo-inverse, and the part of it by which it may be off."""
    size = float(np.linalg.norm(inverse.astype(np.float64), 2))
    lost = spectral(x, model.dtype)[0] + spectral(x, "float64")[0]
    part = WEDIN * lost * float(np.linalg.norm(x.astype(np.float64))) * size
    return size, (GAP if _cuts(x, rcond) else 1) * part


def bounded_pinv(model: Arithmetic, x: Array, rcond: Any = None) -> Bounded:
    """Value and bound of `pinv`.

    Shapes: x (..., m, n); value and bound are (..., n, m).
    """
    value = pinv(x, rcond)
    pairs = zip(_matrices(x), _matrices(value), strict=True)
    bounds = [np.prod(_moved(model, *pair, rcond)) for pair in pairs]
    whole = np.reshape(bounds, (*x.shape[:-2], 1, 1))
    return value, np.broadcast_to(whole, value.shape)


def lstsq(a: Array, b: Array, rcond: Any = None) -> Array:
    """The shortest vectors x for which a x is nearest to b.

    Shapes: a (m, n), b (m,) or (m, k); the result is (n,) or (n, k).
    """
    return _inverse(a, rcond) @ b.astype(np.longdouble)


def bounded_lstsq(model: Arithmetic, a: Array, b: Array, rcond: Any = None) -> Bounded:
    """Value and bound of `lstsq`.

    Shapes: a (m, n), b (m,) or (m, k); value and bound are (n,) or (n, k).
    """
    inverse = _inverse(a, rcond)
    value, wide = inverse @ b.astype(np.longdouble), b.astype(np.float64)
    size, part = _moved(model, a, inverse, rcond)
    residue = float(np.linalg.norm(wide - a.astype(np.float64) @ value.astype(np.float64)))
    length = float(np.linalg.norm(value.astype(np.float64)))
    bound = part * (length + size * residue + size * float(np.linalg.norm(wide)))
    return value, np.full(value.shape, bound)


def matrix_rank(x: Array, tol: Any = None) -> Array:
    """The number of singular values above a tolerance; without one, matrices have full rank.

    Shapes: x (..., m, n); the result is integer (...).
    """
    if tol is None:
        return np.full(x.shape[:-2], min(x.shape[-2:]))
    return np.asarray((_singular_values(x) > tol).sum(-1))


ORACLES: Mapping[str, Callable[..., Array]] = {
    "pinv": pinv,
    "lstsq": lstsq,
    "matrix_rank": matrix_rank,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "pinv": bounded_pinv,
    "lstsq": bounded_lstsq,
}
