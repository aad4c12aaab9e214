"""Gradients of products of tensors, all as `contraction`s of labelled axes.

Source: M. B. Giles, Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
Differentiation, 2008.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any

from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import Tensor, apply


def _contraction(x: Tensor, y: Tensor, *labels: str) -> Tensor:
    return apply("contraction", x, y, labels=labels)


@gradient_of("contraction")
def contraction(node: Tensor, upstream: Tensor) -> Gradients:
    """The product of the upstream with the other operand, labelled as this one."""
    return _both(node.inputs[0], node.inputs[1], upstream, node.attributes["labels"])


@gradient_of("dot")
def dot(node: Tensor, upstream: Tensor) -> Gradients:
    """Both operands over the axis that was summed."""
    x, y = node.inputs
    letters = iter(ascii_letters)
    left = "".join(next(letters) for _ in x.shape)
    right = "".join(next(letters) for _ in y.shape)
    summed = max(0, y.ndim - 2)
    right = right[:summed] + left[-1] + right[summed + 1 :]
    result = left[:-1] + right.replace(left[-1], "")
    return _both(x, y, upstream, (left, right, result))


@gradient_of("batch_dot")
def batch_dot(node: Tensor, upstream: Tensor) -> Gradients:
    """As `dot`, for each sample."""
    x, y = node.inputs
    first, second = node.attributes["axes"]
    letters = iter(ascii_letters)
    left = "".join(next(letters) for _ in x.shape)
    right = left[0] + "".join(next(letters) for _ in y.shape[1:])
    right = right[:second] + left[first] + right[second + 1 :]
    result = (left + right[1:]).replace(left[first], "")
    if x.ndim == y.ndim == 2:  # shape (batch, 1) stands for (batch,)
        upstream = apply("squeeze", upstream, axis=1)
    return _both(x, y, upstream, (left, right, result))


def _both(x: Tensor, y: Tensor, upstream: Tensor, labels: tuple[str, str, str]) -> Gradients:
    left, right, result = labels
    return (
        _contraction(upstream, y, result, right, left),
        _contraction(x, upstream, left, result, right),
    )


@gradient_of("windows")
def windows(node: Tensor, upstream: Tensor) -> Gradients:
    """Every element of the image gathers from the windows that show it; the border is lost."""
    (x,) = node.inputs
    return (apply("fold", upstream, apply("shape", x), **_how(node)),)


@gradient_of("fold")
def fold(node: Tensor, upstream: Tensor) -> Gradients:
    """Every window shows the upstream."""
    return apply("windows", upstream, border=0.0, **_how(node)), None


def _how(node: Tensor) -> dict[str, Any]:
    return {k: v for k, v in node.attributes.items() if k != "border"}
