"""Sums and order statistics of Keras 3: NumPy's and SciPy's in float64, and right ones pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.signal

from conformance.oracle import ORACLES, Expectation, expect
from conformance.oracle.expectation import Array
from conformance.specs import load
from tests.bounds import assert_right

RNG = np.random.default_rng(0)
NANS = ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanmedian")
DTYPES = ("float32", "float64")


def _ask(name: str, dtype: str, **arguments: Any) -> Expectation:
    accuracy = load()[f"keras.ops.{name}"].accuracy
    assert accuracy is not None
    return expect(name, arguments, dtype, accuracy, flush_subnormals=False)


def _with_nan(dtype: str) -> Array:
    x = RNG.normal(size=(3, 40, 5)).astype(dtype)
    x[RNG.random(x.shape) < 0.2] = np.nan
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
@pytest.mark.parametrize("name", NANS)
def test_nan_is_left_out(name: str, axis: Any, dtype: str) -> None:
    x = _with_nan(dtype)
    options = {"axis": axis, "keepdims": True}
    expected = _ask(name, dtype, x=x, **options)
    assert_right(getattr(np, name)(x, **options), expected)
    # the bound of 600 terms in float32 is no licence
    assert expected.bound.max() < 0.05


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
@pytest.mark.parametrize("axis", [None, 1])
def test_running_sums(name: str, axis: Any) -> None:
    x = _with_nan("float64")
    assert_right(getattr(np, name)(x, axis=axis), _ask(name, "float64", x=x, axis=axis))


def test_all_nan() -> None:
    x = np.full((2, 3), np.nan)
    for name, number in (("nansum", 0), ("nanprod", 1), ("nanmean", np.nan), ("nanmax", np.nan)):
        np.testing.assert_array_equal(_ask(name, "float64", x=x, axis=1).value, [number] * 2)
    np.testing.assert_array_equal(ORACLES["nanmedian"](x=x, axis=1), [np.nan] * 2)


@pytest.mark.parametrize("axis", [None, 0, 2, (1, 2)])
@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_quantiles(q: float, axis: Any) -> None:
    x, holes = RNG.normal(size=(3, 4, 5)), _with_nan("float64")
    for name, of, share in (
        ("quantile", x, q),
        ("percentile", x, 100 * q),
        ("nanquantile", holes, q),
        ("nanpercentile", holes, 100 * q),
    ):
        expected = getattr(np, name)(of, share, axis=axis, keepdims=True)
        assert_right(expected, _ask(name, "float64", x=of, q=share, axis=axis, keepdims=True))


@pytest.mark.parametrize("axis", [None, 1, (0, 1)])
def test_a_median_and_a_range(axis: Any) -> None:
    x = RNG.normal(size=(3, 4)).astype(np.float32)
    assert_right(np.median(x, axis=axis), _ask("median", "float32", x=x, axis=axis))
    assert_right(np.ptp(x, axis=axis), _ask("ptp", "float32", x=x, axis=axis))
    x[0, 0] = np.nan
    assert np.isnan(ORACLES["median"](x=x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_averages(dtype: str) -> None:
    x, weights = RNG.normal(size=(2, 7, 9)).astype(dtype), RNG.random((2, 7, 9)).astype(dtype)
    for axis in (None, 0, -1):
        expected = np.average(x, axis=axis, weights=weights)
        assert_right(expected, _ask("average", dtype, x=x, axis=axis, weights=weights))
    assert_right(np.average(x), _ask("average", dtype, x=x))
    for axis in (0, 1, -1):
        row = RNG.random((x.shape[axis],)).astype(dtype)
        expected = np.average(x, axis=axis, weights=row)
        assert_right(expected, _ask("average", dtype, x=x, axis=axis, weights=row))


@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype: str) -> None:
    x, y = (RNG.normal(size=(4, 5, 6)).astype(dtype) for _ in range(2))
    z = RNG.normal(size=(5, 6, 3)).astype(dtype)
    assert_right(np.vdot(x, y), _ask("vdot", dtype, x=x, y=y))
    assert_right(np.tensordot(x, z, 2), _ask("tensordot", dtype, x=x, y=z, axes=2))
    every: tuple[Any, ...] = (0, 1, [[-1, 1], [1, 0]], [[2], [-2]])
    for axes in every:
        first, second = (x, z) if axes else (x[0, 0], z[0, 0])
        first = first[..., :5] if axes == 1 else first
        expected = np.tensordot(first, second, axes)
        assert_right(expected, _ask("tensordot", dtype, x=first, y=second, axes=axes))
    assert_right(np.inner(x, y[0]), _ask("inner", dtype, x=x, y=y[0]))
    assert_right(x * y[0, 0, 0], _ask("dot", dtype, x=x, y=y[0, 0, 0]))
    assert_right(np.kron(x[0], z[0]), _ask("kron", dtype, x=x[0], y=z[0]))
    for offset in (-2, 0, 3):
        expected = np.trace(x, offset, 0, 2)
        assert_right(expected, _ask("trace", dtype, x=x, offset=offset, axis1=0, axis2=2))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_differences_and_integrals(dtype: str, axis: int) -> None:
    x = RNG.normal(size=(4, 5, 6)).astype(dtype)
    for n in (1, 2):
        assert_right(np.diff(x, n, axis), _ask("diff", dtype, x=x, n=n, axis=axis))
    expected = scipy.integrate.trapezoid(x, dx=0.5, axis=axis).astype(dtype)
    assert_right(expected, _ask("trapezoid", dtype, x=x, dx=0.5, axis=axis))


def test_one_point_has_no_area() -> None:
    np.testing.assert_array_equal(ORACLES["trapezoid"](x=np.array([[2.0], [3.0]])), [0, 0])


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_norms(axis: Any) -> None:
    x = RNG.normal(size=30 if axis is None else (30, 4)).astype(np.float32)
    expected = np.linalg.norm(x, axis=axis, keepdims=True)
    assert_right(expected, _ask("norm", "float32", x=x, axis=axis, keepdims=True, ord=2))
    assert not ORACLES["norm"](x=np.zeros((2, 3)), axis=1).any()


@pytest.mark.parametrize("length", [2, 3, 12, 129])
@pytest.mark.parametrize("name", ["hamming", "hanning"])
def test_windows(name: str, length: int) -> None:
    window = scipy.signal.get_window(name.replace("hanning", "hann"), length, fftbins=False)
    assert_right(window.astype(np.float32), _ask(name, "float32", length=length))
    assert_right(getattr(np, name)(length), _ask(name, "float64", length=length))
