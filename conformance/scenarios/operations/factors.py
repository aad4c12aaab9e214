"""More of keras.ops.linalg: pseudo-inverses, least squares, and factors of a square matrix.

What is right comes of exact fractions. A pseudo-inverse and a solution of least squares move with
the matrix as Wedin's theorem says (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
2002, theorem 20.1), and the matrix by what the reflections of a decomposition lose.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation, rational
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.model import Array, Family, Problem
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    a_dtype,
    families,
    one,
    shaped,
    small,
)
from conformance.scenarios.operations.matrices import (
    Spread,
    a_batch,
    close_to,
    parts_of,
    regular,
    spectral,
    spread,
)

X, A, B = Ref("x"), Ref("a"), Ref("b")
WEDIN = 4
"""Twice what the theorem needs to first order: its second order, and the products that follow."""
CUT = 0.01


def _of_full_rank(draw: DrawFn, dtype: str) -> Array:
    """A matrix with at least as many rows as columns, or the transpose of one."""
    n = draw(st.integers(1, 4))
    square = regular(draw, (), n, dtype)
    x = np.concatenate([square, small(draw, (draw(st.integers(0, 3)), n), dtype, 2)])
    return np.ascontiguousarray(x.T) if draw(st.booleans()) else x


def pseudo_inverse(x: Array) -> Array:
    """The exact one of a matrix of full rank."""
    tall = x.shape[0] >= x.shape[1]
    wide = x.astype("float64")
    if tall:
        return rational.solution(wide.T @ wide, wide.T)
    return rational.solution(wide @ wide.T, wide).T


def _moved(x: Array, inverse: Array, dtype: str) -> tuple[float, float]:
    """How large the pseudo-inverse is, and by which part of that it may be off."""
    size = float(np.linalg.norm(inverse.astype("float64"), 2))
    lost, _ = spectral(x, dtype)
    return size, WEDIN * lost * float(np.linalg.norm(x.astype("float64"))) * size


GAP = 2
"""More than what moves of singular vectors that are cut: as much as the part of the smallest kept
singular value that is between it and the next (8/7), times what the theorem has."""


def _pinv(draw: DrawFn) -> Call:
    dtype = a_dtype(draw)
    kwargs: dict[str, Argument] = {}
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return _cut(draw, dtype)
    if kind == 1:
        x, inverse = _of_rank_one(draw, dtype)
        kwargs = {"rcond": CUT}
    else:
        x = _of_full_rank(draw, dtype)
        inverse = pseudo_inverse(x)
    size, part = _moved(x, inverse, dtype)
    value = inverse.astype("float64")
    expected = Expectation(value, np.full(value.shape, size * part), dtype)
    return one({"x": x}, X, gives=close_to(expected), **kwargs)


def _of_rank_one(draw: DrawFn, dtype: str) -> tuple[Array, Array]:
    """A matrix of rank one and its pseudo-inverse."""
    u, v = (1 + np.abs(small(draw, (draw(st.integers(2, 4)),), dtype)) for _ in range(2))
    return np.outer(u, v), np.outer(v, u) / np.longdouble((u @ u) * (v @ v))


def _cut(draw: DrawFn, dtype: str) -> Call:
    """A ratio between those of singular values to the largest, of each matrix by itself."""
    made = spread(draw)
    kept = draw(st.integers(1, len(made.values)))
    scales = np.array(draw(st.sampled_from(((1,), (1, 1024), (1024, 1)))), "float64")
    x = (made.x / scales[:, None, None]).astype(dtype)
    inverse = scales[:, None, None] * made.inverse(kept)
    pairs = zip(x, inverse, strict=True)
    far = [GAP * size * part for size, part in (_moved(*pair, dtype) for pair in pairs)]
    value = inverse.astype("float64")
    bound = np.broadcast_to(np.reshape(far, (-1, 1, 1)), value.shape)
    place = 0 if len(scales) == 1 else slice(None)
    expected = Expectation(value[place], bound[place], dtype)
    found = one({"x": x[place]}, X, gives=close_to(expected), rcond=_ratio(made, kept))
    return replace(found, about="a ratio between singular values")


def _ratio(made: Spread, kept: int) -> float:
    return round(made.between(kept) / float(made.values.max()), 4)


def _cut_off(draw: DrawFn, dtype: str) -> Call:
    """Of columns at right angles, of which the least are left alone by any decomposition: how the
    rank takes part in the solution, the docstring does not say."""
    made = spread(draw, columns=True)
    kept = draw(st.integers(1, len(made.values)))
    a, inverse = made.x.astype(dtype), made.inverse(kept)
    b = small(draw, (len(a), *draw(st.sampled_from(((), (1,), (3,))))), dtype)
    value = (inverse @ b).astype("float64")
    size, part = _moved(a, inverse, dtype)
    far = (GAP + 1) * part * size * float(np.linalg.norm(b.astype("float64")))
    expected = Expectation(value, np.full(value.shape, far), dtype)
    found = one({"a": a, "b": b}, A, B, gives=close_to(expected), rcond=_ratio(made, kept))
    return replace(found, about="a ratio between singular values")


def _lstsq(draw: DrawFn) -> Call:
    dtype = a_dtype(draw)
    if draw(st.integers(0, 2)) == 0:
        return _cut_off(draw, dtype)
    a = _of_full_rank(draw, dtype)
    columns = draw(st.sampled_from(((), (1,), (2,), (3,))))
    b = small(draw, (a.shape[0], *columns), dtype)
    inverse = pseudo_inverse(a)
    wanted = inverse @ b
    size, part = _moved(a, inverse, dtype)
    left = np.linalg.norm((b - a @ wanted).astype("float64"))
    far = part * (np.linalg.norm(wanted.astype("float64")) + size * left)
    far += part * size * float(np.linalg.norm(b.astype("float64")))
    value = wanted.astype("float64")
    expected = Expectation(value, np.full(value.shape, float(far)), dtype)
    return one({"a": a, "b": b}, A, B, gives=close_to(expected))


def _lu_factor(draw: DrawFn) -> Call:
    """The docstring does not say how the pivots tell the order of the rows: as the order, or the
    place of each row in it, or rows that are exchanged in turn; counted from 0 or from 1."""
    n = draw(st.integers(1, 4))
    x = regular(draw, a_batch(draw), n, a_dtype(draw))

    def are_factors(dtype: str, both: Array, pivots: Array) -> Problem | None:
        whole = zip(both.reshape(-1, n, n), pivots.reshape(-1, n), x.reshape(-1, n, n), strict=True)
        return next(filter(None, (_wrong(dtype, *one) for one in whole)), None)

    said = "triangular matrices of which the product is x with its rows in another order"
    results = shaped(x.shape, said), shaped(x.shape[:-1], "")
    return parts_of(x, results, are_factors, said)


def _wrong(dtype: str, both: Array, pivots: Array, x: Array) -> Problem | None:
    n = len(x)
    wide = both.astype("longdouble")
    low, high = np.tril(wide, -1) + np.eye(n), np.triu(wide)
    bound = gamma(n + 2, dtype) * (np.abs(low) @ np.abs(high))
    fits = [
        [*order]
        for order in itertools.permutations(range(n))
        if (np.abs(low @ high - x[[*order]]) <= bound).all()
    ]
    if not fits:
        return Problem("gives factors of another matrix", "product", got=both)
    told = [order for base in (0, 1) for order in orders(pivots - base)]
    if any(order in fits for order in told):
        return None
    return Problem("gives pivots of another order", "pivots", got=pivots)


def orders(pivots: Array) -> list[list[int]]:
    """The orders of rows that pivots may tell: as it is, turned round, and by exchanges."""
    n = len(pivots)
    listed = [int(place) for place in pivots]
    if any(not 0 <= place < n for place in listed):
        return []
    exchanged = [*range(n)]
    for row, other in enumerate(listed):
        exchanged[row], exchanged[other] = exchanged[other], exchanged[row]
    found = [exchanged]
    if sorted(listed) == [*range(n)]:
        found += [listed, [listed.index(row) for row in range(n)]]
    return found


FUNCTIONS: tuple[Function, ...] = (
    Function("keras.ops.pinv", _pinv),
    Function("keras.ops.lstsq", _lstsq),
    Function("keras.ops.lu_factor", _lu_factor),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
