"""Operations that move, repeat, join, select and make elements."""

from __future__ import annotations

import math
from typing import Any

import torch

from conformance.torch_backend.kernels import KERNELS, Tensor, dtype_of, kernel, rounded_once

KERNELS.update(
    {
        "shape": lambda x: torch.tensor(x.shape, dtype=torch.int32),
        "expand_dims": lambda x, axis: x.unsqueeze(axis),
        "permute_dimensions": lambda x, pattern: x.permute(pattern),
        "reverse": lambda x, axes: x.flip(axes),
        "repeat_elements": lambda x, rep, axis: x.repeat_interleave(rep, axis),
        "repeat": lambda x, n: x.unsqueeze(1).expand(-1, n, -1),
        "flatten": torch.flatten,
        "reshape": lambda x, shape: x.reshape(shape.tolist()),
        "concatenate": lambda *tensors, axis: torch.cat(tensors, axis),
        "stack": lambda *tensors, axis: torch.stack(tensors, axis),
    }
)


@kernel
def tile(x: Tensor, n: tuple[int, ...]) -> Tensor:
    """Every axis n[axis] times as long."""
    return torch.tile(x, n)


@kernel
def fill(shape: Tensor, value: Any, dtype: str) -> Tensor:
    """One value everywhere, in a shape that is data."""
    return torch.full(shape.tolist(), value, dtype=dtype_of(dtype))


@kernel
def fill_like(x: Tensor, value: Any, dtype: str) -> Tensor:
    """One value everywhere, in the shape of x."""
    return torch.full(x.shape, value, dtype=dtype_of(dtype))


@kernel
def batch_flatten(x: Tensor) -> Tensor:
    """One row for each sample; -1 would not do for an empty batch."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


@kernel
def squeeze(x: Tensor, axis: int) -> Tensor:
    """Without an axis; ValueError unless its length is 1."""
    if x.shape[axis] != 1:
        raise ValueError(f"squeeze: axis {axis} of shape {tuple(x.shape)} is not of length 1")
    return x.squeeze(axis)


@kernel
def getitem(x: Tensor, index: tuple[Any, ...]) -> Tensor:
    """Basic indexing. PyTorch has no slices that go backwards: those axes are reversed first."""
    if not any(map(_backwards, index)):
        return x[index]
    axis, entries = 0, []
    used = sum(entry is not None and entry is not Ellipsis for entry in index)
    for entry in index:
        if _backwards(entry):
            entries.append(_mirrored(entry, x.shape[axis]))
            x = x.flip(axis)
        else:
            entries.append(entry)
        axis += x.ndim - used if entry is Ellipsis else entry is not None
    return x[tuple(entries)]


def _backwards(entry: Any) -> bool:
    return isinstance(entry, slice) and entry.step is not None and entry.step < 0


def _mirrored(entry: slice, length: int) -> slice:
    """The slice that takes from the reversed axis what another takes backwards."""
    taken = range(*entry.indices(length))
    if not taken:
        return slice(0, 0)
    return slice(length - 1 - taken[0], length - taken[-1], -taken.step)


@kernel
def one_hot(indices: Tensor, num_classes: int, dtype: str) -> Tensor:
    """1 where the class is the index; an index out of range leaves a row of zeros."""
    return (indices.unsqueeze(-1) == torch.arange(num_classes)).to(dtype_of(dtype))


@kernel
def slice_(x: Tensor, start: Tensor, size: Tensor) -> Tensor:
    """x[start:start + size] on every axis; ValueError where that leaves x."""
    limits = list(zip(start.tolist(), size.tolist(), x.shape, strict=True))
    for axis, (first, n, length) in enumerate(limits):
        if first < 0 or n < 0 or first + n > length:
            raise ValueError(
                f"slice: start {first} and size {n} leave axis {axis} of length {length}"
            )
    return x[tuple(slice(first, first + n) for first, n, _ in limits)]


@kernel
def gather(reference: Tensor, indices: Tensor) -> Tensor:
    """Rows by index, from the end if negative; IndexError if there is no such row."""
    return reference[indices.to(torch.int64)]


@kernel
def arange(start: Any, step: Any, length: int, dtype: str) -> Tensor:
    """start + i * step, exact for integers."""
    whole = isinstance(start, int) and isinstance(step, int)
    places = torch.arange(length, dtype=torch.int64 if whole else torch.float64)
    return (start + step * places).to(dtype_of(dtype))


@kernel
def arange_between(start: Tensor, stop: Tensor, step: int, dtype: str) -> Tensor:
    """Integers from start up to, but without, stop."""
    found = range(int(start), int(stop), step)
    return torch.tensor(list(found), dtype=torch.int64).to(dtype_of(dtype))


@rounded_once
def interpolate(x: Tensor, axis: int, factor: int) -> Tensor:
    """An axis `factor` times as long, linearly between its elements."""
    length = x.shape[axis]
    places = torch.arange(length * factor)
    low = places // factor
    high = (low + 1).clamp(max=length - 1)
    share = (places % factor).to(x.dtype) / factor
    share = share.reshape(-1, *[1] * (x.ndim - 1 - axis))
    return x.index_select(axis, low) * (1 - share) + x.index_select(axis, high) * share
