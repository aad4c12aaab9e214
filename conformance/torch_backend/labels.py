"""Operations with labels, and a check of shapes that only evaluation knows."""

from __future__ import annotations

import torch

from conformance.torch_backend.kernels import Tensor, kernel


@kernel
def alike(x: Tensor, *others: Tensor) -> Tensor:
    """x; ValueError if one of the others has another shape."""
    for other in others:
        if other.shape != x.shape:
            raise ValueError(f"shapes {tuple(x.shape)} and {tuple(other.shape)} must be equal")
    return x


@kernel
def take_class(x: Tensor, labels: Tensor, axis: int) -> Tensor:
    """The element at each label; ValueError if a label is not a class."""
    classes, found = x.shape[axis], labels.to(torch.int64)
    wrong = (found < 0) | (found >= classes)
    if wrong.any():
        raise ValueError(
            f"label {int(found[wrong][0])} is no class; write one from 0 to {classes - 1}"
        )
    return x.gather(axis, found.unsqueeze(axis)).squeeze(axis)


@kernel
def in_top_k(predictions: Tensor, targets: Tensor, k: int) -> Tensor:
    """Whether fewer than k scores of the row are higher; NaN is in no top."""
    own = take_class(predictions, targets, axis=1).unsqueeze(1)
    return ((predictions > own).sum(1) < k) & ~own.squeeze(1).isnan()
