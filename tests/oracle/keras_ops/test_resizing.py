"""Images of another size: the weights of PyTorch in float64, for each grid and filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle.keras_ops.resizing import EDGE, origins, resize, weights

SIZES = [(size, length) for size in range(1, 9) for length in range(1, 9)]
RNG = np.random.default_rng(3)
HOW: dict[str, tuple[tuple[str, bool, str, str], dict[str, Any]]] = {
    "linear": (("bilinear", False, "centres", "keys"), {"align_corners": False}),
    "linear, corners": (("bilinear", False, "corners", "keys"), {"align_corners": True}),
    "linear, wide": (("bilinear", True, "centres", "keys"), {"antialias": True}),
    "cubic": (("bicubic", False, "centres", "steep"), {"align_corners": False}),
    "cubic, corners": (("bicubic", False, "corners", "steep"), {"align_corners": True}),
    "cubic, wide": (("bicubic", True, "centres", "keys"), {"antialias": True}),
}


def interpolated(x: Any, size: int, mode: str, **how: Any) -> Any:
    """A row as PyTorch gives it another length."""
    torch = pytest.importorskip("torch")
    image = torch.tensor(x)[None, None, :, None].repeat(1, 1, 1, 3)
    row = torch.nn.functional.interpolate(image, size=(size, 3), mode=mode, **how)
    return row[0, 0, :, 1].numpy()


@pytest.mark.torch
@pytest.mark.parametrize("name", HOW)
def test_the_weights_are_those_of_pytorch(name: str) -> None:
    (mode, *how), options = HOW[name]
    for size, length in SIZES:
        x = RNG.normal(size=length)
        ours = weights(size, length, mode, *how) @ x  # type: ignore[arg-type]
        np.testing.assert_allclose(
            ours.astype(float), interpolated(x, size, mode, **options), rtol=1e-12, atol=1e-14
        )


@pytest.mark.torch
@pytest.mark.parametrize(("mode", "grid"), [("nearest-exact", "centres"), ("nearest", "edges")])
def test_the_nearest_elements_are_those_of_pytorch(mode: str, grid: str) -> None:
    for size, length in SIZES:
        x = RNG.normal(size=length)
        image = np.repeat(x[:, None, None], 3, 1)
        ours = resize(image, (size, 3), "nearest", grid=grid)[:, 0, 0]
        places = origins(size, length, grid) + (grid != "edges") / 2
        settled = np.abs(places - np.round(places)) > EDGE
        np.testing.assert_array_equal(ours[settled], interpolated(x, size, mode)[settled])


@pytest.mark.parametrize("cubic", ["keys", "repeated", "steep", "table"])
@pytest.mark.parametrize("grid", ["centres", "corners", "edges"])
@pytest.mark.parametrize("antialias", [False, True])
def test_weights_add_up_to_one(cubic: str, grid: str, antialias: bool) -> None:
    for size, length in SIZES:
        rows = weights(size, length, "bicubic", antialias, grid, cubic)
        np.testing.assert_allclose(rows.sum(1).astype(float), 1, rtol=1e-14)


def test_the_filters_differ_beside_an_end_and_inside() -> None:
    keys, repeated, steep = (
        weights(8, 4, "bicubic", False, "centres", cubic) for cubic in ("keys", "repeated", "steep")
    )
    assert np.abs(keys - repeated)[0].max() > 0.01
    np.testing.assert_allclose((keys - repeated)[3].astype(float), 0, atol=1e-15)
    assert np.abs(keys - steep)[3].max() > 0.01


def test_a_table_has_the_exact_weights_of_its_places_and_near_ones_between() -> None:
    exact, table = (weights(8, 4, "bicubic", False, "centres", c) for c in ("keys", "table"))
    np.testing.assert_allclose(exact.astype(float), table.astype(float), atol=1e-15)
    exact, table = (weights(5, 2, "bicubic", False, "centres", c) for c in ("keys", "table"))
    assert 1e-5 < np.abs(exact - table).max() < 1 / 1024
