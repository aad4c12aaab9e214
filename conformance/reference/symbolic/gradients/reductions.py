"""Gradients of reductions, and of running sums and products.

Source: derivatives of the formulas in `reductions`. Equal extremes share a gradient as in
TensorFlow.
"""

from __future__ import annotations

from conformance.reference.symbolic.gradients.accumulation import (
    Gradients,
    gradient_of,
    spread,
    summed_to,
)
from conformance.reference.symbolic.graph import Tensor, apply, binary


def unreduced(node: Tensor, reduced: Tensor) -> Tensor:
    """A tensor in the shape of a reduction, with length 1 for each reduced axis."""
    if not node.attributes["keepdims"]:
        for axis in sorted(node.attributes["axis"]):
            reduced = apply("expand_dims", reduced, axis=axis)
    return reduced


def _again(operation: str, node: Tensor) -> Tensor:
    """Another reduction of the same tensor along the same axes, which are kept."""
    return apply(operation, node.inputs[0], axis=node.attributes["axis"], keepdims=True)


@gradient_of("sum")
def sum_(node: Tensor, upstream: Tensor) -> Gradients:
    """To all elements alike."""
    return (spread(unreduced(node, upstream), node.inputs[0]),)


@gradient_of("mean")
def mean(node: Tensor, upstream: Tensor) -> Gradients:
    """To all elements alike, divided by their number."""
    (x,) = node.inputs
    axis = node.attributes["axis"]
    return (apply("divide_by_count", unreduced(node, upstream), x, axis=axis),)


@gradient_of("divide_by_count")
def divide_by_count(node: Tensor, upstream: Tensor) -> Gradients:
    """The same division, summed over what was spread."""
    x, like = node.inputs
    divided = apply("divide_by_count", upstream, like, axis=node.attributes["axis"])
    return summed_to(divided, x), None


@gradient_of("max", "min")
def extreme(node: Tensor, upstream: Tensor) -> Gradients:
    """To the element that is the result; to equal ones in equal parts, as TensorFlow does."""
    (x,) = node.inputs
    chosen = apply("cast", apply("equal", x, unreduced(node, node)), dtype=x.dtype)
    count = apply("sum", chosen, axis=node.attributes["axis"], keepdims=True)
    return (chosen * (unreduced(node, upstream) / count),)


@gradient_of("var")
def variance(node: Tensor, upstream: Tensor) -> Gradients:
    """2 (x - mean) / n."""
    (x,) = node.inputs
    share = apply("divide_by_count", unreduced(node, upstream), x, axis=node.attributes["axis"])
    return (share * (2 * (x - _again("mean", node))),)


@gradient_of("std")
def deviation(node: Tensor, upstream: Tensor) -> Gradients:
    """(x - mean) / (n std); 0 where all elements are equal, which is a subgradient."""
    (x,) = node.inputs
    share = apply("divide_by_count", unreduced(node, upstream), x, axis=node.attributes["axis"])
    ratio = (x - _again("mean", node)) / unreduced(node, node)
    none = apply("fill_like", ratio, value=0, dtype=x.dtype)
    alike = binary("equal", unreduced(node, node), 0)
    return (share * apply("select", alike, none, ratio),)


@gradient_of("logsumexp")
def logsumexp(node: Tensor, upstream: Tensor) -> Gradients:
    """Softmax, shifted by the largest element unless that is infinite."""
    (x,) = node.inputs
    top = apply("stop_gradient", _again("max", node))
    finite = binary("equal", top - top, 0)
    none = apply("fill_like", top, value=0, dtype=x.dtype)
    powers = apply("exp", x - apply("select", finite, top, none))
    total = apply("sum", powers, axis=node.attributes["axis"], keepdims=True)
    return (unreduced(node, upstream) * (powers / total),)


@gradient_of("cumsum")
def cumsum(node: Tensor, upstream: Tensor) -> Gradients:
    """A running sum from the end."""
    axis = node.attributes["axis"]
    backwards = apply("cumsum", _reversed(upstream, axis), axis=axis)
    return (_reversed(backwards, axis),)


def _reversed(x: Tensor, axis: int) -> Tensor:
    return apply("reverse", x, axes=(axis,))


def _along(axis: int, entry: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, entry)


def delayed(x: Tensor, axis: int, first: int) -> Tensor:
    """x one place later along an axis, without its last element and with a constant before it.

    Shapes: any x; the result has the shape of x.
    """
    start = apply("fill_like", x[_along(axis, slice(1))], value=first, dtype=x.dtype)
    return apply("concatenate", start, x[_along(axis, slice(-1))], axis=axis)


def advanced(x: Tensor, axis: int) -> Tensor:
    """x one place earlier along an axis, without its first element and with a zero after it.

    Shapes: any x; the result has the shape of x.
    """
    return _reversed(delayed(_reversed(x, axis), axis, 0), axis)


@gradient_of("recurrence")
def recurrence(node: Tensor, upstream: Tensor) -> Gradients:
    """The recurrence backwards, of the terms; that times the y before, of the factors."""
    axis = node.attributes["axis"]
    factors, terms = node.inputs
    backwards = apply(
        "recurrence",
        _reversed(advanced(factors, axis), axis),
        _reversed(upstream, axis),
        axis=axis,
    )
    to_terms = _reversed(backwards, axis)
    to_factors = to_terms * delayed(node, axis, 0)
    return summed_to(to_factors, factors), summed_to(to_terms, terms)


@gradient_of("cumprod")
def cumprod(node: Tensor, upstream: Tensor) -> Gradients:
    """The product before an element, times a recurrence from the end.

    With s[i] = g[i] + x[i + 1] s[i + 1] the gradient is s[i] times the product of all x before i.
    There is no division, and zeros do no harm.
    """
    axis = node.attributes["axis"]
    (x,) = node.inputs
    after = apply(
        "recurrence", _reversed(advanced(x, axis), axis), _reversed(upstream, axis), axis=axis
    )
    return (_reversed(after, axis) * delayed(node, axis, 1),)


@gradient_of("prod")
def product(node: Tensor, upstream: Tensor) -> Gradients:
    """The product of all other elements, one axis after the other and without division."""
    stages = [node.inputs[0]]
    for axis in node.attributes["axis"]:
        stages.append(apply("prod", stages[-1], axis=(axis,), keepdims=True))
    result = unreduced(node, upstream)
    for x, axis in zip(stages[-2::-1], node.attributes["axis"][::-1], strict=True):
        result = result * _others(x, axis)
    return (result,) if node.attributes["axis"] else (upstream,)


def _others(x: Tensor, axis: int) -> Tensor:
    """The product of all other elements along one axis."""
    before = delayed(apply("cumprod", x, axis=axis), axis, 1)
    mirrored = _reversed(x, axis)
    after = _reversed(delayed(apply("cumprod", mirrored, axis=axis), axis, 1), axis)
    return before * after


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


@gradient_of("ctc_cost")
def _cost(node: Tensor, upstream: Tensor) -> Gradients:
    return apply("ctc_cost_gradient", upstream, *node.inputs), None, None, None
