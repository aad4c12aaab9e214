"""Gradients of windows and of their adjoint, which are each other's."""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import Tensor, apply


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
