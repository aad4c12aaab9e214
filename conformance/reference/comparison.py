"""Comparisons of each element: bool tensors of the shape of x and y broadcast.

Both have one dtype, else ValueError; a Python number takes the dtype of the tensor. A comparison
with NaN is False, but `not_equal` is True.
"""

from __future__ import annotations

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import combined
from conformance.reference.symbolic.graph import Tensor


@documented(
    "ja-1:727 equal(x, y)",
    "ja-2.0:2379 equal(x, y)",
    "ko-2.2:1677 equal(x, y)",
)
def equal(x: Tensor, y: Tensor) -> Tensor:
    """x == y, as bool."""
    return combined("equal", x, y)


@documented(
    "ja-1:740 not_equal(x, y)",
    "ja-2.0:2398 not_equal(x, y)",
    "ko-2.2:1698 not_equal(x, y)",
)
def not_equal(x: Tensor, y: Tensor) -> Tensor:
    """x != y, as bool."""
    return combined("not_equal", x, y)


@documented(
    "ja-1:752 greater(x, y)",
    "ja-2.0:2418 greater(x, y)",
    "ko-2.2:1719 greater(x, y)",
)
def greater(x: Tensor, y: Tensor) -> Tensor:
    """x > y, as bool."""
    return combined("greater", x, y)


@documented(
    "ja-1:763 greater_equal(x, y)",
    "ja-2.0:2437 greater_equal(x, y)",
    "ko-2.2:1740 greater_equal(x, y)",
)
def greater_equal(x: Tensor, y: Tensor) -> Tensor:
    """x >= y, as bool."""
    return combined("greater_equal", x, y)


@documented(
    "ja-1:773 lesser(x, y)",
    "ja-2.0:2456 less(x, y)",
    "ko-2.2:1761 less(x, y)",
)
def less(x: Tensor, y: Tensor) -> Tensor:
    """x < y, as bool."""
    return combined("less", x, y)


@documented(
    "ja-1:784 lesser_equal(x, y)",
    "ja-2.0:2475 less_equal(x, y)",
    "ko-2.2:1782 less_equal(x, y)",
)
def less_equal(x: Tensor, y: Tensor) -> Tensor:
    """x <= y, as bool."""
    return combined("less_equal", x, y)
