"""Padding, resizing and biases of sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.images import channels_first, first_spatial
from conformance.reference.symbolic.arguments import integer, tensor
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.rules import same_dimension, same_dtype

Pair = tuple[int, int]


def _of_rank(x: Any, rank: int, where: str) -> Tensor:
    array = tensor(x, where)
    if array.ndim != rank:
        raise ValueError(f"{where}: x is {array!r}; it needs rank {rank}")
    return array


def _pad(x: Tensor, first: int, pairs: Sequence[Pair]) -> Tensor:
    after = ((0, 0),) * (x.ndim - first - len(pairs))
    return apply("pad", x, widths=(*((0, 0),) * first, *pairs, *after))


def _pair(value: Any, where: str, what: str) -> Pair:
    """Two counts; in keras-1 one count for both sides."""
    if says("ja-1:1004"):
        count = integer(value, where, what, at_least=0)
        return count, count
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ValueError(f"{where}: {what} is {value!r}; write a tuple of two integers")
    before, after = (integer(n, where, f"{what}[{i}]", at_least=0) for i, n in enumerate(value))
    return before, after


def _pairs(padding: Any, axes: int, where: str) -> list[Pair]:
    if not isinstance(padding, (list, tuple)) or len(padding) != axes:
        raise ValueError(f"{where}: padding is {padding!r}; write a tuple of {axes}")
    return [_pair(side, where, f"padding[{i}]") for i, side in enumerate(padding)]


@documented(
    "ja-1:1000 temporal_padding(x, padding=1)",
    "ja-2.0:1746 temporal_padding(x, padding=(1, 1))",
    "ko-2.2:2244 temporal_padding(x, padding=(1, 1))",
)
def temporal_padding(x: Tensor, padding: Any = (1, 1)) -> Tensor:
    """Zeros before and after axis 1 of rank 3 (ko-2.2:2253); keras-1: one number for both ends.

    ValueError: another rank, or padding is not a pair (keras-1: not an integer) from 0 up.

    Shapes: x (samples, steps, features); the result has more steps.
    """
    where = "temporal_padding"
    return _pad(_of_rank(x, 3, where), 1, [_pair(padding, where, "padding")])


@documented("zh-TW:987 asymmetric_temporal_padding(x, left_pad=1, right_pad=1)")
def asymmetric_temporal_padding(x: Tensor, left_pad: int = 1, right_pad: int = 1) -> Tensor:
    """Zeros before and after axis 1 of rank 3 (conflict C083). ValueError as above.

    Shapes: x (samples, steps, features); the result has left_pad + right_pad more steps.
    """
    where = "asymmetric_temporal_padding"
    before = integer(left_pad, where, "left_pad", at_least=0)
    after = integer(right_pad, where, "right_pad", at_least=0)
    return _pad(_of_rank(x, 3, where), 1, [(before, after)])


@documented(
    "ja-1:1012 spatial_2d_padding(x, padding=(1, 1), dim_ordering='th')",
    "ja-2.0:1765 spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None)",
    "ko-2.2:2266 spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None)",
)
def spatial_2d_padding(
    x: Tensor, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """Zeros around the rows and columns of rank 4: ((top, bottom), (left, right)) (C084).

    keras-1: one number for rows, one for columns. ValueError: data_format is not a layout
    (ko-2.2:2284), another rank, padding of another form.
    """
    where = "spatial_2d_padding"
    first = first_spatial(data_format, where)
    return _pad(_of_rank(x, 4, where), first, _pairs(padding, 2, where))


@documented(
    "ja-1:1024 spatial_3d_padding(x, padding=(1, 1, 1), dim_ordering='th')",
    "ja-2.0:1789 spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None)",
    "ko-2.2:2292 spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None)",
)
def spatial_3d_padding(
    x: Tensor, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """Zeros around depth, height and width of rank 5: a pair for each (C086).

    keras-1: one number for each. ValueError: data_format is not a layout (ko-2.2:2318), another
    rank, padding of another form.

    Shapes: x (samples, depth, rows, columns, channels), or with channels first; the result is
    longer on three axes.
    """
    where = "spatial_3d_padding"
    first = first_spatial(data_format, where)
    return _pad(_of_rank(x, 5, where), first, _pairs(padding, 3, where))


def _resize(x: Any, factors: dict[str, Any], data_format: Any, where: str) -> Tensor:
    first = first_spatial(data_format, where, optional=False)
    result = _of_rank(x, len(factors) + 2, where)
    for axis, (name, factor) in enumerate(factors.items(), first):
        rep = integer(factor, where, name, at_least=1)
        result = apply("repeat_elements", result, rep=rep, axis=axis)
    return result


@documented(
    "ja-1:907 resize_images(X, height_factor, width_factor, dim_ordering)",
    "ja-2.0:1528 resize_images(x, height_factor, width_factor, data_format)",
    "ko-2.2:2004 resize_images(x, height_factor, width_factor, data_format)",
)
def resize_images(x: Tensor, height_factor: int, width_factor: int, data_format: str) -> Tensor:
    """Every row and column of rank 4 as often as the factors say (nearest neighbour).

    ValueError: data_format is not a layout (ko-2.2:2023), a factor is not a positive integer
    (ko-2.2:2013), another rank.

    Shapes: x (samples, rows, columns, channels), or with channels first; the result has
    height_factor times the rows and width_factor times the columns.
    """
    factors = {"height_factor": height_factor, "width_factor": width_factor}
    return _resize(x, factors, data_format, "resize_images")


@documented(
    "ja-1:921 resize_volumes(X, depth_factor, height_factor, width_factor, dim_ordering)",
    "ja-2.0:1553 resize_volumes(x, depth_factor, height_factor, width_factor, data_format)",
    "ko-2.2:2031 resize_volumes(x, depth_factor, height_factor, width_factor, data_format)",
)
def resize_volumes(
    x: Tensor, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Tensor:
    """As `resize_images`, for rank 5 and three factors (ko-2.2:2051).

    Shapes: x (samples, depth, rows, columns, channels), or with channels first; each spatial axis
    of the result is its factor times as long.
    """
    factors = {
        "depth_factor": depth_factor,
        "height_factor": height_factor,
        "width_factor": width_factor,
    }
    return _resize(x, factors, data_format, "resize_volumes")


@documented(
    "ja-2.0:3157 bias_add(x, bias, data_format=None)",
    "ko-2.2:3382 bias_add(x, bias, data_format=None)",
)
def bias_add(x: Tensor, bias: Tensor, data_format: str | None = None) -> Tensor:
    """x plus a vector with a number for each channel.

    keras-2.2: or plus a tensor with one axis less than x, channels last.

    Shapes: x (samples, ..., channels), or with channels first; the result has the shape of x.

    Raises:
        ValueError: an unknown data_format, another rank of the bias (ko-2.2:3401), another number
            of channels, or another dtype.
    """
    first = channels_first(data_format, "bias_add")
    x, added = tensor(x, "bias_add"), tensor(bias, "bias_add", "bias")
    if x.ndim < 2:
        raise ValueError(f"bias_add: x is {x!r}; it needs rank 2 or more")
    same_dtype("bias_add", x, added)
    ranks = (1, x.ndim - 1) if says("ko-2.2:3403") else (1,)
    if added.ndim not in ranks:
        allowed = " or ".join(map(str, sorted(set(ranks))))
        raise ValueError(f"bias_add: bias is {added!r}; it needs rank {allowed}")
    placed = _placed(x, added, first=first and x.ndim > 2)
    for axis in range(x.ndim):
        if placed.shape[axis] != 1 or (axis == 1 and first):
            same_dimension(
                placed.shape[axis], x.shape[axis], f"bias_add: x and bias along axis {axis}"
            )
    return apply("alike", apply("add", x, placed), x)


def _placed(x: Tensor, bias: Tensor, *, first: bool) -> Tensor:
    """The bias with the rank of x and its channels where x has them."""
    if bias.ndim == 1:
        after = x.ndim - 2 if first else 0
        for _ in range(after):
            bias = apply("expand_dims", bias, axis=bias.ndim)
    elif first:
        bias = apply("permute_dimensions", bias, pattern=(bias.ndim - 1, *range(bias.ndim - 1)))
    while bias.ndim < x.ndim:
        bias = apply("expand_dims", bias, axis=0)
    return bias
