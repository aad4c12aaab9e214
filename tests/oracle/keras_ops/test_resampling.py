"""Resampled images of the oracle, against SciPy in float64, and the bound of a perspective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg, ndimage

from conformance.generators import warps
from conformance.oracle import expect
from conformance.oracle.accepting import EVIDENCE
from conformance.oracle.keras_ops import resampling
from conformance.specs.model import Contraction

RNG = np.random.default_rng()
GRIDS = {"constant": "grid-constant", "wrap": "grid-wrap"}
"""What SciPy calls modes whose borders go on as the docstrings draw them."""


def held(name: str, other: Any, **arguments: Any) -> float:
    """How many results are open; all others are within their bounds."""
    expected = expect(name, arguments, "float64", Contraction())
    settled = np.isfinite(expected.bound)
    assert (np.abs(expected.value - other) <= expected.bound)[settled].all()
    assert expected.bound[settled].max(initial=0) < 1e-8
    return float((~settled).mean())


@pytest.mark.parametrize("mode", resampling.MODES)
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_points_of_an_array(mode: Any, order: int, rank: int) -> None:
    x = RNG.normal(size=(4, 5, 3)[:rank])
    points = RNG.integers(-24, 48, (rank, 200)) / 8
    other: Any = GRIDS.get(mode, mode)
    right = ndimage.map_coordinates(x, points, order=order, mode=other, cval=7.0)
    arguments = {"inputs": x, "coordinates": points, "order": order, "fill_mode": mode}
    assert held("map_coordinates", right, **arguments, fill_value=7.0) < 0.9


@pytest.mark.parametrize("row", [*warps.WHOLE, *warps.BETWEEN])
@pytest.mark.parametrize("mode", ["constant", "nearest", "wrap", "reflect"])
@pytest.mark.parametrize("order", [0, 1])
def test_transformed_images(row: Any, mode: Any, order: int) -> None:
    x = RNG.normal(size=(5, 4))
    a0, a1, a2, b0, b1, b2, *_ = row
    matrix, other = np.array([[b1, b0], [a1, a0]]), GRIDS.get(mode, mode)
    how: dict[str, Any] = {"order": order, "mode": other, "cval": 7.0}
    right = ndimage.affine_transform(x, matrix, (b2, a2), **how)[..., None]
    arguments = {"images": x[..., None], "transform": np.array(row), "fill_mode": mode}
    named = {"interpolation": "bilinear" if order else "nearest", "fill_value": 7.0}
    held("affine_transform", right, **arguments, **named)


def _lost(matrix: Any, row: Any) -> Any:
    """|A^-1| |L| |U| |h|, which gamma_24 times bounds what elimination loses of h."""
    p, low, high = linalg.lu(matrix)
    return np.abs(linalg.inv(matrix)) @ p @ np.abs(low) @ np.abs(high) @ np.abs(row)


@pytest.mark.parametrize("place", range(len(warps.STARTS)))
@pytest.mark.parametrize("order", [np.arange(8), np.arange(8).reshape(4, 2).T.reshape(-1)])
def test_a_perspective_moves_points_by_no_more_than_its_bound(place: int, order: Any) -> None:
    row = np.array(warps.PERSPECTIVES[place])
    matrix, side = resampling.equations(warps.STARTS[place], warps.ENDS)
    solved = resampling.transform_of(warps.STARTS[place], warps.ENDS)
    assert linalg.solve(matrix, side).reshape(-1) == pytest.approx(row, abs=1e-10)
    assert solved.reshape(-1).astype(float) == pytest.approx(row, abs=1e-12)
    lost = _lost(matrix[order], row)
    y, x = np.indices((7, 7))
    k = row[6] * x + row[7] * y + 1
    for part, point in zip((lost[:3], lost[3:6]), resampling.origins(row, x, y), strict=True):
        moved = (
            part[0] * x + part[1] * y + part[2] + np.abs(point) * (lost[6] * x + lost[7] * y)
        ) / k
        assert moved.max() <= resampling.SPREAD


SIZES: tuple[tuple[Any, dict[str, Any], Callable[[Any], Any]], ...] = (
    ((3, 4), {"interpolation": "bicubic"}, lambda x: x),
    ((6, 12), {"interpolation": "nearest"}, lambda x: np.kron(x, np.ones((2, 3)))),
    (
        (7, 4),
        {"pad_to_aspect_ratio": True, "fill_value": 9.0},
        lambda x: np.pad(x, ((2, 2), (0, 0)), constant_values=9.0),
    ),
)


@pytest.mark.parametrize(("size", "how", "right"), SIZES)
def test_images_of_another_size(size: Any, how: dict[str, Any], right: Callable[..., Any]) -> None:
    x = RNG.normal(size=(3, 4))
    channel = {"images": x[None], "size": size, "data_format": "channels_first"}
    assert held("resize", right(x)[None], **channel, **how) == 0


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("data_format", [None, "channels_first"])
def test_each_window_of_an_image_that_is_cut_is_right(place: int, data_format: Any) -> None:
    axis = -2 if data_format else -3
    images = RNG.normal(size=(2, 5, 5, 5))
    size, window = (3, 5), images.take(range(place, place + 3), axis)
    arguments = {"size": size, "crop_to_aspect_ratio": True, "data_format": data_format}
    evidence = EVIDENCE["resize"]
    assert (
        held(
            "resize", evidence(window, {"images": images, **arguments}), images=images, **arguments
        )
        == 0
    )
    for wrong in (window[::-1], 0.999 * window, np.roll(window, 1, axis)):
        off = evidence(wrong, {"images": images, **arguments})
        assert np.abs(off).max() > 1e-4
