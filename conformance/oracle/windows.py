"""Windows that move over images: data formats, padding, and all windows as one view.

Inside the oracle an image is (batch, spatial dimensions..., channels) and a kernel (spatial
dimensions..., channels in, channels out).

Padding `valid` takes the windows inside the image. `same` is TensorFlow's rule (tf.nn.convolution):
ceil(n / stride) windows; what they need beyond the image is split in halves, the odd element
behind. `causal` puts all of (k - 1) * dilation zeros in front.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from conformance.oracle.expectation import Array

Numbers = int | Sequence[int]
Pads = list[tuple[int, int]]

CHANNELS_FIRST = ("channels_first", "th")


def from_format(x: Array, data_format: str | None) -> Array:
    """An image tensor with its channels last."""
    return np.moveaxis(x, 1, -1) if data_format in CHANNELS_FIRST else x


def to_format(x: Array, data_format: str | None) -> Array:
    """A channels-last image tensor in a data format."""
    return np.moveaxis(x, -1, 1) if data_format in CHANNELS_FIRST else x


def each(numbers: Numbers, axes: int) -> tuple[int, ...]:
    """One number for each spatial axis."""
    return (numbers,) * axes if isinstance(numbers, int) else tuple(numbers)


def pads(
    lengths: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
) -> Pads:
    """Elements before and behind the image on each axis; ValueError for an unknown padding."""
    spans = [(k - 1) * d + 1 for k, d in zip(sizes, dilation, strict=True)]
    if padding == "valid":
        return [(0, 0) for _ in spans]
    if padding == "causal":
        return [(span - 1, 0) for span in spans]
    if padding != "same":
        raise ValueError(f"padding is {padding!r}; it must be valid, same or causal")
    found = []
    for length, span, stride in zip(lengths, spans, strides, strict=True):
        missing = max(0, (-(-length // stride) - 1) * stride + span - length)
        found.append((missing // 2, missing - missing // 2))
    return found


def padded(x: Array, around: Pads, value: float = 0.0) -> Array:
    """An image tensor with `value` around it."""
    return np.pad(x, [(0, 0), *around, (0, 0)], constant_values=value)


def windows(
    x: Array, sizes: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> Array:
    """A view of (batch, positions..., sizes..., channels); ValueError if no window fits."""
    axes = len(sizes)
    moves = x.strides[1:-1]
    listed = zip(x.shape[1:-1], sizes, strides, dilation, strict=True)
    positions = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in listed]
    if min(positions) < 1 and x.size:
        raise ValueError(f"windows {tuple(sizes)} do not fit an image of {x.shape[1:-1]}")
    return as_strided(
        x,
        (x.shape[0], *positions, *sizes, x.shape[-1]),
        (
            x.strides[0],
            *(moves[i] * strides[i] for i in range(axes)),
            *(moves[i] * dilation[i] for i in range(axes)),
            x.strides[-1],
        ),
        writeable=False,
    )
