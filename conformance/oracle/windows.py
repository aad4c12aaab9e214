"""Windows that move over images: data formats, padding, and all windows as one view.

Inside the oracle an image is (batch, spatial dimensions..., channels) and a kernel (spatial
dimensions..., channels in, channels out).

Padding `valid` takes the windows inside the image. `same` is TensorFlow's rule (tf.nn.convolution):
ceil(n / stride) windows; what they need beyond the image is split in halves, the odd element
behind. `causal` puts all of (k - 1) * dilation zeros in front. Other readings of `same` have the
same number of windows. `front` has the odd element in front; `middle` splits the elements that
strides leave over as `same` splits those that are missing; `centred` puts the middles of the
windows into the middle of the image, the middle of an even number of elements being the one before;
`half` and `early` begin half of the window, rounded up, or nearly the whole of it before the image,
whatever the stride.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from conformance.oracle.expectation import Array

Numbers = int | Sequence[int]
Pads = list[tuple[int, int]]

CHANNELS_FIRST = ("channels_first", "th")


def _early(span: int) -> int:
    """As Theano's pooling begins in Keras: the rest of the window, less 1 where it is odd."""
    return span - 2 if span > 2 and span % 2 else span - 1


BEFORE: Mapping[str, Callable[[int, int], int]] = {
    "same": lambda _span, missing: max(0, missing) // 2,
    "front": lambda _span, missing: (max(0, missing) + 1) // 2,
    "middle": lambda _span, missing: int(missing / 2),
    "centred": lambda span, missing: (span - 1) // 2 - (span - 1 - missing) // 2,
    "half": lambda span, _missing: span // 2,
    "early": lambda span, _missing: _early(span),
}
"""Readings of `same`, and the number of elements before the image. The window spans so many
elements, and so many are missing for the windows to cover it, fewer than none if some are left
over."""


def from_format(x: Array, data_format: str | None) -> Array:
    """An image tensor with its channels last.

    Shapes: x (batch, spatial..., channels) or (batch, channels, spatial...); the result is (batch,
    spatial..., channels).
    """
    return np.moveaxis(x, 1, -1) if data_format in CHANNELS_FIRST else x


def to_format(x: Array, data_format: str | None) -> Array:
    """A channels-last image tensor in a data format.

    Shapes: x (batch, spatial..., channels); the result is that or (batch, channels, spatial...).
    """
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
    """Elements before and behind the image on each axis.

    Raises:
        ValueError: the padding is unknown.
    """
    spans = [(k - 1) * d + 1 for k, d in zip(sizes, dilation, strict=True)]
    if padding == "valid":
        return [(0, 0) for _ in spans]
    if padding == "causal":
        return [(span - 1, 0) for span in spans]
    if padding not in BEFORE:
        raise ValueError(f"padding is {padding!r}; it must be valid, same or causal")
    widths = []
    for length, span, stride in zip(lengths, spans, strides, strict=True):
        missing = (-(-length // stride) - 1) * stride + span - length
        before = BEFORE[padding](span, missing)
        widths.append((before, max(0, missing - before)))
    return widths


def padded(x: Array, around: Pads, value: float = 0.0) -> Array:
    """An image tensor with `value` around it; a negative number leaves elements out in front.

    Shapes: x (batch, spatial..., channels); each spatial axis of the result is longer by its two
    widths.
    """
    inside = (slice(None), *(slice(max(0, -before), None) for before, _ in around))
    part, before = x[inside], [max(0, before) for before, _ in around]
    lengths = zip(before, part.shape[1:-1], (behind for _, behind in around), strict=True)
    shape = (part.shape[0], *map(sum, lengths), part.shape[-1])
    # np.pad does the same, by many small steps
    whole = np.full(shape, value, part.dtype, order="F" if part.flags.fnc else "C")
    middle = (slice(a, a + n) for a, n in zip(before, part.shape[1:-1], strict=True))
    whole[(slice(None), *middle)] = part
    return whole


def windows(
    x: Array, sizes: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> Array:
    """A view of (batch, positions..., sizes..., channels).

    Raises:
        ValueError: no window fits.
    """
    axes = len(sizes)
    moves = x.strides[1:-1]
    along = zip(x.shape[1:-1], sizes, strides, dilation, strict=True)
    positions = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in along]
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
