"""What Keras 3 makes and moves: small cases worked out by hand, and loops over indices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from conformance.oracle import ORACLES

RNG = np.random.default_rng(0)
SQUARE = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("full", {"shape": (2,), "fill_value": 3.0, "dtype": "int32"}, [3.0, 3.0]),
        ("full_like", {"x": np.zeros((1, 2)), "fill_value": 3.0}, [[3.0, 3.0]]),
        ("eye_of", {"N": 2}, [[1, 0], [0, 1]]),
        ("eye_of", {"N": 2, "M": 3, "k": 1}, [[0, 1, 0], [0, 0, 1]]),
        ("tri", {"N": 2, "M": 3, "k": 1}, [[1, 1, 0], [1, 1, 1]]),
        ("arange_of", {"start": 3}, [0, 1, 2]),
        ("arange_of", {"start": 3, "stop": 8, "step": 2, "dtype": "int32"}, [3, 5, 7]),
        ("linspace.samples", {"start": 0.0, "stop": 2.0, "num": 5}, [0, 0.5, 1, 1.5, 2]),
        (
            "linspace.samples",
            {"start": 0.0, "stop": 2.0, "num": 4, "endpoint": False},
            [0, 0.5, 1, 1.5],
        ),
        ("append", {"x": [[1, 2]], "y": [[3, 4]], "axis": 0}, SQUARE),
        ("append", {"x": SQUARE, "y": [5]}, [1, 2, 3, 4, 5]),
        (
            "padded",
            {"x": [[1]], "pad_width": ((1, 0), (0, 2)), "mode": "constant"},
            [[0, 0, 0], [1, 0, 0]],
        ),
        ("padded", {"x": [[1]], "pad_width": ((0, 1), (0, 0)), "constant_values": 7}, [[1], [7]]),
        ("broadcast_to", {"x": [1, 2], "shape": (2, 2)}, [[1, 2], [1, 2]]),
        ("flipud", {"x": SQUARE}, [[3, 4], [1, 2]]),
        ("fliplr", {"x": SQUARE}, [[2, 1], [4, 3]]),
        ("rot90", {"x": SQUARE}, [[2, 4], [1, 3]]),
        ("rot90", {"x": SQUARE, "k": 2}, [[4, 3], [2, 1]]),
        ("hstack", {"tensors": [[1, 2], [3, 4]]}, [1, 2, 3, 4]),
        ("hstack", {"tensors": [SQUARE, SQUARE]}, [[1, 2, 1, 2], [3, 4, 3, 4]]),
        ("vstack", {"tensors": [SQUARE, SQUARE]}, [*SQUARE, *SQUARE]),
        ("dstack", {"tensors": [[1, 2], [3, 4]]}, [[[1, 3], [2, 4]]]),
        ("dstack", {"tensors": [[[1], [2]], [[3], [4]]]}, [[[1, 3]], [[2, 4]]]),
        ("sort", {"x": [[3, 1], [2, 4]]}, [[1, 3], [2, 4]]),
        ("sort", {"x": [[3, 1], [2, 4]], "axis": 0}, [[2, 1], [3, 4]]),
        ("diag", {"x": SQUARE, "k": 1}, [2]),
        ("diagflat", {"x": [[1, 2]], "k": -1}, [[0, 0, 0], [1, 0, 0], [0, 2, 0]]),
        ("diagonal", {"x": SQUARE, "offset": -1}, [3]),
        ("take", {"x": SQUARE, "indices": [[3, 0]]}, [[4, 1]]),
        ("take", {"x": SQUARE, "indices": [1], "axis": 1}, [[2], [4]]),
        (
            "take_along_axis",
            {"x": SQUARE, "indices": [[0, 0], [1, 0]], "axis": 1},
            [[1, 1], [4, 3]],
        ),
        ("take_along_axis", {"x": SQUARE, "indices": [3, 0, 0, 1]}, [4, 1, 1, 2]),
    ],
)
def test_a_case(name: str, values: dict[str, Any], expected: Any) -> None:
    tensors = ("x", "y", "indices")
    arguments = {k: np.array(v) if k in tensors else v for k, v in values.items()}
    np.testing.assert_array_equal(ORACLES[name](**arguments), np.array(expected))


@pytest.mark.parametrize("axis", range(-3, 3))
def test_take_puts_the_indices_in_the_place_of_the_axis(axis: int) -> None:
    x, indices = RNG.normal(size=(2, 3, 4)), RNG.integers(0, 2, (5, 2))
    got = ORACLES["take"](x=x, indices=indices, axis=axis)
    before = got.shape[: axis % 3]
    assert got.shape == (*before, 5, 2, *x.shape[axis % 3 + 1 :])
    for place in np.ndindex(5, 2):
        part = np.moveaxis(x, axis, 0)[indices[place]]
        np.testing.assert_array_equal(got[(slice(None),) * len(before) + place], part)


@pytest.mark.parametrize(("source", "destination"), [(0, 2), (2, 0), (-1, 1), (1, 1)])
def test_axes_that_move(source: int, destination: int) -> None:
    x = RNG.normal(size=(2, 3, 4))
    order = [a for a in range(3) if a != source % 3]
    order.insert(destination % 3, source % 3)
    got = ORACLES["moveaxis"](x=x, source=source, destination=destination)
    np.testing.assert_array_equal(got, np.transpose(x, order))


@pytest.mark.parametrize(("axis1", "axis2"), [(0, 2), (2, 1), (-1, 0)])
def test_axes_that_change_places(axis1: int, axis2: int) -> None:
    x = RNG.normal(size=(2, 3, 4))
    order = list(range(3))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    got = ORACLES["swapaxes"](x=x, axis1=axis1, axis2=axis2)
    np.testing.assert_array_equal(got, np.transpose(x, order))


@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace_is_that_of_fractions(endpoint: bool) -> None:
    steps = 49 if endpoint else 50
    expected = [float(Fraction(1, 2) + i * Fraction(9, 2) / steps) for i in range(50)]
    got = ORACLES["linspace.samples"](start=0.5, stop=5.0, num=50, endpoint=endpoint)
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=3e-16)
