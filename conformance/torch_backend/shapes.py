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
    """Without an axis.

    Raises:
        ValueError: its length is not 1.
    """
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
    """x[start:start + size] on every axis.

    Raises:
        ValueError: the slice leaves x.
    """
    limits = list(zip(start.tolist(), size.tolist(), x.shape, strict=True))
    for axis, (first, n, length) in enumerate(limits):
        if first < 0 or n < 0 or first + n > length:
            raise ValueError(
                f"slice: start {first} and size {n} leave axis {axis} of length {length}"
            )
    return x[tuple(slice(first, first + n) for first, n, _ in limits)]


@kernel
def gather(reference: Tensor, indices: Tensor) -> Tensor:
    """Rows by index, from the end if negative.

    Raises:
        IndexError: there is no such row.
    """
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
    numbers = range(int(start), int(stop), step)
    return torch.tensor(list(numbers), dtype=torch.int64).to(dtype_of(dtype))


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


@kernel
def alike(x: Tensor, *others: Tensor) -> Tensor:
    """x.

    Raises:
        ValueError: one of the others has another shape.
    """
    for other in others:
        if other.shape != x.shape:
            raise ValueError(f"shapes {tuple(x.shape)} and {tuple(other.shape)} must be equal")
    return x


@kernel
def take_class(x: Tensor, labels: Tensor, axis: int) -> Tensor:
    """The element at each label.

    Raises:
        ValueError: a label is not a class.
    """
    classes, classes_of = x.shape[axis], labels.to(torch.int64)
    wrong = (classes_of < 0) | (classes_of >= classes)
    if wrong.any():
        raise ValueError(
            f"label {int(classes_of[wrong][0])} is not a class from 0 to {classes - 1}"
        )
    return x.gather(axis, classes_of.unsqueeze(axis)).squeeze(axis)


@kernel
def in_top_k(predictions: Tensor, targets: Tensor, k: int) -> Tensor:
    """Whether fewer than k scores of the row are higher; NaN is in no top."""
    own = take_class(predictions, targets, axis=1).unsqueeze(1)
    return ((predictions > own).sum(1) < k) & ~own.squeeze(1).isnan()


@kernel
def to_dense(x: Tensor) -> Tensor:
    """The elements in a tensor of zeros."""
    places, values = tuple(x._indices()), x._values()
    result = torch.zeros(x.shape, dtype=values.dtype)
    return result.index_put(places, values, accumulate=True) if places else values.sum()


@kernel
def to_sparse(x: Tensor) -> Tensor:
    """The elements that are not 0."""
    return x.to_sparse()


@kernel
def label_to_sparse(labels: Tensor, lengths: Tensor) -> Tensor:
    """Each row up to its length.

    Raises:
        ValueError: a length is negative or longer than the row.
    """
    most = labels.shape[1]
    if (lengths < 0).any() or (lengths > most).any():
        raise ValueError(f"label_lengths must be from 0 to {most}, not {lengths.tolist()}")
    inside = torch.arange(most) < lengths.unsqueeze(1)
    return torch.sparse_coo_tensor(inside.nonzero().T, labels[inside], labels.shape)
