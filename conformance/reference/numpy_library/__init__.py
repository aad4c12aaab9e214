"""The operations of the graph on NumPy arrays."""

from __future__ import annotations

from conformance.reference.numpy_library import (  # noqa: F401 - importing them registers their kernels
    ctc,
    elementwise,
    loops,
    products,
    random,
    reductions,
    shapes,
)
