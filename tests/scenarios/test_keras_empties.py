"""Tensors without elements: functions that keep to the shape, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.scenarios.promises.keras_empties import (
    EXTREMES,
    REDUCTIONS,
    WITH_INITIAL,
    WITHOUT_KEEPDIMS,
)
from tests.scenarios import keras_ops as ops

Function = Callable[..., Any]
ALL = [n.removeprefix("keras.ops.") for n in (*REDUCTIONS, *WITHOUT_KEEPDIMS, *EXTREMES)]


def zeros(x: Any, axis: int | None = None, keepdims: bool = False, initial: Any = 0) -> Any:
    """A right answer where the documents leave the numbers open."""
    return np.sum(x, axis=axis, keepdims=keepdims) + np.asarray(initial, x.dtype)


def flat(x: Any, axis: int | None = None, keepdims: bool = False, initial: Any = 0) -> Any:
    """All axes are reduced, whatever is asked for."""
    return zeros(x, keepdims=keepdims, initial=initial)


def dropped(x: Any, axis: int | None = None, keepdims: bool = False, initial: Any = 0) -> Any:
    return zeros(x, axis, initial=initial)


def initials_dtype(
    x: Any, axis: int | None = None, keepdims: bool = False, initial: Any = 0
) -> Any:
    return zeros(x, axis, keepdims).astype(np.asarray(initial).dtype) + initial


def wrong(name: str, function: Function) -> bool:
    scenarios = [s for s in ops.scenarios(name) if "(0, 3)" in s.title]
    assert scenarios
    return any(problem for s in scenarios for problem in ops.problems_of(s, {name: function}))


@pytest.mark.parametrize("name", ALL)
def test_the_axes_that_remain_keep_their_lengths(name: str) -> None:
    assert not wrong(name, zeros)
    assert wrong(name, flat)


@pytest.mark.parametrize("name", [n for n in ALL if f"keras.ops.{n}" not in WITHOUT_KEEPDIMS])
def test_an_axis_of_length_one_is_kept(name: str) -> None:
    assert wrong(name, dropped)


@pytest.mark.parametrize("name", [n.removeprefix("keras.ops.") for n in WITH_INITIAL])
def test_the_initial_has_the_dtype_of_the_tensor(name: str) -> None:
    assert wrong(name, initials_dtype)
