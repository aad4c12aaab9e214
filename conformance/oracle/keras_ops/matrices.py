"""Linear algebra of keras.ops: what is solved is computed in fractions, what is decomposed is put
together again.

Solutions, inverses and determinants have the bounds of Gaussian elimination (`oracle.rational`).
`cholesky`: L L^T is off by at most gamma(n + 1) / (1 - gamma(n + 1)) of sqrt(a_ii a_jj) (Higham
2002, theorem 10.3); two more roundings are those of a division by way of a reciprocal. The method
of Householder gives orthogonal factors of a matrix whose columns are off by gamma(c m n) of their
length. The small integer c (theorem 19.4) is `HOUSEHOLDER` here. Singular values and eigenvalues
need such factors from both sides, several times (`SWEEPS`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle import rational
from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.rational import gamma
from conformance.oracle.rounding import Arithmetic

Bounded = tuple[Array, Array]
HOUSEHOLDER = 12
"""Roundings for each element that a reflection touches: two of an inner product and an update, and
those of the reflection's own vector and factor."""
SWEEPS = 3
"""Reflections from the left, from the right, and the rotations that follow them."""


def _each(x: Array) -> Array:
    return x.reshape(-1, *x.shape[-2:])


def _of_each(function: Callable[[Array], Any], x: Array, shape: tuple[int, ...]) -> Array:
    values = [np.asarray(function(matrix), np.longdouble) for matrix in _each(x)]
    return np.array(values, np.longdouble).reshape(shape)


def _determinant(matrix: Array) -> float:
    return float(rational.determinant(matrix))


def det(x: Array) -> Array:
    """The determinant of each matrix.

    Shapes: x (..., n, n); the result is (...).
    """
    return _of_each(_determinant, x, x.shape[:-2])


def sign(x: Array) -> Array:
    """The sign of the determinant of each matrix.

    Shapes: x (..., n, n); the result is (...).
    """
    return np.sign(det(x))


def logdet(x: Array) -> Array:
    """The logarithm of the determinant's magnitude.

    Shapes: x (..., n, n); the result is (...).
    """
    return np.asarray(np.log(np.abs(det(x))))


def inv(x: Array, **_: Any) -> Array:
    """The inverse of each matrix.

    Shapes: x (..., n, n); the result has the shape of x.
    """
    return _of_each(rational.inverse, x, x.shape)


def solve(a: Array, b: Array) -> Array:
    """The solution of a x = b.

    Shapes: a (..., n, n), b (..., n) or (..., n, k); the result has the shape of b.
    """
    columns = b[..., np.newaxis] if b.ndim < a.ndim else b
    pairs = zip(_each(a), _each(columns), strict=True)
    values = [rational.solution(matrix, beside) for matrix, beside in pairs]
    return np.array(values, np.longdouble).reshape(b.shape)


def solve_triangular(a: Array, b: Array, lower: bool = False) -> Array:
    """The solution for the lower triangle of a, or the upper one.

    Shapes: a (..., n, n), b (..., n) or (..., n, k); the result has the shape of b.
    """
    return solve(np.tril(a) if lower else np.triu(a), b)


def _single(
    bound: Callable[[Array, str], tuple[Any, Any]], x: Array, model: Arithmetic
) -> list[Any]:
    return [bound(matrix, model.dtype)[1] for matrix in _each(x)]


def bounded_det(model: Arithmetic, x: Array) -> Bounded:
    """The determinant, and the bound of elimination.

    Shapes: x (..., n, n); value and bound are (...).
    """
    bound = _single(rational.bounded_determinant, x, model)
    return det(x), np.array(bound, np.float64).reshape(x.shape[:-2])


def bounded_logdet(model: Arithmetic, x: Array) -> Bounded:
    """The logarithm, and the bound of elimination.

    Shapes: x (..., n, n); value and bound are (...).
    """
    bound = _single(rational.bounded_logarithm, x, model)
    return logdet(x), np.array(bound, np.float64).reshape(x.shape[:-2])


def bounded_inv(model: Arithmetic, x: Array, **_: Any) -> Bounded:
    """The inverse, and the bound of elimination.

    Shapes: x (..., n, n); value and bound have the shape of x.
    """
    return bounded_solve(model, x, np.broadcast_to(np.eye(x.shape[-1]), x.shape))


def bounded_solve(model: Arithmetic, a: Array, b: Array) -> Bounded:
    """The solution, and the bound of elimination.

    Shapes: a (..., n, n), b (..., n) or (..., n, k); value and bound have the shape of b.
    """
    columns = b[..., np.newaxis] if b.ndim < a.ndim else b
    pairs = zip(_each(a), _each(columns), strict=True)
    parts = [rational.solved(matrix, beside, model.dtype) for matrix, beside in pairs]
    value, bound = (np.array([part[k] for part in parts]).reshape(b.shape) for k in range(2))
    return value, np.asarray(bound, np.float64)


def bounded_triangular(model: Arithmetic, a: Array, b: Array, lower: bool = False) -> Bounded:
    """The solution, and the bound of elimination.

    Shapes: a (..., n, n), b (..., n) or (..., n, k); value and bound have the shape of b.
    """
    return bounded_solve(model, np.tril(a) if lower else np.triu(a), b)


# Factors


def _in_a_row(parts: Sequence[Any]) -> Array:
    rows = [np.asarray(part, np.float64).reshape(-1) for part in parts]
    return np.asarray(np.concatenate(rows))


def _lengths(x: Array) -> Array:
    return np.asarray(np.sqrt(np.square(x.astype(np.longdouble)).sum(-2, keepdims=True)))


def _identities(x: Array, n: int) -> Array:
    return np.broadcast_to(np.eye(n), (*x.shape[:-2], n, n))


def factor(x: Array, **_: Any) -> Array:
    """The right evidence of a Cholesky factor.

    Shapes: x (..., n, n); the result is a row of all elements of `evidence_of_factor`.
    """
    return _in_a_row([x, np.zeros(x.shape), np.ones(x.shape[:-1])])


def evidence_of_factor(answer: Any, upper: Any = False, **_: Any) -> Any:
    """The product with the transpose, the other triangle, and the signs on the diagonal."""
    low = np.asarray(answer, np.longdouble)
    low = low.swapaxes(-1, -2) if upper else low
    signs = np.sign(np.diagonal(low, axis1=-2, axis2=-1))
    parts = [low @ low.swapaxes(-1, -2), np.triu(low, 1), signs]
    return np.concatenate([np.asarray(part, np.float64).reshape(-1) for part in parts])


def bounded_factor(model: Arithmetic, x: Array, **_: Any) -> Bounded:
    """Value and bound of `factor`.

    Shapes: x (..., n, n); value and bound have the shape of `factor`.
    """
    root = np.sqrt(np.diagonal(x, axis1=-2, axis2=-1).astype(np.longdouble))
    part = gamma(x.shape[-1] + 3, model.dtype)
    product = part / (1 - part) * root[..., :, None] * root[..., None, :]
    other = np.broadcast_to(part * root[..., :, None], x.shape)
    return factor(x), _in_a_row([product, other, np.zeros(x.shape[:-1])])


def _k(x: Array, mode: str) -> int:
    rows, columns = x.shape[-2:]
    return int(min(rows, columns) if mode == "reduced" else rows)


def qr(x: Array, mode: str = "reduced") -> Array:
    """The right evidence of q and r.

    Shapes: x (..., m, n); the result is a row of all elements of `evidence_of_qr`.
    """
    k = _k(x, mode)
    below = np.zeros((*x.shape[:-2], k, x.shape[-1]))
    return _in_a_row([x, _identities(x, k), below])


def evidence_of_qr(answer: Any, **_: Any) -> Any:
    """The product, that of the transpose of q with q, and what is below the diagonal of r."""
    q, r = (np.asarray(part, np.longdouble) for part in answer)
    parts = [q @ r, q.swapaxes(-1, -2) @ q, np.tril(r, -1)]
    return np.concatenate([np.asarray(part, np.float64).reshape(-1) for part in parts])


def bounded_qr(model: Arithmetic, x: Array, mode: str = "reduced") -> Bounded:
    """Value and bound of `qr`.

    Shapes: x (..., m, n); value and bound have the shape of `qr`.
    """
    (m, n), k = x.shape[-2:], _k(x, mode)
    lost = 3 * np.sqrt(n) * gamma(HOUSEHOLDER * m * n, model.dtype)
    columns = lost * _lengths(x)
    below = np.broadcast_to(columns, (*x.shape[:-2], k, n))
    whole = np.broadcast_to(columns, x.shape)
    return qr(x, mode), _in_a_row([whole, np.full((*x.shape[:-2], k, k), lost), below])


def spectral(x: Array, dtype: str) -> tuple[float, Array]:
    """How far a singular value or an eigenvalue may be off: as a part of the norm, and at all.

    Shapes: x (..., m, n); the results are a number and an array (...).
    """
    m, n = x.shape[-2:]
    lost = gamma(SWEEPS * HOUSEHOLDER * m * n, dtype)
    return lost, lost * np.sqrt(np.square(x.astype(np.float64)).sum((-2, -1)))


def _sides(x: Array, full_matrices: bool) -> tuple[int, int]:
    """How many vectors there are on the left and on the right."""
    m, n = x.shape[-2:]
    return (m, n) if full_matrices else (min(m, n), min(m, n))


def svd(x: Array, full_matrices: bool = True, **_: Any) -> Array:
    """The right evidence of u, s and v.

    Shapes: x (..., m, n); the result is a row of all elements of `evidence_of_svd`.
    """
    signs = np.zeros((*x.shape[:-2], min(x.shape[-2:])))
    left, right = _sides(x, full_matrices)
    return _in_a_row([x, _identities(x, left), _identities(x, right), signs])


def evidence_of_svd(answer: Any, x: Any, full_matrices: Any = True, **_: Any) -> Any:
    """The product, with the right vectors as rows or as columns; that of each side with its
    transpose, and how far singular values are below 0."""
    u, s, v = (np.asarray(part, np.longdouble) for part in answer)
    k, n = s.shape[-1], x.shape[-1]
    right = n if full_matrices else k
    scaled = u[..., :k] * s[..., None, :]
    rows = [side for side in (v, v.swapaxes(-1, -2)) if side.shape[-2:] == (right, n)]
    rows = rows or [v.reshape(*x.shape[:-2], right, n)]
    near = min(rows, key=lambda side: float(np.abs(scaled @ side[..., :k, :] - x).max(initial=0)))
    parts = [scaled @ near[..., :k, :], u.swapaxes(-1, -2) @ u, near @ near.swapaxes(-1, -2)]
    parts.append(np.minimum(s, 0))
    return np.concatenate([np.asarray(part, np.float64).reshape(-1) for part in parts])


def bounded_svd(model: Arithmetic, x: Array, full_matrices: bool = True, **_: Any) -> Bounded:
    """Value and bound of `svd`.

    Shapes: x (..., m, n); value and bound have the shape of `svd`.
    """
    lost, bound = spectral(x, model.dtype)
    lengths = zip(_sides(x, full_matrices), x.shape[-2:], strict=True)
    sides = [np.full((*x.shape[:-2], k, k), 3 * np.sqrt(n) * lost) for k, n in lengths]
    product = np.broadcast_to(4 * bound[..., None, None], x.shape)
    signs = np.zeros((*x.shape[:-2], min(x.shape[-2:])))
    return svd(x, full_matrices), _in_a_row([product, *sides, signs])


def eigh(x: Array) -> Array:
    """The right evidence of eigenvalues and vectors.

    Shapes: x (..., n, n); the result is a row of all elements of `evidence_of_eigh`.
    """
    values = np.linalg.eigvalsh(x.astype(np.float64))
    return _in_a_row([values, np.zeros(x.shape), np.ones(values.shape)])


def evidence_of_eigh(answer: Any, x: Any) -> Any:
    """The eigenvalues in ascending order, what the matrix makes of each vector of length 1 less its
    eigenvalue times the vector, and whether there is a vector."""
    w, v = (np.asarray(part, np.longdouble) for part in answer)
    lengths = np.sqrt(np.square(v).sum(-2, keepdims=True))
    v = v / np.where(lengths > 0, lengths, 1)
    parts = [np.sort(w, -1), x.astype(np.longdouble) @ v - v * w[..., None, :], lengths > 0]
    return np.concatenate([np.asarray(part, np.float64).reshape(-1) for part in parts])


def bounded_eigh(model: Arithmetic, x: Array) -> Bounded:
    """Value and bound of `eigh`.

    Shapes: x (..., n, n); value and bound are rows of all elements of `evidence_of_eigh`.
    """
    bound = spectral(x, model.dtype)[1]
    values = np.broadcast_to(2 * bound[..., None], x.shape[:-1])
    vectors = np.broadcast_to(4 * bound[..., None, None], x.shape)
    return eigh(x), _in_a_row([values, vectors, np.zeros(x.shape[:-1])])


def eig(x: Array) -> Array:
    """The evidence of right eigenvalues and eigenvectors of matrices (..., n, n)."""
    wide, power = x.astype(np.longdouble), np.eye(x.shape[-1], dtype=np.longdouble)
    sums = []
    for _ in range(x.shape[-1]):
        power = power @ wide
        sums.append(np.trace(power, axis1=-2, axis2=-1))
    powers = np.stack(sums, -1)
    nothing = np.zeros((2, *x.shape))
    return _in_a_row([powers, np.zeros(powers.shape), nothing, np.ones(powers.shape)])


def evidence_of_eig(answer: Any, x: Any) -> Any:
    """Sums of the powers 1 to n of the eigenvalues, the rest x v - v w of each vector of length 1,
    and whether there is a vector."""
    parts = [np.asarray(part, np.longdouble) for part in answer]
    w, v = parts[0] + 1j * parts[1], parts[2] + 1j * parts[3]
    lengths = np.sqrt(np.square(np.abs(v)).sum(-2, keepdims=True))
    v = v / np.where(lengths > 0, lengths, 1)
    powers = np.stack([(w**k).sum(-1) for k in range(1, x.shape[-1] + 1)], -1)
    far = x.astype(np.longdouble) @ v - v * w[..., None, :]
    evidence = [powers.real, powers.imag, far.real, far.imag, lengths > 0]
    return np.concatenate([np.asarray(part, np.float64).reshape(-1) for part in evidence])


def bounded_eig(model: Arithmetic, x: Array) -> Bounded:
    """The evidence of right eigenvalues and eigenvectors of matrices (..., n, n), with bounds.

    The eigenvalues are those of x + E with ||E|| of at most `spectral` (Golub and Van Loan, Matrix
    Computations, 2013, section 7.5.6). The sum of their powers k, the trace of (x + E)^k, is then
    within n ((||x|| + ||E||)^k - ||x||^k) of that of x^k.
    """
    n = x.shape[-1]
    lost, bound = spectral(x, model.dtype)
    norm = np.sqrt(np.square(x.astype(np.float64)).sum((-2, -1)))[..., None]
    exponents = np.arange(1, n + 1)
    powers = n * norm**exponents * np.expm1(2 * exponents * np.log1p(lost))
    far = np.broadcast_to(4 * bound[..., None, None], (2, *x.shape))
    return eig(x), _in_a_row([powers, powers, far, np.zeros(x.shape[:-1])])


def lu_factor(x: Array) -> Array:
    """The right evidence of triangular factors and pivots.

    Shapes: x (..., n, n); the result is a row of as many elements as x has.
    """
    return np.zeros(x.size)


def evidence_of_lu(answer: Any, x: Any) -> Any:
    """The product of the factors less x in the order that the pivots tell, as a part of the product
    of the magnitudes; infinite where pivots tell no order.

    Pivots may be the order of the rows, the place of each row, or exchanges in turn, from 0 or 1.
    """
    both, pivots = (np.asarray(part) for part in answer)
    n, parts = x.shape[-1], []
    for factors, places, matrix in zip(
        both.reshape(-1, n, n), pivots.reshape(-1, n), x.reshape(-1, n, n), strict=True
    ):
        wide = factors.astype(np.longdouble)
        low, high = np.tril(wide, -1) + np.eye(n), np.triu(wide)
        size, best = np.abs(low) @ np.abs(high), np.full((n, n), np.inf)
        for base in (0, 1):
            numbers = [int(place) - base for place in places]
            if not all(0 <= number < n for number in numbers):
                continue
            exchanged = list(range(n))
            for row, other in enumerate(numbers):
                exchanged[row], exchanged[other] = exchanged[other], exchanged[row]
            orders = [exchanged]
            if sorted(numbers) == list(range(n)):
                orders += [numbers, [numbers.index(row) for row in range(n)]]
            for order in orders:
                far = (low @ high - matrix[order]) / np.where(size > 0, size, 1)
                best = far if np.abs(far).max() < np.abs(best).max() else best
        parts.append(best.reshape(-1))
    return np.concatenate([np.zeros(0), *parts]).astype(np.float64)


def bounded_lu(model: Arithmetic, x: Array) -> Bounded:
    """Value and bound of `lu_factor` (Higham 2002, theorem 9.3).

    Shapes: x (..., n, n); value and bound have the shape of `lu_factor`.
    """
    return lu_factor(x), np.full(x.size, gamma(x.shape[-1] + 2, model.dtype))


ORACLES: Mapping[str, Callable[..., Array]] = {
    "det": det,
    "slogdet.sign": sign,
    "slogdet.logarithm": logdet,
    "logdet": logdet,
    "inv": inv,
    "cholesky_inverse": inv,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "cholesky": factor,
    "qr.q": qr,
    "qr.r": qr,
    "svd.u": svd,
    "svd.s": svd,
    "svd.v": svd,
    "svd.few_v": svd,
    "eigh.eigenvalues": eigh,
    "eigh.eigenvectors": eigh,
    "eig.eigenvalues_real": eig,
    "eig.eigenvalues_imag": eig,
    "eig.eigenvectors_real": eig,
    "eig.eigenvectors_imag": eig,
    "lu_factor.factors": lu_factor,
    "lu_factor.pivots": lu_factor,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "det": bounded_det,
    "slogdet.logarithm": bounded_logdet,
    "logdet": bounded_logdet,
    "inv": bounded_inv,
    "cholesky_inverse": bounded_inv,
    "solve": bounded_solve,
    "solve_triangular": bounded_triangular,
    "cholesky": bounded_factor,
    "qr.q": bounded_qr,
    "qr.r": bounded_qr,
    "svd.u": bounded_svd,
    "svd.s": bounded_svd,
    "svd.v": bounded_svd,
    "svd.few_v": bounded_svd,
    "eigh.eigenvalues": bounded_eigh,
    "eigh.eigenvectors": bounded_eigh,
    "eig.eigenvalues_real": bounded_eig,
    "eig.eigenvalues_imag": bounded_eig,
    "eig.eigenvectors_real": bounded_eig,
    "eig.eigenvectors_imag": bounded_eig,
    "lu_factor.factors": bounded_lu,
    "lu_factor.pivots": bounded_lu,
}
_OF_QR = Evidence(evidence_of_qr, "[q r, q^T q, the part of r below the diagonal], flattened")
_OF_SVD = Evidence(evidence_of_svd, "[u s v, u^T u, v v^T, the negative part of s], flattened")
_OF_EIGH = Evidence(
    evidence_of_eigh, "[the eigenvalues in order, x v - v w, 1 for each vector], flattened"
)
_OF_EIG = Evidence(
    evidence_of_eig,
    "[the sums of the powers of the eigenvalues, x v - v w, 1 for each vector], flattened",
)
_OF_LU = Evidence(evidence_of_lu, "p l u - x, divided by the size of x and flattened", like="x")
EVIDENCE: Mapping[str, Evidence] = {
    "cholesky": Evidence(
        evidence_of_factor, "[the product of the factors, the other triangle, the signs], flattened"
    ),
    "qr.q": _OF_QR,
    "qr.r": _OF_QR,
    "svd.u": _OF_SVD,
    "svd.s": _OF_SVD,
    "svd.v": _OF_SVD,
    "svd.few_v": _OF_SVD,
    "eigh.eigenvalues": _OF_EIGH,
    "eigh.eigenvectors": _OF_EIGH,
    "eig.eigenvalues_real": _OF_EIG,
    "eig.eigenvalues_imag": _OF_EIG,
    "eig.eigenvectors_real": _OF_EIG,
    "eig.eigenvectors_imag": _OF_EIG,
    "lu_factor.factors": _OF_LU,
    "lu_factor.pivots": _OF_LU,
}
