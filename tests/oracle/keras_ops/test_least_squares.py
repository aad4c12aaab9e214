"""Pseudo-inverses, least squares and factors of the oracle, against SciPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from conformance.generators import matrices
from conformance.oracle import expect
from conformance.oracle.accepting import EVIDENCE
from conformance.specs.model import Contraction

RNG = np.random.default_rng()
SHAPES = ((1, 1), (3, 2), (2, 3), (4, 4), (7, 3))


def held(name: str, arguments: dict[str, Any], other: Any) -> None:
    expected = expect(name, arguments, "float64", Contraction())
    assert (np.abs(expected.value - other) <= expected.bound).all()
    assert expected.bound.max(initial=0) < 1e-6


@pytest.mark.parametrize("shape", SHAPES)
def test_matrices_of_full_rank(shape: tuple[int, int]) -> None:
    x = matrices.full_rank(RNG, RNG.normal(size=shape))
    b = RNG.normal(size=(shape[0], 2))
    held("pinv", {"x": x}, scipy.linalg.pinv(x))
    held("lstsq", {"a": x, "b": b}, scipy.linalg.lstsq(x, b)[0])
    assert expect("matrix_rank", {"x": x}, "int32", Contraction()).value == min(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ratio", [0.35, 0.044, 0.001])
def test_singular_values_that_are_cut(shape: tuple[int, int], ratio: float) -> None:
    x = matrices.graded(RNG, RNG.normal(size=shape))
    a, b = matrices.graded_columns(RNG, RNG.normal(size=shape)), RNG.normal(size=shape[:1])
    held("pinv", {"x": x, "rcond": ratio}, scipy.linalg.pinv(x, rtol=ratio))
    held("lstsq", {"a": a, "b": b, "rcond": ratio}, scipy.linalg.lstsq(a, b, cond=ratio)[0])
    tolerance = ratio * np.linalg.norm(x, 2)
    rank = expect("matrix_rank", {"x": x, "tol": tolerance}, "int32", Contraction()).value
    assert rank == np.linalg.matrix_rank(x, tolerance)


def test_a_batch_has_a_ratio_for_each_matrix() -> None:
    x = matrices.graded(RNG, RNG.normal(size=(2, 3, 4, 4)))
    held("pinv", {"x": x, "rcond": 0.044}, np.linalg.pinv(x, 0.044))


@pytest.mark.parametrize("n", range(1, 6))
def test_factors_are_accepted_in_the_order_of_their_pivots(n: int) -> None:
    x = RNG.normal(size=(2, n, n))
    parts = [scipy.linalg.lu_factor(matrix) for matrix in x]
    factors, pivots = (np.stack(column) for column in zip(*parts, strict=True))
    evidence, expected = EVIDENCE["lu_factor.factors"], np.finfo(np.float64).eps * (n + 2)
    assert np.abs(evidence([factors, pivots], {"x": x})).max() <= expected
    assert np.isinf(evidence([factors, pivots + 9], {"x": x})).all()
    assert np.abs(evidence([factors, pivots], {"x": x + 1})).max() > 1e-3
