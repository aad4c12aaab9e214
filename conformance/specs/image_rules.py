"""Operators of the rule language for images, kernels and windows that move over images.

An image tensor is (batch, spatial dimensions..., channels), or (batch, channels, spatial
dimensions...) where the data format is `channels_first` or `th` (ko-2.2 lines 66 to 68, ja-1 line
47). A dimension that is not known when a graph is built is None, and so is what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Dim = int | None
Dims = tuple[Dim, ...]

CHANNELS_FIRST = ("channels_first", "th")
"""The data formats with the channels before the spatial dimensions."""


def images(batch: Dim, spatial: Sequence[Dim], channels: Dim, data_format: str | None) -> Dims:
    """The shape of a batch of images."""
    if data_format in CHANNELS_FIRST:
        return (batch, channels, *spatial)
    return (batch, *spatial, channels)


def spatial(shape: Sequence[Dim], data_format: str | None) -> Dims:
    """The spatial dimensions of a batch of images."""
    return tuple(shape[2:] if data_format in CHANNELS_FIRST else shape[1:-1])


def channels(shape: Sequence[Dim], data_format: str | None) -> Dim:
    """The number of channels of a batch of images."""
    return shape[1 if data_format in CHANNELS_FIRST else -1]


def kernel(shape: Sequence[Dim], data_format: str | None) -> Dims:
    """The shape of a kernel as (spatial dimensions..., channels in, channels out).

    It has that shape already, but for `th`, where it is (out, in, spatial dimensions...).
    """
    return (*shape[2:], shape[1], shape[0]) if data_format == "th" else tuple(shape)


def dilated(sizes: int | Sequence[Dim], dilation: int | Sequence[int]) -> Dims:
    """How many elements windows span whose own elements are `dilation` apart."""
    lengths = (sizes,) if isinstance(sizes, int) else sizes
    pairs = zip(lengths, each(dilation, lengths), strict=True)
    return tuple(None if k is None else (k - 1) * d + 1 for k, d in pairs)


def windows(
    lengths: Sequence[Dim],
    sizes: int | Sequence[Dim],
    strides: int | Sequence[int],
    padding: str,
    dilation: int | Sequence[int],
) -> Dims:
    """How many windows fit on each axis: whole ones for `valid`, else one for each stride begun."""
    own = (sizes,) * len(lengths) if isinstance(sizes, int) else sizes
    spans = dilated(own, dilation) if padding == "valid" else (1,) * len(own)
    axes = zip(lengths, spans, each(strides, lengths), strict=True)
    return tuple(None if n is None or k is None else max(0, (n - k) // s + 1) for n, k, s in axes)


def spread(lengths: Sequence[Dim], sizes: Sequence[Dim], strides: int | Sequence[int]) -> Dims:
    """The lengths over which so many windows of these sizes move."""
    axes = zip(lengths, sizes, each(strides, lengths), strict=True)
    return tuple(None if n is None or k is None else (n - 1) * s + k for n, k, s in axes)


def transposed(  # noqa: PLR0917 - the arguments of a rule
    lengths: Sequence[Dim],
    sizes: Sequence[Dim],
    strides: int | Sequence[int],
    padding: str,
    dilation: int | Sequence[int],
    added: int | Sequence[int] | None,
) -> Dims:
    """The lengths of what a transposed convolution makes of images, as Keras 3 infers them.

    `added` is how many elements more there are than the shortest result has; without it, padding
    `same` gives a stride for each element, and `valid` what windows and strides reach.
    """
    spans, steps = dilated(sizes, dilation), each(strides, lengths)
    more = (None,) * len(steps) if added is None else each(added, lengths)
    axes = zip(lengths, spans, steps, more, strict=True)
    return tuple(
        None if n is None or k is None else transposed_length(n, k, s, padding, a)
        for n, k, s, a in axes
    )


def transposed_length(length: int, span: int, stride: int, padding: str, added: int | None) -> int:
    """The same of one axis, for windows that span so many elements."""
    if added is not None:
        whole = span if padding == "valid" else span % 2
        return (length - 1) * stride + whole + added
    return (length - 1) * stride + (max(span, stride) if padding == "valid" else stride)


def patches(
    lengths: Sequence[Dim],
    sizes: int | Sequence[int],
    dilation: int | Sequence[int],
    padding: int | Sequence[int],
    strides: int | Sequence[int],
) -> Dims:
    """How many windows fit on each axis with so many zeros on both of its sides."""
    pairs = zip(lengths, each(padding, lengths), strict=True)
    whole = [None if n is None else n + 2 * p for n, p in pairs]
    return windows(whole, sizes, strides, "valid", dilation)


def each(value: int | Sequence[int], axes: Sequence[Any]) -> Sequence[int]:
    """One number for each axis; a single integer stands for all."""
    return (value,) * len(axes) if isinstance(value, int) else value


def _any_above(items: int | Sequence[Dim], bound: int) -> bool:
    lengths = (items,) if isinstance(items, int) else items
    return any(i is not None and i > bound for i in lengths)


def _any_even(items: Sequence[Dim]) -> bool:
    return any(i is not None and i % 2 == 0 for i in items)


OPERATORS: dict[str, Callable[..., Any]] = {
    "images": images,
    "spatial": spatial,
    "channels": channels,
    "kernel": kernel,
    "dilated": dilated,
    "windows": windows,
    "spread": spread,
    "transposed": transposed,
    "patches": patches,
    "each": each,
    "any_above": _any_above,
    "any_even": _any_even,
}
