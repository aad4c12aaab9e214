"""Operations with labels, and checks of shapes that only evaluation knows."""

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
def refined(x: Tensor, shape: tuple[int | None, ...]) -> Tensor:
    """x itself; ValueError if its shape is not what follows from the graph."""
    if any(a is not None and a != b for a, b in zip(shape, x.shape, strict=True)):
        raise ValueError(f"a state has shape {tuple(x.shape)}, where {shape} came before")
    return x


@kernel
def choose(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x where the condition is true, else y; ValueError if the shapes of x and y differ."""
    alike(x, y)
    return torch.where(condition, x, y)


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
