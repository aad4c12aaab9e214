"""Reductions, and running sums and products. PyTorch takes no axes to mean all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from conformance.torch_backend.kernels import KERNELS, Kernel, Tensor, widened

Axes = tuple[int, ...]


def _along(reduce: Kernel, without: Callable[[Tensor], Any] = lambda x: x) -> Kernel:
    """The reduction, or what `without` says where there is no axis."""

    def reduced(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
        return reduce(x, dim=axis, keepdim=keepdims) if axis else without(x)

    return reduced


def _bits(reduce: Kernel) -> Kernel:
    reducer = _along(reduce)
    return lambda x, axis, keepdims: reducer(x != 0, axis, keepdims).to(torch.uint8)


def _numbers(x: Tensor) -> Tensor:
    return x.to(torch.uint8) if x.dtype is torch.bool else x


def _nothing(x: Tensor) -> Tensor:
    """The distance from the mean of a single element."""
    return x - x


def _variance(x: Tensor, dim: Axes, keepdim: bool) -> Tensor:
    """In two passes; PyTorch's own, in one, is less exact."""
    return torch.mean(torch.square(x - torch.mean(x, dim, True)), dim, keepdim)


def _deviation(x: Tensor, **how: Any) -> Tensor:
    """The root of the variance; where all elements are equal its slope is 0, a subgradient."""
    variance = _variance(x, **how)
    alike = variance == 0
    return torch.where(alike, 0, variance.masked_fill(alike, 1).sqrt())


KERNELS.update(
    {
        "max": _along(torch.amax),
        "min": _along(torch.amin),
        "sum": _along(lambda x, **how: torch.sum(x, dtype=x.dtype, **how)),
        "mean": _along(torch.mean),
        "var": widened(_along(_variance, _nothing)),
        "std": widened(_along(_deviation, _nothing)),
        "logsumexp": widened(_along(torch.logsumexp)),
        "any": _bits(torch.any),
        "all": _bits(torch.all),
        "argmax": lambda x, axis: torch.argmax(_numbers(x), axis),
        "argmin": lambda x, axis: torch.argmin(_numbers(x), axis),
        "cumsum": widened(lambda x, axis: torch.cumsum(x, axis, dtype=x.dtype)),
        "cumprod": widened(lambda x, axis: torch.cumprod(x, axis, dtype=x.dtype)),
    }
)


@widened
def _product(x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    for i in sorted(axis, reverse=True):
        x = torch.prod(x, i, keepdim=keepdims, dtype=x.dtype)
    return x


KERNELS["prod"] = _product
