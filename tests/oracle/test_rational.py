"""Exact linear algebra against NumPy in float64, and its bounds against what float32 gives."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle import rational

RNG = np.random.default_rng(0)


def regular(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A matrix of small integers with one large number in each row and column."""
    matrix = RNG.integers(-1, 2, (n, n)).astype("float64")
    matrix[np.arange(n), RNG.permutation(n)] = n + 1
    return matrix


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_exact_values_are_those_of_numpy(n: int) -> None:
    a, b = regular(n), RNG.integers(-4, 5, (n, 2)).astype("float64")
    np.testing.assert_allclose(float(rational.determinant(a)), np.linalg.det(a), rtol=1e-13)
    np.testing.assert_allclose(rational.inverse(a).astype("float64"), np.linalg.inv(a), atol=1e-14)
    solved = rational.solution(a, b).astype("float64")
    np.testing.assert_allclose(solved, np.linalg.solve(a, b), atol=1e-14)
    logarithm = rational.bounded_logarithm(a, "float64")[0]
    assert logarithm == pytest.approx(np.linalg.slogdet(a)[1], abs=1e-13)


def test_a_singular_matrix_has_the_determinant_0() -> None:
    assert rational.determinant(np.array([[1.0, 2.0], [2.0, 4.0]])) == 0


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_float32_stays_within_bounds_that_a_wrong_element_leaves(n: int) -> None:
    for _ in range(50):
        a, b = regular(n), RNG.integers(-4, 5, (n, 2)).astype("float64")
        narrow = a.astype("float32")
        value, bound = rational.solved(a, b, "float32")
        solution = np.linalg.solve(narrow, b.astype("float32"))
        assert (np.abs(solution - value) <= bound).all()
        assert bound.max() < 0.01
        determinant, far = rational.bounded_determinant(a, "float32")
        assert abs(float(np.linalg.det(narrow)) - determinant) <= far < 0.05 * abs(determinant)
        logarithm, off = rational.bounded_logarithm(a, "float32")
        assert abs(float(np.linalg.slogdet(narrow)[1]) - logarithm) <= off < 0.05
