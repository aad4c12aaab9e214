"""Windows of images: strided views, and their adjoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from conformance.reference.numpy_library.kernels import WIDER, Array, kernel
from conformance.reference.symbolic.shapes.windows import margins


def _margins(
    lengths: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
) -> list[tuple[int, int, int]]:
    listed = zip(lengths, sizes, strides, dilation, strict=True)
    return [margins(n, k, s, padding, d) for n, k, s, d in listed]


@kernel
def windows(
    x: Array,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
    border: float,
) -> Any:
    """A view of every window, with `border` around the images; ValueError if none fits."""
    found = _margins(x.shape[1:-1], sizes, strides, padding, dilation)
    if not all(count for count, _, _ in found) and x.size:
        raise ValueError(f"windows of {tuple(sizes)} do not fit images of shape {x.shape}")
    padded = _padded(x, found, border)
    moves = padded.strides[1:-1]
    return as_strided(
        padded,
        (len(x), *(count for count, _, _ in found), *sizes, x.shape[-1]),
        (
            padded.strides[0],
            *(move * s for move, s in zip(moves, strides, strict=True)),
            *(move * d for move, d in zip(moves, dilation, strict=True)),
            padded.strides[-1],
        ),
        writeable=False,
    )


def _padded(x: Array, around: Sequence[tuple[int, int, int]], border: float) -> Array:
    """The images with the elements in front and behind that windows need."""
    if not any(before or behind for _, before, behind in around):
        return x
    axes = list(zip(x.shape[1:-1], around, strict=True))
    whole = (n + before + behind for n, (_, before, behind) in axes)
    result = np.full((len(x), *whole, x.shape[-1]), border, x.dtype)
    result[(slice(None), *(slice(before, before + n) for n, (_, before, _) in axes))] = x
    return result


@kernel
def fold(
    x: Array,
    shape: Array,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    dilation: Sequence[int],
) -> Any:
    """The sum of what the windows put at each element of images of a shape.

    One addition for each element of a window, on all windows at once, in the next wider type.
    ValueError: images of that shape have other windows.
    """
    batch, *lengths, channels = (int(d) for d in shape)
    found = _margins(lengths, sizes, strides, padding, dilation)
    given = (x.shape[0], *x.shape[1 : len(sizes) + 1], x.shape[-1])
    wanted = (batch, *(count for count, _, _ in found), channels)
    if wanted != given:
        raise ValueError(f"from images of {tuple(shape)} come windows {wanted}, not {given}")
    whole = [n + before + behind for n, (_, before, behind) in zip(lengths, found, strict=True)]
    result = np.zeros((batch, *whole, channels), WIDER.get(x.dtype, x.dtype))
    every = (slice(None),) * (len(sizes) + 1)
    for tap, place in _taps(sizes, strides, dilation, wanted[1:-1]):
        result[(slice(None), *place)] += x[every + tap]
    inside = (slice(before, before + n) for n, (_, before, _) in zip(lengths, found, strict=True))
    return result[(slice(None), *inside)].astype(x.dtype, copy=False)


def _taps(
    sizes: Sequence[int], strides: Sequence[int], dilation: Sequence[int], counts: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each element of a window, and where all windows have it."""
    for tap in product(*(range(k) for k in sizes)):
        listed = zip(tap, dilation, strides, counts, strict=True)
        yield tap, tuple(slice(i * d, i * d + max(n - 1, 0) * s + 1, s) for i, d, s, n in listed)
