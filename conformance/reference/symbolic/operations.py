"""The interface between the symbolic layer and the library that computes.

The graph, the shape rules and compiled functions handle arrays without looking inside them. A set
of operations makes the arrays, computes on them and gives them back as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from typing import Any, Protocol

Array = Any
"""An array of the library that computes."""

PlannedStep = tuple[int, Callable[..., Array], tuple[int, ...], tuple[int, ...]]
"""The slot of a result, the kernel, the slots of its inputs, and those that no later step uses."""


class Operations(Protocol):
    """A library that computes, seen from the symbolic layer."""

    differentiates: bool
    """Whether the library finds gradients itself, as the kernel of `derivatives`."""

    def kernel(self, operation: str, attributes: Mapping[str, Any]) -> Callable[..., Array]:
        """The function that computes an operation from its input arrays."""

    def distinct_nodes(self, nodes: Sequence[Any]) -> AbstractSet[Any]:
        """Nodes that a plan must compute even where an equal node is computed already."""

    def scheduled(
        self, nodes: Sequence[Any], steps: list[PlannedStep], *, inner: bool
    ) -> list[PlannedStep]:
        """The steps of a plan as they are to be run; the value of nodes[i] has slot i.

        `inner`: they are the body of a loop, which is run for every element.
        """

    def convert(self, value: Any, dtype: str) -> Array:
        """A new array from numbers, lists or NumPy arrays, converted as `astype` does."""

    def accept(self, value: Any, dtype: str) -> Array:
        """As `convert`, but perhaps no copy.

        Raises:
            ValueError: an integer or bool changes its value.
        """

    def accept_sparse(self, value: Any, dtype: str) -> Array:
        """A sparse value from a triple (indices, values, shape), a SciPy matrix or an array."""

    def filled(self, shape: tuple[int, ...], value: float, dtype: str) -> Array:
        """A new array with one value everywhere."""

    def arranged(self, array: Array, shape: tuple[int, ...]) -> Array:
        """The elements in row order in a new shape, or the only element everywhere."""

    def copy(self, array: Array) -> Array:
        """A copy that shares no memory."""

    def export(self, array: Array) -> Any:
        """A NumPy array that shares no memory with the array."""

    def shape(self, array: Array) -> tuple[int, ...]:
        """The shape of an array."""

    def integers(self, array: Array) -> tuple[int, ...]:
        """The elements of a small integer array of rank 0 or 1."""

    def computing(self) -> AbstractContextManager[Any]:
        """A context for running kernels: no warnings for overflow, NaN or division by zero."""
