"""Gradients of a loss, and where they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.symbolic.arguments import tensor, tensors
from conformance.reference.symbolic.gradients.accumulation import accumulated, carries
from conformance.reference.symbolic.graph import Tensor, apply


@documented(
    "ja-1:1143 gradients(loss, variables)",
    "ja-2.0:2553 gradients(loss, variables)",
    "ko-2.2:2554 gradients(loss, variables)",
)
def gradients(loss: Tensor, variables: Sequence[Tensor]) -> list[Tensor]:
    """The gradients of a scalar (ko-2.2:2562) with respect to variables: a list, one for each.

    Each has the shape and dtype of its variable (or placeholder, or other tensor). Zeros where the
    loss does not depend on it. A loss that is not a scalar stands for its sum. ValueError:
    variables is not a list of tensors (ko-2.2:2563), a dtype is not float, or an operation has no
    gradient.
    """
    for x in (tensor(loss, "gradients", "loss"), *tensors(variables, "gradients", "variables")):
        if not carries(x):
            raise ValueError(f"gradients: {x!r} is no float; use K.cast(x, K.floatx())")
    return accumulated(loss, variables)


@documented(
    "ja-1:1154 stop_gradient(variables)",
    "ja-2.0:2572 stop_gradient(variables)",
    "ko-2.2:2575 stop_gradient(variables)",
)
def stop_gradient(variables: Any) -> Any:
    """A tensor with the same value that counts as constant in `gradients`.

    A list of tensors gives a list (ja-2.0:2579, ko-2.2:2584). ValueError for anything but a tensor
    and, where that is documented, a list of them.
    """
    if isinstance(variables, (list, tuple)) and not says("ja-1:1157"):
        listed = tensors(variables, "stop_gradient", "variables")
        return [apply("stop_gradient", x) for x in listed]
    return apply("stop_gradient", tensor(variables, "stop_gradient", "variables"))
