"""Exact linear algebra of small matrices, and how far an elimination may stray from it.

Bounds are those of Gaussian elimination with partial pivoting (N. J. Higham, Accuracy and Stability
of Numerical Algorithms, 2002): what is computed solves a system whose matrix is off by at most
n^2 gamma_3n g |A| in the infinity norm (theorem 9.5), where the growth g is at most 2^(n - 1). With
e for that factor and k for the condition |A| |A^-1|, a solution is off by at most k e / (1 - k e)
of its norm (theorem 7.2), and a determinant by a factor from (1 - k e)^n to (1 + k e)^n, because
no eigenvalue of A^-1 dA is beyond k e.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array, Expectation

Rows = list[list[Fraction]]
LOGARITHM = 4
"""How many units in the last place a logarithm may be off, as OpenCL allows 3."""


def rows_of(matrix: Array) -> Rows:
    """The elements of a matrix as fractions, which they are."""
    return [[Fraction(float(element)) for element in row] for row in matrix]


def eliminated(matrix: Array, beside: Array) -> tuple[Fraction, Rows]:
    """The determinant, and the solution of each column beside; without one if that is 0."""
    rows = [[*a, *b] for a, b in zip(rows_of(matrix), rows_of(beside), strict=True)]
    determinant = Fraction(1)
    for place in range(len(rows)):
        pivot = next((r for r in range(place, len(rows)) if rows[r][place]), None)
        if pivot is None:
            return Fraction(0), []
        determinant *= _cleared(rows, place, pivot) * (1 if pivot == place else -1)
    return determinant, [row[len(rows) :] for row in rows]


def _cleared(rows: Rows, place: int, pivot: int) -> Fraction:
    """Put the pivot on the diagonal and clear its column elsewhere; the pivot."""
    rows[place], rows[pivot] = rows[pivot], rows[place]
    leading = rows[place][place]
    rows[place] = [element / leading for element in rows[place]]
    for r, row in enumerate(rows):
        if r != place and (factor := row[place]):
            rows[r] = [a - factor * b for a, b in zip(row, rows[place], strict=True)]
    return leading


def determinant(matrix: Array) -> Fraction:
    """The determinant of a square matrix."""
    return eliminated(matrix, np.zeros((len(matrix), 0)))[0]


def solution(matrix: Array, beside: Array) -> Array:
    """The solution of each column beside, to the precision of float64 or better.

    Shapes: matrix (n, n), beside (n, k); the result is (n, k).
    """
    rows = eliminated(matrix, beside)[1]
    return _array(rows, beside.shape)


def _array(rows: Iterable[Iterable[Fraction]], shape: tuple[int, ...]) -> Array:
    return np.array([[_wide(x) for x in row] for row in rows], np.longdouble).reshape(shape)


def _wide(x: Fraction) -> Any:
    high = np.longdouble(float(x))
    return high + np.longdouble(float(x - Fraction(float(x))))


def inverse(matrix: Array) -> Array:
    """The inverse of a matrix.

    Shapes: matrix (n, n); the result has its shape.
    """
    return solution(matrix, np.eye(len(matrix)))


def gamma(terms: float, dtype: str) -> float:
    """n u / (1 - n u), how far n roundings may lead."""
    steps = terms * float(np.finfo(dtype).eps) / 2
    return steps / (1 - steps)


def condition(matrix: Array) -> float:
    """|A| |A^-1| in the infinity norm."""
    return _norm(matrix) * _norm(inverse(matrix))


def _norm(matrix: Array) -> float:
    return float(np.abs(matrix).sum(-1).max())


def lost(matrix: Array, dtype: str) -> float:
    """k e, by which a matrix may seem to be another."""
    n = len(matrix)
    growth = 2.0 ** (n - 1)
    return condition(matrix) * n**2 * gamma(3 * n, dtype) * growth


def solved(matrix: Array, beside: Array, dtype: str) -> tuple[Array, Array]:
    """The solution and its bound, which is that of the largest element of all columns.

    Shapes: matrix (n, n), beside (n, k); value and bound are (n, k).
    """
    value = solution(matrix, beside)
    moved = lost(matrix, dtype)
    part = moved / (1 - moved) if moved < 1 else math.inf
    bound = np.full(value.shape, part * _norm(value.T) if value.size else 0.0)
    return value, bound + np.abs(value) * float(np.finfo(dtype).eps)


def bounded_determinant(matrix: Array, dtype: str) -> tuple[float, float]:
    """The determinant and its bound."""
    n, value = len(matrix), float(determinant(matrix))
    moved = lost(matrix, dtype)
    return value, abs(value) * ((1 + moved) ** n * (1 + gamma(n + 1, dtype)) - 1)


def bounded_logarithm(matrix: Array, dtype: str) -> tuple[float, float]:
    """The logarithm of a determinant's magnitude, and its bound.

    The pivots are at most g times the largest element, and their product is the determinant.
    Therefore none is below the rest of it.
    """
    n, size = len(matrix), abs(float(determinant(matrix)))
    largest = 2 ** (n - 1) * float(np.abs(matrix).max())
    logs = max(abs(math.log(largest)), abs(math.log(size) - (n - 1) * math.log(largest)))
    moved = lost(matrix, dtype)
    sums = n * gamma(n + LOGARITHM, dtype) * logs
    return math.log(size), sums - n * math.log1p(-moved)


def expectation(
    parts: Iterable[tuple[Any, Any]], shape: tuple[int, ...], dtype: str
) -> Expectation:
    """The values and bounds of several matrices as one expectation."""
    values, bounds = zip(*parts, strict=True)
    value = np.asarray(values, "float64").reshape(shape)
    return Expectation(value, np.asarray(bounds, "float64").reshape(shape), dtype)
