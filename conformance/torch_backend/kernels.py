"""The register of kernels, and how float16 is computed.

Kernels that round more than once compute float16 in float32 and round the result once; they compute
the other float types as they are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

Tensor = Any
"""A tensor of PyTorch. The checker of types does not need PyTorch installed."""

Kernel = Callable[..., Any]

KERNELS: dict[str, Kernel] = {}
WIDER = {torch.float16: torch.float32}


def dtype_of(name: str) -> Any:
    """PyTorch's dtype of a name such as "float32"."""
    return getattr(torch, name)


def kernel(function: Kernel) -> Kernel:
    """Register a function as the operation of its name (less a final underscore)."""
    KERNELS[function.__name__.rstrip("_")] = function
    return function


def widened(function: Kernel) -> Kernel:
    """The function with float16 tensors computed in float32."""

    @functools.wraps(function)
    def rounding(*tensors: Tensor, **attributes: Any) -> Any:
        narrow = tensors[0].dtype
        wide = WIDER.get(narrow)
        if wide is None:
            return function(*tensors, **attributes)
        return function(*[x.to(wide) for x in tensors], **attributes).to(narrow)

    return rounding


def rounded_once(function: Kernel) -> Kernel:
    """Register a function that is to be computed in the next wider type."""
    return kernel(widened(function))
