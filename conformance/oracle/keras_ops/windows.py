"""Windows of Keras 3 that move over one, two or three spatial axes: what K has under other names.

A transposed convolution of Keras 3 has no argument for the shape of its result. It infers one, or
`output_padding` says how many elements there are beyond the shortest (`image_rules.transposed`).
Each element of x is spread over a window, and the windows begin a stride apart. The result leaves
out as many of the first elements as padding `same` puts before an image of that length
(`windows.BEFORE`). An element that no window reaches is zero.

Bounds are those of `convolution` and `pooling`.

Source: the docstring of `keras.ops.conv_transpose`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product as combinations
from typing import Any

import numpy as np

from conformance.oracle.convolution import contracted
from conformance.oracle.expectation import Array
from conformance.oracle.linear_algebra import inner_product
from conformance.oracle.pooling import bounded_pool, pool
from conformance.oracle.rounding import Arithmetic
from conformance.oracle.windows import BEFORE, Numbers, each, from_format, to_format
from conformance.specs.image_rules import transposed_length

Bounded = tuple[Array, Array]


def _cut(
    length: int, span: int, stride: int, added: int | None, *, padding: str, reached: bool
) -> tuple[int, int]:
    """Where the result begins on an axis of so many elements, and how long it is."""
    reach = (length - 1) * stride + span
    if padding == "valid":
        inferred = transposed_length(length, span, stride, padding, added)
        return 0, reach if reached and added is None else inferred
    if padding not in BEFORE:
        raise ValueError(f"padding is {padding!r}; it must be valid or same")
    whole = transposed_length(length, span, stride, "same", added)
    return BEFORE[padding](span, reach - whole), whole


def conv_transpose(
    x: Array,
    kernel: Array,
    *,
    strides: Numbers = 1,
    padding: str = "valid",
    output_padding: Numbers | None = None,
    data_format: str | None = None,
    dilation_rate: Numbers = 1,
    only_reached: bool = False,
) -> Array:
    """The transposed convolution; the kernel is (spatial dimensions, channels out, channels in).

    With `only_reached` a `valid` result ends with the last window, however long the strides are.
    ValueError: an unknown padding, or channels that differ.

    Shapes: x (batch, spatial..., in), kernel (spatial..., out, in); the result is (batch,
    spatial..., out), in the data format of x.
    """
    images, axes = from_format(x, data_format), x.ndim - 2
    steps, rates = each(strides, axes), each(dilation_rate, axes)
    more = (None,) * axes if output_padding is None else each(output_padding, axes)
    spread = _spread(images, kernel, steps, rates)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel.shape, rates, strict=False)]
    along = zip(images.shape[1:-1], spans, steps, more, strict=True)
    ends = [_cut(*axis, padding=padding, reached=only_reached) for axis in along]
    return to_format(_part(spread, ends), data_format)


def _spread(images: Array, kernel: Array, steps: Sequence[int], rates: Sequence[int]) -> Array:
    """All that the windows reach, each element of the images spread over one."""
    *sizes, outside, _ = kernel.shape
    lengths = images.shape[1:-1]
    each_axis = list(zip(lengths, steps, rates, sizes, strict=True))
    reach = [(n - 1) * s + (k - 1) * d + 1 for n, s, d, k in each_axis]
    spread = np.zeros((len(images), *reach, outside), np.result_type(images, kernel))
    for place in combinations(*(range(k) for k in sizes)):
        pairs = zip(place, each_axis, strict=True)
        where = tuple(slice(i * d, i * d + (n - 1) * s + 1, s) for i, (n, s, d, _) in pairs)
        spread[(slice(None), *where)] += contracted(images, kernel[place].T, 1)
    return spread


def _part(images: Array, ends: Sequence[tuple[int, int]]) -> Array:
    """On each spatial axis so many elements from a place on, zeros beyond the end."""
    part = images[(slice(None), *(slice(a, a + n) for a, n in ends))]
    whole = np.zeros((len(images), *(n for _, n in ends), images.shape[-1]), images.dtype)
    whole[(slice(None), *(slice(0, n) for n in part.shape[1:-1]))] = part
    return whole


def _gathered(kernel: Array, **_: Any) -> int:
    return math.prod((*kernel.shape[:-2], kernel.shape[-1]))


def bounded_conv_transpose(model: Arithmetic, x: Array, kernel: Array, **others: Any) -> Bounded:
    """Value and bound of `conv_transpose`.

    Shapes: value and bound have the shape of `conv_transpose`.
    """

    def product(left: Array, right: Array) -> Array:
        return conv_transpose(left, right, **others)

    return inner_product(product, max(1, _gathered(kernel)), model, x, kernel)


def _as_pool(
    mode: str, x: Array, pool_size: Numbers, strides: Numbers | None, **others: Any
) -> Any:
    """The arguments of `pool`: without strides, windows lie side by side."""
    sizes = each(pool_size, x.ndim - 2)
    moves = sizes if strides is None else each(strides, x.ndim - 2)
    return {"x": x, "pool_size": sizes, "strides": moves, "pool_mode": mode, **others}


def _pool(mode: str) -> Callable[..., Array]:
    def oracle(x: Array, pool_size: Numbers, strides: Numbers | None = None, **how: Any) -> Array:
        return pool(**_as_pool(mode, x, pool_size, strides, **how))

    return oracle


def _bounded_pool(mode: str) -> Callable[..., Bounded]:
    def bounded(
        model: Arithmetic, x: Array, pool_size: Numbers, strides: Numbers | None = None, **how: Any
    ) -> Bounded:
        return bounded_pool(model, **_as_pool(mode, x, pool_size, strides, **how))

    return bounded


def _pooled(x: Array, pool_size: Numbers, **_: Any) -> int:
    return math.prod(each(pool_size, x.ndim - 2))


POOLS = {"average_pool": "avg", "max_pool": "max"}

ORACLES: Mapping[str, Callable[..., Array]] = {
    "conv_transpose": conv_transpose,
    **{name: _pool(mode) for name, mode in POOLS.items()},
}

TERMS: Mapping[str, Callable[..., int]] = {
    "conv_transpose": _gathered,
    **dict.fromkeys(POOLS, _pooled),
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "conv_transpose": bounded_conv_transpose,
    **{name: _bounded_pool(mode) for name, mode in POOLS.items()},
}
