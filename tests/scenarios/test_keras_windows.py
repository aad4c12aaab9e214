"""Windows longer than the images: a function that gives nothing, and wrong ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.scenarios.promises.keras_windows import KERNELS, POOLS
from tests.scenarios import keras_ops as ops

Function = Callable[..., Any]
LONGER = re.compile("(longer|larger) than the images")
SHORT = [name.removeprefix("keras.ops.") for name in (*KERNELS, *POOLS)]


def windowed(x: Any, window: Any, *more: Any, dilation_rate: int = 1, **_: Any) -> Any:
    """The sum of each window of images of one channel, or of each that lies beside another."""
    pools = isinstance(window, tuple)
    sizes = window if pools else window.shape[:-2]
    spans = [dilation_rate * (k - 1) + 1 for k in sizes]
    axes = zip(x.shape[1:-1], spans, sizes if pools else (1,) * len(sizes), strict=True)
    return np.zeros((len(x), *(max(0, (n - k) // s + 1) for n, k, s in axes), 1), x.dtype)


def anything(x: Any, *_: Any, **how: Any) -> Any:
    """An image of as many elements, as a kernel leaves it that was never applied."""
    return np.empty_like(x)


def at_least_one(x: Any, *arguments: Any, **how: Any) -> Any:
    shape = windowed(x, *arguments, **how).shape
    return np.zeros([max(1, n) for n in shape])


def without_dilation(x: Any, window: Any, *_: Any, **how: Any) -> Any:
    return windowed(x, window)


def wrong(name: str, function: Function) -> bool:
    scenarios = [
        s for s in ops.scenarios(name) if re.search("(longer|larger) than the images", s.title)
    ]
    assert scenarios
    return any(problem for s in scenarios for problem in ops.problems_of(s, {name: function}))


@pytest.mark.parametrize("name", SHORT)
def test_a_window_that_fits_nowhere_gives_nothing(name: str) -> None:
    assert not wrong(name, windowed)


@pytest.mark.parametrize("function", [anything, at_least_one])
@pytest.mark.parametrize("name", SHORT)
def test_an_element_of_no_window_is_wrong(name: str, function: Function) -> None:
    assert wrong(name, function)


@pytest.mark.parametrize(("shape", "fine"), [((1, 0, 0, 25), True), ((1, 1, 1, 25), False)])
def test_a_patch_larger_than_the_images_is_none(shape: tuple[int, ...], fine: bool) -> None:
    assert wrong("image.extract_patches", lambda *_, **how: np.zeros(shape)) is not fine


@pytest.mark.parametrize("name", [n.removeprefix("keras.ops.") for n in KERNELS])
def test_dilation_makes_a_window_longer(name: str) -> None:
    assert wrong(name, without_dilation)
