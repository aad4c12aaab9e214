"""Products of tensors, and windows of images (batch, spatial dimensions..., channels) with their
adjoint.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import torch

from conformance.reference.symbolic.shapes.windows import margins
from conformance.torch_backend.kernels import Tensor, kernel, rounded_once


@rounded_once
def dot(x: Tensor, y: Tensor) -> Tensor:
    """Last axis of x with the second-to-last of y, or with its only one."""
    return torch.tensordot(x, y, dims=([x.ndim - 1], [max(0, y.ndim - 2)]))


@rounded_once
def batch_dot(x: Tensor, y: Tensor, axes: tuple[int, int]) -> Tensor:
    """One contraction for each sample, as a product of matrices.

    Raises:
        ValueError: the batches or the summed axes differ in length.
    """
    left, right = x.movedim(axes[0], -1), y.movedim(axes[1], 1)
    batch, summed = left.shape[0], left.shape[-1]
    if right.shape[:2] != (batch, summed):
        raise ValueError(
            f"batch_dot: shapes {tuple(x.shape)} and {tuple(y.shape)} disagree for axes {axes}"
        )
    rest = (*left.shape[1:-1], *right.shape[2:]) or (1,)
    rows, columns = math.prod(left.shape[1:-1]), math.prod(right.shape[2:])
    product = left.reshape(batch, rows, summed) @ right.reshape(batch, summed, columns)
    return product.reshape(batch, *rest)


@rounded_once
def contraction(x: Tensor, y: Tensor, labels: tuple[str, str, str]) -> Tensor:
    """A product of two tensors whose axes have labels, as in Einstein's notation."""
    return torch.einsum(f"{labels[0]},{labels[1]}->{labels[2]}", x, y)


Numbers = Sequence[int]


def _margins(
    lengths: Numbers, sizes: Numbers, strides: Numbers, padding: str, dilation: Numbers
) -> list[tuple[int, int, int]]:
    axes = zip(lengths, sizes, strides, dilation, strict=True)
    return [margins(n, k, s, padding, d) for n, k, s, d in axes]


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
    """A view of every window, with `border` around the images.

    Raises:
        ValueError: no window fits.
    """
    margins = _margins(x.shape[1:-1], sizes, strides, padding, dilation)
    if not all(count for count, _, _ in margins) and x.numel():
        raise ValueError(f"windows of {tuple(sizes)} do not fit images of {tuple(x.shape)}")
    seen = pad(x, ((0, 0), *((a, b) for _, a, b in margins), (0, 0)), border)
    if not all(count for count, _, _ in margins):
        return x.new_empty((len(x), *(count for count, _, _ in margins), *sizes, x.shape[-1]))
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
    """The sum of the windows at each element of images of a shape.

    One addition for each element of a window, on all windows at once.

    Raises:
        ValueError: images of that shape have other windows.
    """
    batch, *lengths, channels = (int(d) for d in shape)
    margins = _margins(lengths, sizes, strides, padding, dilation)
    counts = [count for count, _, _ in margins]
    shape_in = (x.shape[0], *x.shape[1 : len(sizes) + 1], x.shape[-1])
    if (batch, *counts, channels) != shape_in:
        expected = (batch, *counts, channels)
        raise ValueError(f"images of {shape.tolist()} have windows {expected}, not {shape_in}")
    whole = [n + before + behind for n, (_, before, behind) in zip(lengths, margins, strict=True)]
    result = x.new_zeros((batch, *whole, channels))
    every = (slice(None),) * (len(sizes) + 1)
    for tap, place in _taps(sizes, strides, dilation, counts):
        result[(slice(None), *place)] += x[every + tap]
    inside = zip(lengths, margins, strict=True)
    return result[(slice(None), *(slice(before, before + n) for n, (_, before, _) in inside))]


def _taps(
    sizes: Numbers, strides: Numbers, dilation: Numbers, counts: Numbers
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each element of a window, and where all windows have it."""
    for tap in product(*(range(k) for k in sizes)):
        axes = zip(tap, dilation, strides, counts, strict=True)
        yield tap, tuple(slice(i * d, i * d + max(n - 1, 0) * s + 1, s) for i, d, s, n in axes)
