"""Domains of matrices, in the last two axes: such as have an inverse, factors, or eigenvalues.

Numbers of any profile are made moderate first, because a matrix of numbers of very different sizes
has no digits left in its inverse. What is made of them stays well conditioned when it is rounded to
a dtype of few digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
MOST, LEAST = 100.0, 2.0**-10
"""The largest and the smallest magnitude of a moderate number that is not zero."""
SLACK = 2.0**-6
"""What rounding to a dtype of few digits may change of a sum of magnitudes, as a part of it."""


def moderate(_rng: np.random.Generator, values: Array) -> Array:
    """Numbers of magnitudes that products of a few of them leave in every dtype."""
    if values.dtype.kind != "f":
        return values
    near = np.clip(np.nan_to_num(values, nan=1.0, posinf=MOST, neginf=-MOST), -MOST, MOST)
    return np.where(np.abs(near) < LEAST, 0, near).astype(values.dtype)


def _parts(values: Array) -> Array:
    """Numbers from -1 to 1 in the proportions of the moderate ones; of integers the signs."""
    if values.dtype.kind != "f":
        return np.sign(values.astype(np.int64))
    near = moderate(_NO_CHANCE, values).astype(np.float64)
    largest = np.abs(near).max(axis=(-2, -1), initial=0, keepdims=True)
    return np.where(largest > 0, near / np.where(largest > 0, largest, 1), 0)


_NO_CHANCE = np.random.Generator(np.random.PCG64(0))


def _dominant(parts: Array) -> Array:
    """With a diagonal that is larger than all else in its row."""
    n = parts.shape[-1]
    diagonal = np.diagonal(parts, axis1=-2, axis2=-1)
    signs = np.where(diagonal < 0, -1, 1)
    found = parts.copy()
    found[..., np.arange(n), np.arange(n)] = signs * (n + np.abs(diagonal))
    return found


def regular(rng: np.random.Generator, values: Array) -> Array:
    """A matrix in each row of which one place outweighs the others, the rows in any order."""
    found = _dominant(_parts(values)).reshape(-1, *values.shape[-2:])
    if values.size:
        found = np.stack([matrix[rng.permutation(len(matrix))] for matrix in found])
    return found.reshape(values.shape).astype(values.dtype)


def _is_regular(matrix: Array) -> bool:
    size = np.abs(np.asarray(matrix, np.float64))
    places = size.argmax(-1)
    largest = size.max(-1)
    others = size.sum(-1) - largest
    return len({*places}) == len(size) and bool((largest * (1 + SLACK) > others).all())


def full_rank(rng: np.random.Generator, values: Array) -> Array:
    """A regular matrix with more rows, or with more columns, the longer axis in any order."""
    if values.shape[-2] < values.shape[-1]:
        return full_rank(rng, values.swapaxes(-1, -2)).swapaxes(-1, -2).copy()
    n, parts = values.shape[-1], _parts(values)
    stacked = np.concatenate([_dominant(parts[..., :n, :]), parts[..., n:, :]], -2)
    if not values.size:
        return stacked.astype(values.dtype)
    whole = stacked.reshape(-1, *values.shape[-2:])
    rows = np.stack([matrix[rng.permutation(len(matrix))] for matrix in whole])
    return rows.reshape(values.shape).astype(values.dtype)


def _has_full_rank(matrix: Array) -> bool:
    """Whether no singular value is near 0."""
    values = np.linalg.svd(np.asarray(matrix, np.float64), compute_uv=False)
    return bool(values.min() > SLACK * max(1, values.max() / 64))


GRADES, WHOLE_GRADES = (8, 1, 1 / 8), (8, 1)
"""Singular values of floats and of integers, in proportion: rounding moves none of them beyond a
tolerance between them."""
SMALLER = 2.0**-10
"""The scale of some matrices among others, which shows whether a ratio is that of each matrix."""
_PAIR = np.array([[1, 1], [1, -1]])
SIGNS = {1: np.eye(1, dtype=int), 2: _PAIR, 4: np.kron(_PAIR, _PAIR)}
"""Columns of signs at right angles."""


def signs_within(length: int) -> int:
    """The length of the columns of signs that fit."""
    return max(n for n in SIGNS if n <= length)


def _graded(rng: np.random.Generator, values: Array, *, columns: bool) -> Array:
    """Matrices with the singular values of `GRADES`, in proportion, and 0."""
    rows, width = (signs_within(n) for n in values.shape[-2:])
    all_grades = GRADES if values.dtype.kind == "f" else WHOLE_GRADES
    count = min(rows, width, len(all_grades))
    whole = np.zeros((math.prod(values.shape[:-2]), *values.shape[-2:]))
    for matrix in whole:
        grades = rng.permutation(all_grades)[:count]
        left = SIGNS[rows][:, rng.permutation(rows)[:count]]
        right = np.eye(width) if columns else SIGNS[width]
        right = right[:, rng.permutation(width)[:count]]
        product = (left * grades) @ right.T
        scale = SMALLER if values.dtype.kind == "f" and rng.random() < 1 / 3 else 1
        matrix[:rows, :width] = product * scale
    return whole.reshape(values.shape).astype(values.dtype)


def _is_graded(matrix: Array) -> bool:
    """Whether each singular value is 0 or an eighth of another one, at least."""
    values = np.linalg.svd(np.asarray(matrix, np.float64), compute_uv=False)
    there = values[values > SLACK * SMALLER]
    return bool((there[:-1] >= 7 * there[1:]).all())


def graded(rng: np.random.Generator, values: Array) -> Array:
    """Matrices whose singular values lie far apart."""
    return _graded(rng, values, columns=False)


def graded_columns(rng: np.random.Generator, values: Array) -> Array:
    """The same with columns at right angles, of which the least are left alone by any
    decomposition."""
    return _graded(rng, values, columns=True)


def lower(_rng: np.random.Generator, values: Array) -> Array:
    """A lower triangle with a diagonal that outweighs its rows."""
    return np.tril(_dominant(_parts(values))).astype(values.dtype)


def upper(_rng: np.random.Generator, values: Array) -> Array:
    """An upper triangle with a diagonal that outweighs its rows."""
    return np.triu(_dominant(_parts(values))).astype(values.dtype)


def _is_lower(matrix: Array) -> bool:
    return _is_regular(matrix) and not np.triu(matrix, 1).any()


def _is_upper(matrix: Array) -> bool:
    return _is_regular(matrix) and not np.tril(matrix, -1).any()


def symmetric(rng: np.random.Generator, values: Array) -> Array:
    """The moderate numbers below the diagonal, above it, too."""
    below = np.tril(moderate(rng, values))
    return below + np.tril(below, -1).swapaxes(-1, -2)


def _is_symmetric(matrix: Array) -> bool:
    return np.array_equal(matrix, matrix.T)


def definite(_rng: np.random.Generator, values: Array) -> Array:
    """A product with its own transpose, and one more on the diagonal."""
    parts = _parts(values)
    product = parts @ parts.swapaxes(-1, -2) + np.eye(parts.shape[-1], dtype=parts.dtype)
    return np.asarray(product).astype(values.dtype)


def _is_definite(matrix: Array) -> bool:
    least = 1 - SLACK * max(1, len(matrix)) ** 2
    values = np.linalg.eigvalsh(np.asarray(matrix, np.float64))
    return _is_symmetric(matrix) and bool((values >= max(least, SLACK)).all())


def _is_moderate(array: Array) -> bool:
    size = np.abs(np.asarray(array, np.float64))
    return bool(((size == 0) | ((size >= LEAST) & (size <= MOST))).all())


FITS: Mapping[str, Callable[[np.random.Generator, Array], Array]] = {
    "moderate": moderate,
    "regular": regular,
    "full rank": full_rank,
    "graded": graded,
    "graded columns": graded_columns,
    "lower triangle": lower,
    "upper triangle": upper,
    "symmetric": symmetric,
    "definite": definite,
}
_TESTS: Mapping[str, Callable[[Array], bool]] = {
    "regular": _is_regular,
    "full rank": _has_full_rank,
    "graded": _is_graded,
    "graded columns": _is_graded,
    "lower triangle": _is_lower,
    "upper triangle": _is_upper,
    "symmetric": _is_symmetric,
    "definite": _is_definite,
}


_OF_MODERATE = ("moderate", "symmetric")
"""Domains whose numbers are the moderate ones, and not in proportion to them."""


def admits(name: str) -> Callable[[Array], Array]:
    """Says of each element whether its matrix belongs to the domain."""

    def tested(array: Array) -> Array:
        finite = bool(np.isfinite(np.asarray(array, np.float64)).all())
        if not finite or (name in _OF_MODERATE and not _is_moderate(array)):
            return np.zeros(array.shape, np.bool_)
        if name not in _TESTS or not array.size:
            return np.ones(array.shape, np.bool_)
        right = [_TESTS[name](matrix) for matrix in array.reshape(-1, *array.shape[-2:])]
        found = np.reshape(right, (*array.shape[:-2], 1, 1))
        return np.broadcast_to(found, array.shape)

    return tested
