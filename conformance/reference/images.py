"""The common part of functions on images: data formats, checks of arguments, windows.

Source: the layouts are those of `conv2d` (ko-2.2:3099) and `pool2d` (ko-2.2:3321).
"""

from __future__ import annotations

from typing import Any

from conformance.reference.configuration import LAYOUTS
from conformance.reference.edition import EDITION
from conformance.reference.symbolic.arguments import integer, integer_vector, tensor
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Tensor, apply

CHANNELS_FIRST = "channels_first"

POSITIONS, TAPS = "pqr", "ijk"
"""Labels of the spatial axes in contractions: of positions, and of elements of a window."""


def data_format_of(value: Any, where: str) -> str:
    """`channels_last` or `channels_first`; None is the configured one, keras-1 says tf or th.

    Raises:
        ValueError: any other value (ko-2.2:3122, ja-2.0:3010).
    """
    if EDITION == "keras-1":
        if isinstance(value, str) and value in LAYOUTS:
            return LAYOUTS[value]
        raise ValueError(f"{where}: dim_ordering is {value!r}; write 'tf' or 'th'")
    if value is None:
        return active().settings.image_data_format
    if isinstance(value, str) and value in LAYOUTS.values():
        return value
    raise ValueError(
        f"{where}: data_format is {value!r}; write 'channels_last' or 'channels_first'"
    )


def padding_of(value: Any, where: str, *allowed: str) -> str:
    """One of the paddings.

    Raises:
        ValueError: the value is anything else.
    """
    if isinstance(value, str) and value in allowed:
        return value
    words = " or ".join(repr(word) for word in allowed)
    raise ValueError(f"{where}: the padding is {value!r}; write {words}")


def per_axis(value: Any, axes: int, where: str, what: str) -> tuple[int, ...]:
    """A positive integer for each spatial axis; a bare integer will do for one.

    Raises:
        ValueError: any other value.
    """
    numbers = (value,) if axes == 1 and not isinstance(value, (list, tuple)) else value
    if not isinstance(numbers, (list, tuple)) or len(numbers) != axes:
        raise ValueError(f"{where}: {what} is {value!r}; write a tuple of {axes} integers")
    return tuple(integer(n, where, f"{what}[{i}]", 1) for i, n in enumerate(numbers))


def images_of(x: Any, axes: int, data_format: str, where: str, what: str = "x") -> Tensor:
    """x with its channels last.

    Raises:
        ValueError: it is not a tensor of rank axes + 2.
    """
    images = tensor(x, where, what)
    if images.ndim != axes + 2:
        raise ValueError(
            f"{where}: {what} is {images!r}; it must have rank {axes + 2}: batch, channels and "
            f"{axes} spatial axes"
        )
    return to_last(images, data_format)


def to_last(x: Tensor, data_format: str) -> Tensor:
    """An image tensor with its channels last.

    Shapes: x (batch, spatial..., channels) or (batch, channels, spatial...); the result is (batch,
    spatial..., channels).
    """
    if data_format == "channels_last":
        return x
    return apply("permute_dimensions", x, pattern=(0, *range(2, x.ndim), 1))


def from_last(x: Tensor, data_format: str) -> Tensor:
    """A channels-last image tensor in a data format.

    Shapes: x (batch, spatial..., channels); the result is that or (batch, channels, spatial...).
    """
    if data_format == "channels_last":
        return x
    return apply("permute_dimensions", x, pattern=(0, x.ndim - 1, *range(1, x.ndim - 1)))


def windows_of(
    x: Tensor,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str = "valid",
    *,
    dilation: tuple[int, ...] | None = None,
    border: float = 0.0,
) -> Tensor:
    """All windows of channels-last images: (batch, positions..., sizes..., channels)."""
    rates = dilation or (1,) * len(sizes)
    return apply(
        "windows",
        x,
        sizes=sizes,
        strides=strides,
        padding=padding,
        dilation=rates,
        border=border,
    )


def reshaped(x: Tensor, axes: int, *dimensions: int) -> Tensor:
    """x with all axes but the first `axes` in new dimensions.

    Shapes: x (..., and more axes); the result is (..., dimensions...) with the first `axes` axes of
    x.
    """
    head = apply("getitem", apply("shape", x), index=(slice(0, axes),))
    tail = apply("cast", integer_vector(dimensions, "reshape", "shape"), dtype="int32")
    return apply("reshape", x, apply("concatenate", head, tail, axis=0))


def channels_first(data_format: Any, where: str, *, optional: bool = True) -> bool:
    """Whether the channels are the first axis. None stands for the configured layout where it may.

    Raises:
        ValueError: any value but the two words of the edition (ko-2.2:2284 and others).
    """
    older = EDITION == "keras-1"
    words = LAYOUTS if older else {word: word for word in LAYOUTS.values()}
    if data_format is None and optional:
        return active().settings.image_data_format == CHANNELS_FIRST
    if not isinstance(data_format, str) or data_format not in words:
        name = "dim_ordering" if older else "data_format"
        raise ValueError(
            f"{where}: {name} is {data_format!r}; write {' or '.join(map(repr, words))}"
        )
    return words[data_format] == CHANNELS_FIRST


def first_spatial(data_format: Any, where: str, *, optional: bool = True) -> int:
    """The first spatial axis of a tensor of images."""
    return 2 if channels_first(data_format, where, optional=optional) else 1
