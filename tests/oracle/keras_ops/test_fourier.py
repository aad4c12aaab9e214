"""Fourier transforms of the oracle, against SciPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal

from conformance.oracle import expect
from conformance.oracle.keras_ops import short_time
from conformance.specs.model import Contraction

RNG = np.random.default_rng()
LENGTHS = (1, 2, 3, 4, 5, 8, 12, 17)


def pair(*shape: int, dtype: str = "float64") -> list[Any]:
    return [RNG.normal(size=shape).astype(dtype) for _ in range(2)]


def held(name: str, arguments: dict[str, Any], other: Any, dtype: str = "float64") -> None:
    """Both parts, or the whole, lie within the bounds, which are no wider than a few digits."""
    parts = (other.real, other.imag) if np.iscomplexobj(other) else (other,)
    members = ("real", "imag") if np.iscomplexobj(other) else ("",)
    for member, part in zip(members, parts, strict=True):
        expected = expect(f"{name}.{member}".rstrip("."), arguments, dtype, Contraction())
        known = np.isfinite(expected.bound)
        assert known.any()
        assert (np.abs(expected.value - part)[known] <= expected.bound[known]).all()
        assert expected.bound[known].max() < 1e5 * np.finfo(dtype).eps


@pytest.mark.parametrize("n", LENGTHS)
def test_one_axis(n: int) -> None:
    x = pair(3, n)
    held("fft", {"x": x}, scipy.fft.fft(x[0] + 1j * x[1]))


@pytest.mark.parametrize("n", LENGTHS)
def test_two_axes(n: int) -> None:
    x = pair(2, n, 6)
    held("fft2", {"x": x}, scipy.fft.fft2(x[0] + 1j * x[1]))
    held("ifft2", {"x": x}, scipy.fft.ifft2(x[0] + 1j * x[1]))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("length", [None, 1, 4, 7, 20])
def test_real_signals(n: int, length: int | None) -> None:
    x, spectrum = RNG.normal(size=(3, n)), pair(2, n + 1)
    spectrum[1][..., 0] = 0
    last = n if length is None else length // 2
    if last <= n and (length is None or length % 2 == 0):
        spectrum[1][..., last] = 0
    held("rfft", {"x": x, "fft_length": length}, scipy.fft.rfft(x, length))
    signal = scipy.fft.irfft(spectrum[0] + 1j * spectrum[1], length)
    held("irfft", {"x": spectrum, "fft_length": length}, signal)


@pytest.mark.parametrize("n", LENGTHS)
def test_float32_stays_within_its_bounds(n: int) -> None:
    real, imag = pair(5, n, dtype="float32")
    other = scipy.fft.fft((real + 1j * imag).astype("complex64"))
    assert other.dtype == "complex64"
    held("fft", {"x": [real, imag]}, other, "float32")


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("name", ["hann", "hamming"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_windows_are_those_of_scipy(n: int, name: str, symmetric: bool) -> None:
    window = short_time.named_window(name, n, periodic=not symmetric)
    expected = scipy.signal.windows.get_window(name, n, fftbins=not symmetric)
    np.testing.assert_allclose(window.astype("float64"), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("size", "length", "stride", "longer"), [(20, 4, 2, 4), (21, 5, 2, 8), (30, 6, 1, 6)]
)
@pytest.mark.parametrize("center", [False, True])
def test_windows_of_a_signal_and_back(
    size: int, length: int, stride: int, longer: int, center: bool
) -> None:
    x, window = RNG.normal(size=(2, size)), 0.5 + RNG.random(length)
    asked = {
        "sequence_length": length,
        "sequence_stride": stride,
        "fft_length": longer,
        "window": window,
        "center": center,
    }
    before = (longer - length) // 2
    weights = np.pad(window, (before, longer - length - before))
    signal = np.pad(x, [(0, 0), (longer // 2,) * 2], mode="reflect") if center else x
    *_, spectrum = scipy.signal.stft(
        signal,
        window=weights,
        nperseg=longer,
        noverlap=longer - stride,
        boundary=None,
        padded=False,
    )
    rows = spectrum.swapaxes(-1, -2) * weights.sum()
    held("stft", {"x": x, **asked}, rows)
    expected = expect("istft", {"x": [rows.real, rows.imag], **asked}, "float64", Contraction())
    known = expected.bound < 1e-9
    assert known.mean() > 0.3
    np.testing.assert_allclose(expected.value[known], x[..., : known.shape[-1]][known], atol=1e-12)


def test_windows_that_contradict_each_other_tell_nothing() -> None:
    x = pair(8, 3)
    how: dict[str, Any] = {
        "sequence_length": 4,
        "sequence_stride": 1,
        "fft_length": 4,
        "window": None,
    }
    assert np.isinf(expect("istft", {"x": x, **how}, "float64", Contraction()).bound).all()
    how["window"] = 0.5 + RNG.random(4)
    assert expect("istft", {"x": x, **how}, "float64", Contraction()).bound.min() > 1e-3


@pytest.mark.parametrize(
    ("size", "length", "stride"), [(10, 4, 2), (9, 4, 2), (12, 3, 1), (8, 4, 4)]
)
def test_places_under_all_windows(size: int, length: int, stride: int) -> None:
    count = (size - length) // stride + 1
    expected = [
        all(0 <= t < count for t in range(-size, size) if t * stride <= p < t * stride + length)
        for p in range((count - 1) * stride + length)
    ]
    windows = short_time.Windows(length, stride, length, window=None)
    assert windows.covered(count).tolist() == expected
