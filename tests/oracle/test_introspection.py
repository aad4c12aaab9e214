"""Casts and shapes against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees
from conformance.oracle.evaluate import expect
from conformance.specs import load

CAST, SHAPE = load()["cast"].accuracy, load()["shape"].accuracy
RNG = np.random.default_rng(0)
FLOATS = ("float16", "float32", "float64")


def numbers(dtype: str) -> Any:
    """Numbers of all magnitudes that the dtype has."""
    if dtype == "bool":
        return np.array([True, False])
    if not dtype.startswith("float"):
        return np.array([0, 1, 100, 2**8 - 1], dtype)
    scale = 10.0 ** RNG.integers(-4, 4, 200)
    return np.append(RNG.normal(size=200) * scale, [0.0, np.inf, np.nan]).astype(dtype)


@pytest.mark.parametrize("target_dtype", FLOATS)
@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64", "uint8", "bool"])
def test_a_cast_is_one_rounding(dtype: str, target_dtype: str) -> None:
    assert CAST is not None
    x = numbers(dtype)
    with np.errstate(over="ignore"):
        right = x.astype(target_dtype)
    expectation = expect("cast", {"x": x, "dtype": target_dtype}, target_dtype, CAST)
    assert agrees(right, expectation).all()
    finite = np.isfinite(right) & (right != 0)
    beside = np.nextafter(np.nextafter(right[finite], np.inf), np.inf)
    wrong = right.copy()
    wrong[finite] = beside
    narrow = "float16" if "float16" in (dtype, target_dtype) else target_dtype
    normal = finite & (np.abs(right) > 2 * np.finfo(narrow).smallest_normal)
    assert normal.any()
    assert not agrees(wrong, expectation)[normal].any()


@pytest.mark.parametrize("dims", [(), (3,), (2, 0, 4)])
def test_a_shape_is_its_dimensions(dims: tuple[int, ...]) -> None:
    assert SHAPE is not None
    expectation = expect("shape", {"x": np.zeros(dims, "float32")}, "int32", SHAPE)
    assert expectation.value.tolist() == list(dims)
    assert expectation.value.shape == (len(dims),)
    assert not expectation.bound.any()
