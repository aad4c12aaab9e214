"""Calls of keras.ops.linalg: what is solved is compared, what is decomposed is put together again.

A solution, an inverse or a determinant is compared with exact arithmetic of fractions. A
decomposition is not unique; the matrix that its factors give is. Householder's method gives
orthogonal factors of a matrix whose columns are off by gamma(c m n) of their length for a small
integer c (Higham 2002, theorem 19.4), here `HOUSEHOLDER`; singular values and eigenvalues come by
such factors from both sides, several times (`SWEEPS`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.observations import Value
from conformance.oracle import Expectation, rational
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, agrees_with, has_shape, shown
from conformance.scenarios.model import INACCURATE, Array, Family, Problem, Values
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    exact,
    families,
    many,
    one,
    shaped,
    small,
)
from conformance.specs.convention_names import ConventionName

X = Ref("x")
HOUSEHOLDER = 12
"""Roundings for each element that a reflection touches: two of an inner product and an update,
and those of the reflection's own vector and factor."""
SWEEPS = 3
"""Reflections from the left, from the right, and the rotations that follow them."""


def a_batch(draw: DrawFn) -> tuple[int, ...]:
    """The axes before those of a matrix; mostly none."""
    return draw(st.sampled_from(((), (), (2,), (2, 3))))


def regular(draw: DrawFn, batch: tuple[int, ...], n: int, dtype: str) -> Array:
    """Matrices of small integers that dominate in one place of each row, in any order of rows."""
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    matrices = generator.integers(-1, 2, (*batch, n, n)).reshape(-1, n, n)
    for matrix in matrices:
        place = np.arange(n)
        matrix[place, place] = generator.choice((-1, 1), n) * generator.integers(n, n + 3, n)
        matrix[:] = matrix[generator.permutation(n)]
    return matrices.reshape(*batch, n, n).astype(dtype)


def _definite(draw: DrawFn, batch: tuple[int, ...], n: int, dtype: str) -> Array:
    """Symmetric positive definite matrices of small integers."""
    factor = small(draw, (*batch, n, n), "float64", 2)
    return (factor @ factor.swapaxes(-1, -2) + np.eye(n)).astype(dtype)


def close_to(expected: Expectation) -> Result:
    """A result within the bounds of an expectation."""
    said = np.array2string(expected.value, threshold=12, precision=6)
    return Result(
        expected.value.shape,
        agrees_with(expected),
        demands=" ".join(said.split()),
    )


def _each(x: Array) -> Array:
    return x.reshape(-1, *x.shape[-2:])


def _of_each(
    made: Callable[..., Array],
    bounded: Callable[[Array, str], tuple[Any, Any]],
    *,
    keeps_shape: bool,
    batched: bool = True,
) -> Callable[[DrawFn], Call]:
    """Calls of a matrix that are answered matrix by matrix."""

    def drawn(draw: DrawFn) -> Call:
        batch, dtype = a_batch(draw) if batched else (), a_dtype(draw)
        x = made(draw, batch, draw(st.integers(1, 4)), dtype)
        shape = x.shape if keeps_shape else batch
        parts = (bounded(matrix, dtype) for matrix in _each(x))
        return one({"x": x}, X, gives=close_to(rational.expectation(parts, shape, dtype)))

    return drawn


def _inverse(matrix: Array, dtype: str) -> tuple[Array, Array]:
    return rational.solved(matrix, np.eye(len(matrix)), dtype)


def _cholesky_inverse(draw: DrawFn) -> Call:
    """By either factor the inverse is the same."""
    made = _of_each(_definite, _inverse, keeps_shape=True)(draw)
    upper = draw(st.sampled_from((None, True, False)))
    return made if upper is None else replace(made, kwargs={"upper": upper}, about=f"{upper=}")


def _slogdet(draw: DrawFn) -> Call:
    dtype = a_dtype(draw)
    x = regular(draw, (), draw(st.integers(1, 4)), dtype)
    sign = 1.0 if rational.determinant(x) > 0 else -1.0
    logarithm = rational.expectation([rational.bounded_logarithm(x, dtype)], (), dtype)
    return many({"x": x}, X, gives=[exact(np.float64(sign)), close_to(logarithm)])


def _solve(draw: DrawFn) -> Call:
    batch, n, dtype = a_batch(draw), draw(st.integers(1, 4)), a_dtype(draw)
    return _solving(draw, regular(draw, batch, n, dtype))


def _solving(draw: DrawFn, a: Array, **given: Any) -> Call:
    """A vector stands beside one matrix only: beside several, the docstring allows two readings."""
    columns = draw(st.integers(1, 3))
    vector = a.ndim == 2 and draw(st.booleans())
    shape = a.shape[:-1] if vector else (*a.shape[:-1], columns)
    b, dtype = small(draw, shape, a.dtype.name), a.dtype.name
    sides = b.reshape(-1, a.shape[-1], 1 if vector else columns)
    pairs = zip(_each(a), sides, strict=True)
    parts = (rational.solved(matrix, beside, dtype) for matrix, beside in pairs)
    wanted = rational.expectation(parts, shape, dtype)
    return one({"a": a, "b": b}, Ref("a"), Ref("b"), gives=close_to(wanted), **given)


def _solve_triangular(draw: DrawFn) -> Call:
    batch, n, lower = a_batch(draw), draw(st.integers(1, 4)), draw(st.booleans())
    a = small(draw, (*batch, n, n), a_dtype(draw), 1)
    place = np.arange(n)
    a[..., place, place] = n + np.abs(a[..., place, place])
    return _solving(draw, np.tril(a) if lower else np.triu(a), lower=lower)


def _cholesky(draw: DrawFn) -> Call:
    """L L^T is off by at most gamma(n + 1) / (1 - gamma(n + 1)) of sqrt(a_ii a_jj) (Higham 2002,
    theorem 10.3); two more roundings are those of a division by way of a reciprocal."""
    x = _definite(draw, a_batch(draw), draw(st.integers(1, 4)), a_dtype(draw))
    upper = draw(st.booleans())
    root = np.sqrt(np.diagonal(x, axis1=-2, axis2=-1).astype("longdouble"))

    def is_factor(dtype: str, found: Array) -> Problem | None:
        factor = gamma(x.shape[-1] + 3, dtype)
        bound = factor / (1 - factor) * root[..., :, None] * root[..., None, :]
        low = (_turned(found) if upper else found).astype("longdouble")
        if (np.abs(np.triu(low, 1)) > factor * root[..., :, None]).any():
            return Problem("gives no triangular matrix", "triangle", got=found)
        if (np.diagonal(low, axis1=-2, axis2=-1) <= 0).any():
            return Problem("gives a diagonal that is not positive", "diagonal", got=found)
        return _near(low @ _turned(low), x, bound, found)

    kind = "upper" if upper else "lower"
    said = f"the {kind} triangular matrix whose product with its transpose is x"
    gives = shaped(x.shape, said)
    return Call(
        {"x": x},
        (X,),
        {"upper": upper},
        results=(gives,),
        whole=by_dtype(is_factor, x.dtype.name),
        demands=said,
    )


def by_dtype(test: Callable[..., Problem | None], dtype: str) -> Any:
    """The test with the bounds of a dtype; what float64 has within those of float32 is
    inaccurate, which no docstring forbids."""

    def tested(*found: Array) -> Problem | None:
        problem = test(dtype, *found)
        if problem is None or dtype != "float64" or test("float32", *found) is not None:
            return problem
        conventions = (ConventionName.ACCURACY,)
        return replace(problem, detail=INACCURATE, conventions=conventions)

    return tested


def _turned(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def _near(product: Array, x: Array, bound: Any, found: Array) -> Problem | None:
    far = np.abs(product - x)
    if (far <= bound).all():
        return None
    said = f"gives factors of another matrix, off by {float(far.max()):.3g}"
    return Problem(said, "product", got=found)


def _rectangular(draw: DrawFn) -> Array:
    sizes = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return small(draw, (*a_batch(draw), *sizes), a_dtype(draw))


def _orthonormal(q: Array, bound: float) -> Problem | None:
    """Whether the columns are orthonormal."""
    q = q.astype("longdouble")
    far = float(np.abs(_turned(q) @ q - np.eye(q.shape[-1])).max(initial=0))
    if far <= bound:
        return None
    return Problem(f"gives vectors that are not orthonormal by {far:.3g}", "orthonormal")


def parts_of(
    x: Array,
    results: Sequence[Result],
    test: Callable[..., Problem | None],
    said: str,
    **kwargs: Argument,
) -> Call:
    """A call that takes x apart, with a test of all parts and of what a dtype allows."""
    whole = by_dtype(test, x.dtype.name)
    return Call(
        {"x": x}, (X,), kwargs, results=(*results,), whole=whole, demands=said, several=True
    )


def _qr(draw: DrawFn) -> Call:
    x = _rectangular(draw)
    m, n = x.shape[-2:]
    mode = draw(st.sampled_from(("reduced", "complete")))
    k = min(m, n) if mode == "reduced" else m
    lengths = np.sqrt(np.square(x.astype("longdouble")).sum(-2, keepdims=True))

    def are_factors(dtype: str, q: Array, r: Array) -> Problem | None:
        lost = 3 * np.sqrt(n) * gamma(HOUSEHOLDER * m * n, dtype)
        problem = _orthonormal(q, lost)
        if problem is None and (np.abs(np.tril(r, -1)) > lost * lengths).any():
            problem = Problem("gives no upper triangular matrix", "triangle", got=r)
        return problem or _near(q.astype("longdouble") @ r, x, lost * lengths, q)

    said = "an orthogonal and an upper triangular matrix whose product is x"
    shapes = (*x.shape[:-1], k), (*x.shape[:-2], k, n)
    results = tuple(shaped(shape, said if place == 0 else "") for place, shape in enumerate(shapes))
    return parts_of(x, results, are_factors, said, mode=mode)


def spectral(x: Array, dtype: str) -> tuple[float, Array]:
    """How far a singular value or an eigenvalue may be off: as a part of the norm, and at all."""
    m, n = x.shape[-2:]
    lost = gamma(SWEEPS * HOUSEHOLDER * m * n, dtype)
    return lost, lost * np.sqrt(np.square(x.astype("float64")).sum((-2, -1)))


def _svd(*, full: bool) -> Callable[[DrawFn], Call]:
    """The docstring does not say whether the right vectors are columns or rows; of those that are
    not full, as many are left as there are singular values."""

    def drawn(draw: DrawFn) -> Call:
        x = _rectangular(draw)
        m, n = x.shape[-2:]
        k = min(m, n)
        left, right = (m, n) if full else (k, k)

        def are_factors(dtype: str, u: Array, s: Array, v: Array) -> Problem | None:
            lost, bound = spectral(x, dtype)
            sides = [side for side in (v, _turned(v)) if side.shape[-2:] == (n, right)]
            problem = _orthonormal(u, 3 * np.sqrt(m) * lost)
            problem = problem or _orthonormal(sides[0], 3 * np.sqrt(n) * lost)
            if problem is not None or (s < 0).any():
                return problem or Problem("gives a singular value below 0", "negative", got=s)
            scaled, near = u[..., :k].astype("longdouble") * s[..., None, :], 4 * bound
            products = (scaled @ _turned(side)[..., :k, :] for side in sides)
            found = [_near(product, x, near[..., None, None], s) for product in products]
            return None if None in found else found[0]

        said = "orthogonal factors and what is on the diagonal between them, which give x"
        batch = x.shape[:-2]
        rows = Result((*batch, right, n), _turned_or_not((*batch, right, n)), demands="")
        results = shaped((*batch, m, left), said), shaped((*batch, k), ""), rows
        kwargs: dict[str, Argument] = {} if full else {"full_matrices": False}
        return parts_of(x, results, are_factors, said, **kwargs)

    return drawn


def _turned_or_not(shape: tuple[int, ...]) -> Test:
    turned = has_shape((*shape[:-2], shape[-1], shape[-2]))

    def tested(values: Values) -> Problem | None:
        return None if turned(values) is None else has_shape(shape)(values)

    return tested


def _singular_values(draw: DrawFn) -> Call:
    """In any order, alone or with nothing in the places of the vectors."""
    x = _rectangular(draw)
    wanted = np.sort(np.linalg.svd(x.astype("float64"), compute_uv=False), -1)

    def are_values(values: Values) -> Problem | None:
        arrays = [value.array for value in values if value.array is not None]
        if len(arrays) != 1 or arrays[0].shape != wanted.shape:
            return Problem(f"gives {[array.shape for array in arrays]}", "shape")
        test = agrees_with(Expectation(wanted, _spectral_bounds(x, wanted), x.dtype.name))
        got = np.sort(arrays[0], -1)
        return test((Value(got, got.dtype.name, "ndarray"),))

    said = f"singular values and no vectors: {shown(wanted)}"
    given: dict[str, Argument] = {"compute_uv": False}
    return Call({"x": x}, (X,), given, results=(), test=are_values, demands=said)


def _spectral_bounds(x: Array, values: Array) -> Array:
    bound = 2 * spectral(x, x.dtype.name)[1]
    return np.broadcast_to(np.asarray(bound)[..., None], values.shape)


def _eigh(draw: DrawFn) -> Call:
    n = draw(st.integers(1, 4))
    half = small(draw, (*a_batch(draw), n, n), a_dtype(draw))
    x = half + _turned(half)
    wanted = np.linalg.eigvalsh(x.astype("float64"))

    def are_eigenvectors(dtype: str, w: Array, v: Array) -> Problem | None:
        bound = spectral(x, dtype)[1]
        if (np.abs(np.sort(w, -1) - wanted) > 2 * bound[..., None]).any():
            return Problem("gives other eigenvalues", "eigenvalues", got=w, expected=wanted)
        v = v.astype("longdouble")
        lengths = np.sqrt(np.square(v).sum(-2))
        far = np.sqrt(np.square(x @ v - v * w[..., None, :]).sum(-2))
        if (lengths > 0).all() and (far <= 4 * bound[..., None] * lengths).all():
            return None
        return Problem("gives vectors that are no eigenvectors", "eigenvectors", got=v)

    said = "eigenvalues and vectors that x multiplies by them"
    results = (shaped(x.shape[:-1], said), shaped(x.shape, ""))
    return parts_of(x, results, are_eigenvectors, said)


SPREAD = (64, 8, 1)
"""How far singular values lie apart: no rounding moves one beyond a tolerance between them."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Columns at right angles on both sides, and whole numbers that those of the left are times."""

    left: Array
    values: Array
    right: Array

    @property
    def x(self) -> Array:
        """The product, which is a matrix of whole numbers."""
        return np.asarray(self.left * self.values @ self.right.T)

    @property
    def length(self) -> float:
        """What the numbers are multiplied by in a singular value."""
        return float(np.sqrt((self.left[:, 0] ** 2).sum() * (self.right[:, 0] ** 2).sum()))

    def inverse(self, kept: int) -> Array:
        """The pseudo-inverse without all but the largest singular values."""
        few = np.where(self.values >= np.sort(self.values)[-kept], 1 / self.values, 0)
        return np.asarray(self.right * few @ self.left.T / np.longdouble(self.length) ** 2)

    def between(self, kept: int) -> float:
        """A number in the middle between the last that is kept and the next one."""
        ordered = np.sort(self.values)[::-1]
        following = ordered[kept] if kept < len(ordered) else ordered[-1] / SPREAD[1]
        return float(np.sqrt(ordered[kept - 1] * following))


def spread(draw: DrawFn, *, columns: bool = False) -> Spread:
    """Two or three singular values; perhaps of a matrix whose columns are orthogonal."""
    pair = np.array([[1, 1], [1, -1]])
    signs = {2: pair, 4: np.kron(pair, pair)}
    m, n = (signs[draw(st.sampled_from((4, 2)))] for _ in range(2))
    count = draw(st.integers(2, min(3, len(m), len(n))))
    values = np.array(draw(st.permutations(SPREAD))[:count])
    right = np.eye(count, dtype=int) if columns else n[:, draw(st.permutations(range(len(n))))]
    return Spread(m[:, draw(st.permutations(range(len(m))))][:, :count], values, right[:, :count])


def _matrix_rank(draw: DrawFn) -> Call:
    """The tolerance lies far from all singular values, which numbers of so few digits allow."""
    if draw(st.booleans()):
        return _rank_above(draw)
    m, n, r = (draw(st.integers(1, 4)) for _ in range(3))
    batch, dtype = a_batch(draw), a_dtype(draw)
    x = small(draw, (*batch, m, r), dtype, 2) @ small(draw, (*batch, r, n), dtype, 2)
    values = np.linalg.svd(x.astype("float64"), compute_uv=False)
    tolerance = 0.01 if (values[values > 1e-6] > 0.1).all() else 1e4
    rank = (values > tolerance).sum(-1)
    return one({"x": x}, X, tol=tolerance, gives=exact(np.asarray(rank)))


def _rank_above(draw: DrawFn) -> Call:
    """A tolerance between two singular values: no part of the largest, but a number."""
    made = spread(draw)
    rank = draw(st.integers(1, len(made.values)))
    x, tolerance = made.x.astype(a_dtype(draw)), round(made.length * made.between(rank), 3)
    found = one({"x": x}, X, tol=tolerance, gives=exact(np.asarray(rank)))
    return replace(found, about="a tolerance between singular values")


def _linalg(name: str, draw: Callable[[DrawFn], Call], **others: Any) -> Function:
    return Function(f"keras.ops.{name}", draw, inner=2, **others)


FUNCTIONS: tuple[Function, ...] = (
    _linalg("det", _of_each(regular, rational.bounded_determinant, keeps_shape=False)),
    _linalg("slogdet", _slogdet),
    _linalg(
        "logdet",
        _of_each(_definite, rational.bounded_logarithm, keeps_shape=False, batched=False),
    ),
    _linalg("inv", _of_each(regular, _inverse, keeps_shape=True)),
    _linalg("cholesky_inverse", _cholesky_inverse),
    _linalg("solve", _solve),
    _linalg("solve_triangular", _solve_triangular),
    _linalg("cholesky", _cholesky),
    _linalg("qr", _qr),
    _linalg("svd", _svd(full=True), symbolic=False),
    _linalg("svd", _svd(full=False), symbolic=False, section="Summary"),
    _linalg("svd", _singular_values, symbolic=False, section="Summary"),
    _linalg("eigh", _eigh),
    _linalg("matrix_rank", _matrix_rank, section="Summary"),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
