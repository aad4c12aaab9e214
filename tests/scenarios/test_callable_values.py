"""The right answers to functions of images in callables, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage, signal

from conformance.scenarios.control_flow.callables import NUMPY

SIZES = (((5,), (2,)), ((5, 4), (2, 3)), ((4, 3, 5), (2, 1, 3)))


@pytest.mark.parametrize(("lengths", "sizes"), SIZES)
def test_convolutions_are_the_correlations_of_each_channel(
    lengths: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(1)
    x, kernel = rng.normal(size=(2, *lengths, 3)), rng.normal(size=(*sizes, 3, 2))
    for image, got in zip(x, NUMPY["conv"](x, kernel), strict=True):
        for place in range(2):
            channels = (
                signal.correlate(image[..., c], kernel[..., c, place], "valid") for c in range(3)
            )
            assert np.allclose(got[..., place], sum(channels))


@pytest.mark.parametrize(("lengths", "sizes"), SIZES)
@pytest.mark.parametrize("strides", [1, 2])
def test_pools_are_the_largest_elements_of_windows(
    lengths: tuple[int, ...], sizes: tuple[int, ...], strides: int
) -> None:
    x = np.random.default_rng(2).normal(size=(2, *lengths, 3))
    size = (1, *(2 for _ in sizes), 1)
    every = ndimage.maximum_filter(x, size, origin=[-(n // 2) for n in size])
    inside = (slice(None), *(slice(0, n - 1, strides) for n in lengths), slice(None))
    assert np.array_equal(NUMPY["max_pool"](x, 2, strides), every[inside])
