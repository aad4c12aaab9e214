"""Pooling: the largest element or the mean of each window.

Padding holds no elements: the maximum is that of the elements inside the image, and so is the mean
(TensorFlow, tf.nn.avg_pool; the documents do not say whether the border counts). `same` is
TensorFlow's rule, as for convolutions.

The maximum is exact. The mean of n elements has the bound gamma_(n + 2) sum |x| / n, for the sum,
the quotient and a reciprocal (Higham 2002, 3.1), and is unbounded where the sum may overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude
from conformance.oracle.windows import each, from_format, padded, pads, to_format, windows


def pool(
    x: Array,
    pool_size: Sequence[int],
    *,
    strides: int | Sequence[int] = 1,
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
    counts_border: bool = False,
) -> Array:
    """One element for each window and channel.

    With `counts_border` a mean counts elements outside the image, which are zero.

    Shapes: x (batch, spatial..., channels), or with channels first; the result has a position for
    each window on the spatial axes.

    Raises:
        ValueError: an unknown padding or mode, or a window larger than a `valid` image.
    """
    reduce = partial(_reduced, pool_size=pool_size, strides=strides, padding=padding)
    images = from_format(x, data_format)
    if pool_mode == "max":
        return to_format(reduce(images, np.maximum.reduce, -np.inf), data_format)
    if pool_mode != "avg":
        raise ValueError(f"pool_mode is {pool_mode!r}; it must be max or avg")
    total = reduce(images, np.add.reduce, 0)
    inside = reduce(np.ones_like(images), np.add.reduce, 0)
    return to_format(total / (math.prod(pool_size) if counts_border else inside), data_format)


def _reduced(
    images: Array,
    combine: Callable[..., Array],
    border: float,
    *,
    pool_size: Sequence[int],
    strides: int | Sequence[int],
    padding: str,
) -> Array:
    axes = len(pool_size)
    steps, rates = each(strides, axes), (1,) * axes
    around = pads(images.shape[1:-1], pool_size, steps, padding, rates)
    seen = windows(padded(images, around, border), pool_size, steps, rates)
    return combine(seen, axis=tuple(range(axes + 1, 2 * axes + 1)))


def bounded_pool(
    model: Arithmetic,
    x: Array,
    pool_size: Sequence[int],
    *,
    strides: int | Sequence[int] = 1,
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
    counts_border: bool = False,
) -> tuple[Array, Array]:
    """Value and bound of `pool`; the largest element is exact.

    Shapes: value and bound have the shape of `pool`.
    """
    how: dict[str, Any] = {"strides": strides, "padding": padding}
    how |= {"data_format": data_format, "pool_mode": pool_mode, "counts_border": counts_border}
    value = pool(x, pool_size, **how)
    if pool_mode == "max":
        return value, np.zeros(value.shape)
    n = math.prod(pool_size)
    magnitude = pool(finite_magnitude(x), pool_size, **how)
    factor = allowance(n + 2, model)
    bound = factor * magnitude + (2 if model.flushes else 1) * model.underflow
    risky = n * magnitude * (1 + factor) >= model.overflow
    return value, np.where(risky, np.inf, bound)


ORACLES: Mapping[str, Callable[..., Array]] = {"pool2d": pool, "pool3d": pool}

CONTRACTIONS: Mapping[str, Callable[..., tuple[Array, Array]]] = {
    "pool2d": bounded_pool,
    "pool3d": bounded_pool,
}
