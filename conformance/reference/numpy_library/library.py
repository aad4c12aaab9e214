"""NumPy as a set of operations: arrays from numbers, and copies of arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.reference.numpy_library.coordinates import coordinates
from conformance.reference.numpy_library.kernels import KERNELS, Array, Kernel
from conformance.reference.symbolic.operations import PlannedStep


class NumpyOperations:
    """NumPy as a set of operations."""

    differentiates = False

    def distinct_nodes(self, nodes: Sequence[Any]) -> AbstractSet[Any]:
        """None: NumPy needs no array twice."""
        del nodes
        return frozenset()

    def scheduled(
        self, nodes: Sequence[Any], steps: list[PlannedStep], *, inner: bool
    ) -> list[PlannedStep]:
        """The steps as they are."""
        del nodes, inner
        return steps

    def kernel(self, operation: str, attributes: Mapping[str, Any]) -> Kernel:
        """The function that computes an operation from its input arrays."""
        function = KERNELS[operation]
        return functools.partial(function, **attributes) if attributes else function

    def convert(self, value: Any, dtype: str) -> Array:
        """A new array, converted as `astype` does.

        Raises:
            ValueError: value is not made of numbers.
        """
        with self.computing():
            return _numbers(value).astype(dtype)

    def accept(self, value: Any, dtype: str) -> Array:
        """An array in the dtype.

        Raises:
            ValueError: an integer or bool dtype would change a value.
        """
        array = _numbers(value)
        target = np.dtype(dtype)
        if array.dtype == target:
            return array
        with self.computing():
            result = array.astype(target)
        if target.kind != "f" and not np.array_equal(result, array):
            raise ValueError(f"{value!r} cannot be held in {dtype} without changing its value")
        return result

    def accept_sparse(self, value: Any, dtype: str) -> Any:
        """Coordinates with values in the dtype.

        Raises:
            ValueError: it would change one.
        """
        sparse = coordinates(value)
        return replace(sparse, values=self.accept(sparse.values, dtype))

    def filled(self, shape: tuple[int, ...], value: float, dtype: str) -> Array:
        """A new array with one value everywhere."""
        return np.full(shape, value, dtype)

    def arranged(self, array: Array, shape: tuple[int, ...]) -> Array:
        """The elements in row order in a new shape, or the only element everywhere."""
        if array.size == 1:
            return np.full(shape, array.reshape(()), array.dtype)
        return np.reshape(array, shape)

    def copy(self, array: Array) -> Array:
        """A copy that shares no memory."""
        return np.array(array)

    def export(self, array: Array) -> Array:
        """A copy; scalars become arrays of rank 0."""
        return np.array(array)

    def shape(self, array: Array) -> tuple[int, ...]:
        """The shape of an array."""
        return array.shape

    def integers(self, array: Array) -> tuple[int, ...]:
        """The elements of a small integer array of rank 0 or 1."""
        return tuple(int(item) for item in array.reshape(-1))

    def computing(self) -> AbstractContextManager[Any]:
        """Floating-point warnings off."""
        return np.errstate(all="ignore")


def _numbers(value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{value!r} is not an array of numbers")
    return array
