"""PyTorch as a set of operations: tensors from numbers, and NumPy arrays from tensors."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch

from conformance.reference.numpy_library.coordinates import coordinates
from conformance.reference.symbolic.operations import PlannedStep
from conformance.torch_backend import autograd
from conformance.torch_backend.kernels import KERNELS, Kernel, Tensor, dtype_of

UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
"""Dtypes in which PyTorch keeps numbers but does not compute."""


class TorchOperations:
    """PyTorch on the CPU."""

    differentiates = True

    def kernel(self, operation: str, attributes: Mapping[str, Any]) -> Kernel:
        """The function that computes an operation from its input tensors."""
        function = KERNELS[operation]
        return _guarded(functools.partial(function, **attributes) if attributes else function)

    def distinct_nodes(self, nodes: Sequence[Any]) -> AbstractSet[Any]:
        """Nodes that share a value with others but not their gradients."""
        return autograd.distinct_nodes(nodes)

    def scheduled(
        self, nodes: Sequence[Any], steps: list[PlannedStep], *, inner: bool
    ) -> list[PlannedStep]:
        """The steps, and those that let autograd find gradients."""
        return autograd.scheduled(nodes, steps, inner=inner)

    def convert(self, value: Any, dtype: str) -> Tensor:
        """A new tensor, converted as `astype` does.

        Raises:
            ValueError: value is not made of numbers.
        """
        with np.errstate(all="ignore"):
            return _tensor(np.array(_numbers(value), dtype, order="C"))

    def accept(self, value: Any, dtype: str) -> Tensor:
        """A tensor in the dtype.

        Raises:
            ValueError: an integer or bool dtype would change a value.
        """
        array = _numbers(value)
        target = np.dtype(dtype)
        if array.dtype == target:
            return _shared(array)
        with np.errstate(all="ignore"):
            result = np.array(array, target, order="C")
        if target.kind != "f" and not np.array_equal(result, array):
            raise ValueError(f"{value!r} cannot be held in {dtype} without changing its value")
        return _tensor(result)

    def accept_sparse(self, value: Any, dtype: str) -> Tensor:
        """A sparse tensor with values in the dtype.

        Raises:
            ValueError: it would change one.
        """
        sparse = coordinates(value)
        places = self.convert(sparse.indices.T, "int64")
        values = self.accept(sparse.values, dtype)
        return torch.sparse_coo_tensor(places, values, sparse.shape, check_invariants=True)

    def filled(self, shape: tuple[int, ...], value: float, dtype: str) -> Tensor:
        """A new tensor with one value everywhere."""
        return torch.full(shape, value, dtype=dtype_of(dtype))

    def arranged(self, array: Tensor, shape: tuple[int, ...]) -> Tensor:
        """The elements in row order in a new shape, or the only element everywhere."""
        if array.numel() == 1:
            return array.reshape(()).expand(shape).clone()
        return array.reshape(shape)

    def copy(self, array: Tensor) -> Tensor:
        """A copy that shares no memory and has no history."""
        return array.detach().clone(memory_format=torch.contiguous_format)

    def export(self, array: Tensor) -> Any:
        """A NumPy array that shares no memory with the tensor."""
        return array.detach().numpy().copy()

    def shape(self, array: Tensor) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(array.shape)

    def integers(self, array: Tensor) -> tuple[int, ...]:
        """The elements of a small integer tensor of rank 0 or 1."""
        return tuple(array.reshape(-1).tolist())

    def computing(self) -> AbstractContextManager[Any]:
        """Autograd is on, whatever the caller has set; it records watched tensors only."""
        enabled: AbstractContextManager[Any] = torch.enable_grad()
        return enabled


def _numbers(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{value!r} is not an array of numbers")
    return array


def _tensor(array: Any) -> Tensor:
    """A tensor on the memory of an array. PyTorch knows one of NumPy's two types of 64 bits."""
    return torch.from_numpy(array.view(array.dtype.name))


def _shared(array: Any) -> Tensor:
    """A tensor on the memory of an array, unless PyTorch needs a copy."""
    if array.flags.c_contiguous and array.flags.writeable:
        return _tensor(array)
    return _tensor(np.array(array, order="C"))


def _guarded(function: Kernel) -> Kernel:
    """The kernel, with errors as the symbolic layer expects them, and for all integer dtypes."""

    def run(*tensors: Tensor) -> Any:
        try:
            return function(*tensors)
        except RuntimeError as error:
            if any(getattr(x, "dtype", None) in UNSIGNED for x in tensors):
                return _in_int64(function, tensors)
            raise ValueError(str(error)) from error

    return run


def _in_int64(function: Kernel, tensors: Sequence[Tensor]) -> Any:
    """The kernel computed in int64, where PyTorch has none; ValueError from 2**63 upwards."""
    narrow = next(x.dtype for x in tensors if x.dtype in UNSIGNED)
    signed = [x.to(torch.int64) if x.dtype in UNSIGNED else x for x in tensors]
    if narrow is torch.uint64 and any((x < 0).any() for x in signed):
        raise ValueError("PyTorch does not compute with integers from 2**63 upwards")
    result = function(*signed)
    return result.to(narrow) if result.dtype is torch.int64 else result
