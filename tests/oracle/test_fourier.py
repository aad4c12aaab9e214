"""Fourier transforms and pseudo-inverses of the oracle, against NumPy and SciPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.signal

from conformance.oracle import fourier
from conformance.scenarios.operations.factors import orders, pseudo_inverse
from conformance.scenarios.operations.spectra import covered, hann

RNG = np.random.default_rng()
LENGTHS = (1, 2, 3, 4, 5, 8, 12, 17)


def pair(*shape: int) -> tuple[Any, Any]:
    return RNG.normal(size=shape), RNG.normal(size=shape)


def held(found: Any, other: Any) -> None:
    """Both parts lie within the bounds, which are no wider than a few digits of float64."""
    for expected, part in zip(found, (other.real, other.imag), strict=True):
        assert (np.abs(expected.value - part) <= expected.bound).all()
        assert expected.bound.max() < 1e-11


@pytest.mark.parametrize("n", LENGTHS)
def test_one_axis(n: int) -> None:
    x = pair(3, n)
    held(fourier.expected(x, (-1,), "float64"), scipy.fft.fft(x[0] + 1j * x[1]))
    held(fourier.expected(x, (-1,), "float64", inverse=True), scipy.fft.ifft(x[0] + 1j * x[1]))


@pytest.mark.parametrize("n", LENGTHS)
def test_two_axes(n: int) -> None:
    x = pair(2, n, 6)
    axes, whole = (-2, -1), x[0] + 1j * x[1]
    held(fourier.expected(x, axes, "float64"), scipy.fft.fft2(whole))
    held(fourier.expected(x, axes, "float64", inverse=True), scipy.fft.ifft2(whole))


@pytest.mark.parametrize("n", LENGTHS)
def test_float32_stays_within_its_bounds(n: int) -> None:
    real, imag = (part.astype("float32") for part in pair(5, n))
    found = scipy.fft.fft((real + 1j * imag).astype("complex64"))
    assert found.dtype == "complex64"
    for expected, part in zip(
        fourier.expected((real, imag), (-1,), "float32"), (found.real, found.imag), strict=True
    ):
        assert (np.abs(expected.value - part) <= expected.bound).all()


@pytest.mark.parametrize("n", range(2, 9))
def test_the_window_of_hann_is_that_of_scipy(n: int) -> None:
    np.testing.assert_allclose(
        hann(n).astype("float64"), scipy.signal.windows.hann(n, sym=False), atol=1e-15
    )


@pytest.mark.parametrize(
    ("size", "length", "stride"), [(10, 4, 2), (9, 4, 2), (12, 3, 1), (8, 4, 4)]
)
def test_places_under_all_windows(size: int, length: int, stride: int) -> None:
    count = (size - length) // stride + 1
    wanted = [
        all(0 <= t < count for t in range(-size, size) if t * stride <= p < t * stride + length)
        for p in range(size)
    ]
    assert covered(size, length, stride).tolist() == wanted


@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (2, 3), (4, 4), (7, 3)])
def test_a_pseudo_inverse_is_that_of_scipy(shape: tuple[int, int]) -> None:
    x = RNG.integers(-3, 4, shape) + 5.0 * np.eye(*shape)
    np.testing.assert_allclose(
        pseudo_inverse(x).astype("float64"), scipy.linalg.pinv(x), rtol=1e-10, atol=1e-12
    )


def test_pivots_tell_the_order_of_rows_as_scipy_exchanges_them() -> None:
    x = RNG.normal(size=(5, 5))
    both, pivots = scipy.linalg.lu_factor(x)
    low, high = np.tril(both, -1) + np.eye(5), np.triu(both)
    first, *_ = orders(pivots)
    np.testing.assert_allclose(low @ high, x[first], atol=1e-12)
    assert orders(pivots + 9) == []
