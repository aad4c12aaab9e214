"""Norms of every order: against SciPy and torch, in float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from conformance.generators.drawers.norms import OF_MATRICES, OF_VECTORS
from conformance.oracle import agrees, expect
from conformance.oracle.keras_ops.norms import norm
from conformance.specs.model import Contraction

RNG = np.random.default_rng(20261130)
ACCURACY = Contraction()


@pytest.mark.parametrize("order", OF_VECTORS)
def test_vectors_against_scipy(order: Any) -> None:
    x = RNG.normal(size=(5, 7))
    right = [scipy.linalg.norm(row, 2 if order is None else order) for row in x]
    np.testing.assert_allclose(norm(x, order, axis=1), right, rtol=1e-13)
    assert norm(x, order, axis=-1, keepdims=True).shape == (5, 1)


@pytest.mark.parametrize("order", OF_MATRICES)
def test_matrices_against_scipy(order: Any) -> None:
    x = RNG.normal(size=(4, 3, 6))
    right = [scipy.linalg.norm(x[:, n, :], "fro" if order is None else order) for n in range(3)]
    np.testing.assert_allclose(norm(x, order, axis=(0, 2)), right, rtol=1e-12)
    assert norm(x, order, axis=(2, 0), keepdims=True).shape == (1, 3, 1)
    turned = [scipy.linalg.norm(x[:, n].T, "fro" if order is None else order) for n in range(3)]
    np.testing.assert_allclose(norm(x, order, axis=(-1, 0)), turned, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [1, (0, 1), None])
@pytest.mark.parametrize("order", [None, 1, -1, 2, -2, 3, 0.5, math.inf, "fro", "nuc"])
def test_the_norms_of_torch_are_within_the_bounds(order: Any, axis: Any, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    orders = OF_VECTORS if axis == 1 else OF_MATRICES
    if order not in orders:
        pytest.skip("the table has no such norm")
    for _ in range(50):
        x = RNG.normal(size=(4, 9)).astype(dtype)
        arguments = {"x": x, "ord": order, "axis": axis}
        expected = expect("norm", arguments, dtype, ACCURACY, flush_subnormals=False)
        got = torch.linalg.norm(torch.tensor(x), order, axis).numpy()
        assert agrees(got, expected).all()
        more = 1e-2 if expected.bound.max() > 1e-3 * expected.value.max() else 1e-3
        wrong = got * (1 + more + 3 * expected.bound.max() / expected.value.min())
        assert not agrees(wrong.astype(dtype), expected).any()


@pytest.mark.parametrize("order", [3, 0.5])
def test_zeros_leave_the_bound_of_powers_tight(order: Any) -> None:
    x = np.array([[0, 2, 0, 1], [0, 0, 0, 0]], np.float32)
    expected = expect("norm", {"x": x, "ord": order, "axis": 1}, "float32", ACCURACY)
    assert expected.bound[0] < 1e-4 * expected.value[0]
    assert (expected.value[1], expected.bound[1]) == (0, 0)


def test_a_matrix_with_a_hole_has_no_singular_values() -> None:
    x = RNG.normal(size=(2, 3, 3))
    x[0, 1, 1] = np.nan
    assert np.isnan(norm(x, "nuc", axis=(1, 2))).tolist() == [True, False]
