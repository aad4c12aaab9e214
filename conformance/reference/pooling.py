"""Pooling: the largest element or the mean of each window. Shape and dtype as a convolution's.

Elements that windows show beyond the image count neither for the maximum nor for the mean.
ValueError: a data format, padding or pool_mode that is not documented, no tensor, another rank,
windows larger than a `valid` image.
"""

from __future__ import annotations

import math
from typing import Any

from conformance.reference.edition import documented
from conformance.reference.images import (
    data_format_of,
    from_last,
    images_of,
    padding_of,
    per_axis,
    windows_of,
)
from conformance.reference.symbolic.graph import Tensor, apply


def _pooling(
    where: str,
    axes: int,
    x: Any,
    pool_size: Any,
    *,
    strides: Any,
    padding: Any,
    data_format: Any,
    pool_mode: Any,
) -> Tensor:
    layout = data_format_of(data_format, where)
    images = images_of(x, axes, layout, where)
    sizes = per_axis(pool_size, axes, where, "pool_size")
    steps = per_axis(strides, axes, where, "strides")
    mode = padding_of(padding, where, "valid", "same")
    inside = tuple(range(axes + 1, 2 * axes + 1))
    if pool_mode == "max":
        seen = windows_of(images, sizes, steps, mode, border=-math.inf)
        return from_last(apply("max", seen, axis=inside, keepdims=False), layout)
    if pool_mode != "avg":
        raise ValueError(f"{where}: pool_mode is {pool_mode!r}; write 'max' or 'avg'")
    ones = apply("fill_like", images, value=1, dtype=images.dtype)
    total, count = (
        apply("sum", windows_of(each, sizes, steps, mode), axis=inside, keepdims=False)
        for each in (images, ones)
    )
    return from_last(total / count, layout)


@documented(
    "ja-1:1458 pool2d(x, pool_size, strides=(1, 1), border_mode='valid', dim_ordering='th', "
    "pool_mode='max')",
    "ja-2.0:3100 pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, "
    "pool_mode='max')",
    "ko-2.2:3321 pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, "
    "pool_mode='max')",
)
def pool2d(  # noqa: PLR0917 - as documented
    x: Tensor,
    pool_size: tuple[int, int],
    strides: tuple[int, int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The maximum (`max`) or mean (`avg`) of each window on images.

    Shapes: x (batch, rows, columns, channels), or with channels first; the result has a row and a
    column for each window.
    """
    return _pooling(
        "pool2d",
        2,
        x,
        pool_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        pool_mode=pool_mode,
    )


@documented(
    "ja-1:1479 pool3d(x, pool_size, strides=(1, 1, 1), border_mode='valid', dim_ordering='tf', "
    "pool_mode='max')",
    "ja-2.0:3129 pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, "
    "pool_mode='max')",
    "ko-2.2:3351 pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, "
    "pool_mode='max')",
)
def pool3d(  # noqa: PLR0917 - as documented
    x: Tensor,
    pool_size: tuple[int, int, int],
    strides: tuple[int, int, int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The maximum (`max`) or mean (`avg`) of each window on volumes.

    Shapes: x (batch, depth, rows, columns, channels), or with channels first; the result has a
    place for each window on three axes.
    """
    return _pooling(
        "pool3d",
        3,
        x,
        pool_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        pool_mode=pool_mode,
    )
