"""Small arrays of whole numbers, and their shapes and dtypes, as Hypothesis draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.scenarios.model import Array

FLOATS = ("float32", "float64")


def numbered(*shape: int) -> Array:
    """The numbers from 1 in float32, in order."""
    return np.arange(1, np.prod(shape) + 1, dtype="float32").reshape(shape)


def distinct(draw: DrawFn, shape: Sequence[int], dtype: str = "float32") -> Array:
    """Different whole numbers of both signs, in any order."""
    size = int(np.prod(shape, dtype=int))
    order = np.random.default_rng(draw(st.integers(0, 2**16))).permutation(size)
    return (order - size // 2).reshape(shape).astype(dtype)


def small(draw: DrawFn, shape: Sequence[int], dtype: str = "float32", most: int = 4) -> Array:
    """Whole numbers from -most to most."""
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    return generator.integers(-most, most + 1, (*shape,)).astype(dtype)


def a_shape(draw: DrawFn, low: int = 1, high: int = 3, longest: int = 5) -> tuple[int, ...]:
    """Some axes without any that is empty."""
    return tuple(draw(st.lists(st.integers(1, longest), min_size=low, max_size=high)))


def a_dtype(draw: DrawFn) -> str:
    """float32 or float64."""
    return draw(st.sampled_from(FLOATS))
