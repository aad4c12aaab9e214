"""Products of matrices and tensors."""

from __future__ import annotations

import math

import torch

from conformance.torch_backend.kernels import Tensor, rounded_once


@rounded_once
def dot(x: Tensor, y: Tensor) -> Tensor:
    """Last axis of x with the second-to-last of y, or with its only one."""
    return torch.tensordot(x, y, dims=([x.ndim - 1], [max(0, y.ndim - 2)]))


@rounded_once
def batch_dot(x: Tensor, y: Tensor, axes: tuple[int, int]) -> Tensor:
    """One contraction for each sample, as a product of matrices."""
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
