"""Scaled and moved images of the oracle, against SciPy in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage
from scipy.interpolate import CubicHermiteSpline

from conformance.oracle import expect
from conformance.oracle.keras_ops.scaling import RADII
from conformance.specs.model import Contraction

RNG = np.random.default_rng()
X = np.arange(9.0)


def expected(x: Any, scale: Any, translation: Any, size: Any, method: str, **how: Any) -> Any:
    axes = tuple(range(x.ndim))
    arguments = {"images": x, "output_shape": size, "spatial_dims": axes, "method": method, **how}
    arguments |= {"scale": np.array(scale), "translation": np.array(translation)}
    return expect("scale_and_translate", arguments, "float64", Contraction())


def agree(expectation: Any, other: Any, open_places: int) -> None:
    settled = np.isfinite(expectation.bound)
    assert (~settled).sum() == open_places
    assert (np.abs(expectation.value - other) <= expectation.bound)[settled].all()
    assert expectation.bound[settled].max(initial=0) < 1e-11


def places(scale: float, translation: float, size: int) -> Any:
    return (np.arange(size) + 0.5 - translation) / scale - 0.5


@pytest.mark.parametrize("scale", [2.0, 1.5, 4.0])
@pytest.mark.parametrize("method", ["linear", "bilinear", "trilinear", "triangle"])
def test_linear_places_are_those_of_scipy(scale: float, method: str) -> None:
    x, point = RNG.normal(size=9), places(scale, 0.25, 30)
    right = ndimage.map_coordinates(x, [point], order=1)
    right[(point < -0.5) | (point > 8.5)] = 0
    expectation = expected(x, [scale], [0.25], (30,), method)
    between = ((point > -0.5) & (point < 0)) | ((point > 8) & (point < 8.5))
    agree(expectation, right, between.sum())


@pytest.mark.parametrize("method", ["cubic", "bicubic", "tricubic"])
def test_the_cubic_filter_is_a_spline_through_central_slopes(method: str) -> None:
    x, point = RNG.normal(size=9), places(1.5, 0.75, 14)
    spline = CubicHermiteSpline(X, x, np.gradient(x))
    inside = (point > 1) & (point < 7) | np.isin(point, X)
    expectation = expected(x, [1.5], [0.75], (14,), method)
    agree(
        expectation,
        np.where((point < -0.5) | (point > 8.5), 0, spline(point)),
        sum((~inside) & (point > -0.5) & (point < 8.5)),
    )


def test_half_as_many_elements_are_means_of_four() -> None:
    x = RNG.normal(size=12)
    right = np.correlate(x, np.array([1, 3, 3, 1]) / 8, "valid")[1::2]
    agree(expected(x, [0.5], [0.0], (6,), "linear"), [0, *right, 0], 2)
    every_other = (x[::2] + x[1::2]) / 2
    agree(expected(x, [0.5], [0.0], (6,), "linear", antialias=False), every_other, 0)


@pytest.mark.parametrize("method", RADII)
def test_whole_steps_move_elements(method: str) -> None:
    x = RNG.normal(size=(4, 5))
    expectation = expected(x, [1.0, 1.0], [1.0, -2.0], (6, 4), method)
    right = np.zeros((6, 4))
    right[1:5, :3] = x[:, 2:]
    agree(expectation, right, 0)


WRONG: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("moved by one", lambda y: np.roll(y, 1)),
    ("a little larger", lambda y: y * (1 + 1e-9)),
    ("of whole pixels", lambda y: np.repeat(y[::2], 2)),
)


@pytest.mark.parametrize(("how", "wrong"), WRONG, ids=[how for how, _ in WRONG])
def test_wrong_numbers_are_outside_of_the_bound(how: str, wrong: Callable[[Any], Any]) -> None:
    expectation = expected(RNG.normal(size=9), [2.0], [0.5], (18,), "linear")
    assert (np.abs(wrong(expectation.value) - expectation.value) > expectation.bound).any(), how


def test_numbers_that_are_not_finite_leave_all_places_open() -> None:
    x = np.array([1.0, np.inf, 2.0])
    assert np.isinf(expected(x, [1.0], [0.0], (3,), "linear").bound).all()
