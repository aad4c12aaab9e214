"""The next wider float type, in which compositions of operations are computed to be rounded once.

float16 is computed in float32, float32 in float64; nothing is wider than float64.
"""

from __future__ import annotations

from conformance.reference.symbolic.graph import Tensor, apply

WIDER = {"float16": "float32", "float32": "float64"}
SMALLEST = {"float16": 1e-30, "float32": 1e-300, "float64": 1e-300}
"""By the dtype of the result: the positive number that stands for a smaller sum of squares."""


def widened(x: Tensor) -> Tensor:
    """x in the next wider type."""
    return cast(x, WIDER.get(x.dtype, x.dtype))


def cast(x: Tensor, dtype: str) -> Tensor:
    """x in another dtype; x itself if it has that dtype."""
    return x if x.dtype == dtype else apply("cast", x, dtype=dtype)
