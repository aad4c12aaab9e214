"""Gradients of random operations."""

from __future__ import annotations

from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import Tensor, apply


@gradient_of("dropout")
def dropout(node: Tensor, upstream: Tensor) -> Gradients:
    """Through the same flags."""
    return (apply("dropout", upstream, node.inputs[1], **node.attributes), None)
