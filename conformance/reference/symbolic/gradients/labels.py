"""Gradients of operations with padding and with labels."""

from __future__ import annotations

from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import Tensor, apply


@gradient_of("alike")
def alike(node: Tensor, upstream: Tensor) -> Gradients:
    """To x as it is."""
    return upstream, *[None] * (len(node.inputs) - 1)


@gradient_of("pad")
def pad(node: Tensor, upstream: Tensor) -> Gradients:
    """The part that is not padding."""
    index = tuple(slice(a, -b if b else None) for a, b in node.attributes["widths"])
    return (upstream[index],)


@gradient_of("take_class")
def take_class(node: Tensor, upstream: Tensor) -> Gradients:
    """At the labels, with zeros elsewhere."""
    x, labels = node.inputs
    return apply("place_class", upstream, x, labels, axis=node.attributes["axis"]), None


@gradient_of("place_class")
def place_class(node: Tensor, upstream: Tensor) -> Gradients:
    """The elements at the labels."""
    labels, axis = node.inputs[2], node.attributes["axis"]
    return apply("take_class", upstream, labels, axis=axis), None, None
