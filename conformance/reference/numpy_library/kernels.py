"""The register of kernels, and the types in which they compute.

A float operation that rounds more than once computes in the next wider type and rounds the result
once: float16 in float32, float32 in float64.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Kernel = Callable[..., Any]

KERNELS: dict[str, Kernel] = {}
"""The functions that compute the operations, by name."""

WIDER: dict[Any, Any] = {
    np.dtype("float16"): np.dtype("float32"),
    np.dtype("float32"): np.dtype("float64"),
}


def kernel(function: Kernel) -> Kernel:
    """Register a function as the operation of its name (less a final underscore)."""
    KERNELS[function.__name__.rstrip("_")] = function
    return function


def widened(function: Kernel) -> Kernel:
    """The function, computing float arrays in the next wider type and rounding the result."""

    @functools.wraps(function)
    def rounding(*arrays: Any, **attributes: Any) -> Any:
        narrow = arrays[0].dtype
        wide = WIDER.get(narrow)
        if wide is None:
            return function(*arrays, **attributes)
        return function(*[array.astype(wide) for array in arrays], **attributes).astype(narrow)

    return rounding


def rounded_once(function: Kernel) -> Kernel:
    """Register a function that is to be computed in the next wider type."""
    return kernel(widened(function))
