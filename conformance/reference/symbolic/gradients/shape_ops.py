"""Gradients of operations that move, repeat, join and select elements.

Source: each rule is the transpose of a linear map (Griewank and Walther, as in `accumulation`).
"""

from __future__ import annotations

from conformance.reference.symbolic.gradients.accumulation import (
    Gradients,
    gradient_of,
    reshaped_to,
)
from conformance.reference.symbolic.graph import Tensor, apply


@gradient_of("reshape")
def reshape(node: Tensor, upstream: Tensor) -> Gradients:
    """Back in the shape of x."""
    return reshaped_to(upstream, node.inputs[0]), None


@gradient_of("flatten", "batch_flatten", "expand_dims", "squeeze")
def rearranged(node: Tensor, upstream: Tensor) -> Gradients:
    """Back in the shape of x."""
    return (reshaped_to(upstream, node.inputs[0]),)


@gradient_of("permute_dimensions")
def permute_dimensions(node: Tensor, upstream: Tensor) -> Gradients:
    """The inverse permutation."""
    pattern = node.attributes["pattern"]
    inverse = tuple(pattern.index(axis) for axis in range(len(pattern)))
    return (apply("permute_dimensions", upstream, pattern=inverse),)


@gradient_of("reverse")
def reverse(node: Tensor, upstream: Tensor) -> Gradients:
    """In reverse again."""
    return (apply("reverse", upstream, axes=node.attributes["axes"]),)


@gradient_of("repeat")
def repeat(node: Tensor, upstream: Tensor) -> Gradients:
    """The sum over the new axis."""
    del node
    return (apply("sum", upstream, axis=(1,), keepdims=False),)


@gradient_of("tile")
def tile(node: Tensor, upstream: Tensor) -> Gradients:
    """The sum of the copies."""
    return (apply("untile", upstream, node.inputs[0], n=node.attributes["n"]),)


@gradient_of("untile")
def untile(node: Tensor, upstream: Tensor) -> Gradients:
    """Copies again."""
    return apply("tile", upstream, n=node.attributes["n"]), None


@gradient_of("repeat_elements")
def repeat_elements(node: Tensor, upstream: Tensor) -> Gradients:
    """The sum of each row of copies."""
    return (apply("unrepeat", upstream, node.inputs[0], **node.attributes),)


@gradient_of("unrepeat")
def unrepeat(node: Tensor, upstream: Tensor) -> Gradients:
    """Copies again."""
    return apply("repeat_elements", upstream, **node.attributes), None


@gradient_of("concatenate")
def concatenate(node: Tensor, upstream: Tensor) -> Gradients:
    """To each tensor its part."""
    axis, tensors = node.attributes["axis"], node.inputs
    return tuple(
        apply("part", upstream, *tensors, axis=axis, position=i) for i in range(len(tensors))
    )


@gradient_of("part")
def part(node: Tensor, upstream: Tensor) -> Gradients:
    """The part in its place, with zeros before and after."""
    _, *tensors = node.inputs
    position, axis = node.attributes["position"], node.attributes["axis"]
    pieces = [
        upstream if i == position else apply("fill_like", x, value=0, dtype=upstream.dtype)
        for i, x in enumerate(tensors)
    ]
    return apply("concatenate", *pieces, axis=axis), *[None] * len(tensors)


@gradient_of("stack")
def stack(node: Tensor, upstream: Tensor) -> Gradients:
    """To each tensor its slice."""
    before = (slice(None),) * node.attributes["axis"]
    return tuple(upstream[(*before, i)] for i in range(len(node.inputs)))


@gradient_of("slice")
def slice_(node: Tensor, upstream: Tensor) -> Gradients:
    """In its place, with zeros around it."""
    x, start, _ = node.inputs
    return apply("place_slice", upstream, x, start), None, None


@gradient_of("place_slice")
def place_slice(node: Tensor, upstream: Tensor) -> Gradients:
    """The slice."""
    x, _, start = node.inputs
    return apply("slice", upstream, start, apply("shape", x)), None, None


@gradient_of("getitem")
def getitem(node: Tensor, upstream: Tensor) -> Gradients:
    """At the index, with zeros elsewhere."""
    return (apply("place_item", upstream, node.inputs[0], index=node.attributes["index"]),)


@gradient_of("place_item")
def place_item(node: Tensor, upstream: Tensor) -> Gradients:
    """The item."""
    return apply("getitem", upstream, index=node.attributes["index"]), None


@gradient_of("gather")
def gather(node: Tensor, upstream: Tensor) -> Gradients:
    """Each row added at its source."""
    reference, indices = node.inputs
    return apply("place_rows", upstream, reference, indices), None


@gradient_of("place_rows")
def place_rows(node: Tensor, upstream: Tensor) -> Gradients:
    """The rows."""
    return apply("gather", upstream, node.inputs[2]), None, None
