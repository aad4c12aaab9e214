"""Products of tensors, and the transpose."""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import axis_of, tensor
from conformance.reference.symbolic.graph import Tensor, apply


@documented(
    "ja-1:406 dot(x, y)",
    "ja-2.0:1035 dot(x, y)",
    "ko-2.2:977 dot(x, y)",
)
def dot(x: Tensor, y: Tensor) -> Tensor:
    """Sum over the last axis of x and the second-to-last of y (of a vector y: the only one).

    Shapes (2, 3) and (4, 3, 5) give (2, 4, 5) (ko-2.2:985). ValueError for scalars, for dtypes
    that differ and for lengths that cannot be equal.
    """
    return apply("dot", tensor(x, "dot"), tensor(y, "dot", "y"))


@documented(
    "ja-1:420 batch_dot(x, y, axes=None)",
    "ja-2.0:1088 batch_dot(x, y, axes=None)",
    "ko-2.2:1031 batch_dot(x, y, axes=None)",
)
def batch_dot(x: Tensor, y: Tensor, axes: int | tuple[int, int] | None = None) -> Tensor:
    """For each sample (axis 0 of both), the sum over one axis of x and one of y.

    The result has x's axes without the summed one, then y's without the batch and the summed one.
    If only the batch axis is left, the shape is (batch, 1) (ko-2.2:1053). With axes=1,
    x = [[1, 2], [3, 4]] and y = [[5, 6], [7, 8]] give [[17], [53]]. (ko-2.2:1061. The older
    documents misprint its shape.) `axes` is one axis for both or a
    pair. None takes the last axis of x, and the last of two axes of y, or the second-to-last of
    more.

    Raises:
        ValueError: a rank is below 2, a batch axis is among `axes`, lengths cannot be equal, or
            dtypes differ.
    """
    x, y = _batch(x, "x"), _batch(y, "y")
    first, second = _pair(x, y, axes)
    return apply(
        "batch_dot", x, y, axes=(_summed(x, first, "axes[0]"), _summed(y, second, "axes[1]"))
    )


def _batch(x: Any, what: str) -> Tensor:
    array = tensor(x, "batch_dot", what)
    if array.ndim < 2:
        raise ValueError(
            f"batch_dot: {what} is {array!r}; it needs rank 2 or more, see K.expand_dims"
        )
    return array


def _pair(x: Tensor, y: Tensor, axes: Any) -> tuple[Any, Any]:
    if axes is None:
        return x.ndim - 1, y.ndim - 1 if y.ndim == 2 else y.ndim - 2
    if not isinstance(axes, (list, tuple)):
        return axes, axes
    if len(axes) != 2:
        raise ValueError(f"batch_dot: axes is {axes!r}; write one integer or a pair of them")
    return axes[0], axes[1]


def _summed(x: Tensor, axis: Any, what: str) -> int:
    place = axis_of(x, axis, "batch_dot", what)
    if place == 0:
        raise ValueError(
            f"batch_dot: {what} is the batch axis, which is not summed; write 1 or more"
        )
    return place


@documented(
    "ja-1:454 transpose(x)",
    "ja-2.0:1130 transpose(x)",
    "ko-2.2:1095 transpose(x)",
)
def transpose(x: Tensor) -> Tensor:
    """The axes of x in reverse order.

    Shapes: any x; the result has the lengths of x in reverse order.
    """
    x = tensor(x, "transpose")
    return apply("permute_dimensions", x, pattern=tuple(reversed(range(x.ndim))))
