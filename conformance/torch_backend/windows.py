"""Windows on images (batch, spatial dimensions..., channels), and images put together from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import torch

from conformance.reference.symbolic.shapes.windows import margins
from conformance.torch_backend.kernels import Tensor, kernel, rounded_once

Numbers = Sequence[int]


def _margins(
    lengths: Numbers, sizes: Numbers, strides: Numbers, padding: str, dilation: Numbers
) -> list[tuple[int, int, int]]:
    listed = zip(lengths, sizes, strides, dilation, strict=True)
    return [margins(n, k, s, padding, d) for n, k, s, d in listed]


@kernel
def pad(x: Tensor, widths: tuple[tuple[int, int], ...], value: float = 0) -> Tensor:
    """A value before and after each axis."""
    flat = [n for pair in reversed(widths) for n in pair]
    return torch.nn.functional.pad(x, flat, value=value)


@kernel
def windows(
    x: Tensor,
    *,
    sizes: Numbers,
    strides: Numbers,
    padding: str,
    dilation: Numbers,
    border: float,
) -> Tensor:
    """A view of every window, with `border` around the images; ValueError if none fits."""
    found = _margins(x.shape[1:-1], sizes, strides, padding, dilation)
    if not all(count for count, _, _ in found) and x.numel():
        raise ValueError(f"windows of {tuple(sizes)} do not fit images of {tuple(x.shape)}")
    seen = pad(x, ((0, 0), *((a, b) for _, a, b in found), (0, 0)), border)
    if not all(count for count, _, _ in found):
        return x.new_empty((len(x), *(count for count, _, _ in found), *sizes, x.shape[-1]))
    for axis, (k, s, d) in enumerate(zip(sizes, strides, dilation, strict=True), 1):
        seen = seen.unfold(axis, (k - 1) * d + 1, s)[..., ::d]
    return seen.movedim(len(sizes) + 1, -1)


@rounded_once
def fold(
    x: Tensor,
    shape: Tensor,
    *,
    sizes: Numbers,
    strides: Numbers,
    padding: str,
    dilation: Numbers,
) -> Tensor:
    """The sum of what the windows put at each element of images of a shape.

    One addition for each element of a window, on all windows at once. ValueError: images of that
    shape have other windows.
    """
    batch, *lengths, channels = (int(d) for d in shape)
    found = _margins(lengths, sizes, strides, padding, dilation)
    counts = [count for count, _, _ in found]
    given = (x.shape[0], *x.shape[1 : len(sizes) + 1], x.shape[-1])
    if (batch, *counts, channels) != given:
        wanted = (batch, *counts, channels)
        raise ValueError(f"from images of {shape.tolist()} come windows {wanted}, not {given}")
    whole = [n + before + behind for n, (_, before, behind) in zip(lengths, found, strict=True)]
    result = x.new_zeros((batch, *whole, channels))
    every = (slice(None),) * (len(sizes) + 1)
    for tap, place in _taps(sizes, strides, dilation, counts):
        result[(slice(None), *place)] += x[every + tap]
    inside = zip(lengths, found, strict=True)
    return result[(slice(None), *(slice(before, before + n) for n, (_, before, _) in inside))]


def _taps(
    sizes: Numbers, strides: Numbers, dilation: Numbers, counts: Numbers
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each element of a window, and where all windows have it."""
    for tap in product(*(range(k) for k in sizes)):
        listed = zip(tap, dilation, strides, counts, strict=True)
        yield tap, tuple(slice(i * d, i * d + max(n - 1, 0) * s + 1, s) for i, d, s, n in listed)
